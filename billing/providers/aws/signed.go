package aws

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/smithy-go/middleware"
)

// asked is one question to a service whose client we do not link: the SDK's own signer signs it, and it goes out by the
// same door. One action each does not pay for a module, and AWS's Go module for Billing lacks GetCredits.
type asked struct {
	service, signing string // the service as the SDK names it, and as signatures name it
	region           string
	host             string
	method, path     string
	query            url.Values
	headers          map[string]string
	body             []byte
	action           string
}

// ask sends a question and gives the whole answer.
func (a *account) ask(ctx context.Context, q asked) ([]byte, error) {
	base := "https://" + q.host
	if a.cfg.BaseEndpoint != nil {
		base = strings.TrimSuffix(*a.cfg.BaseEndpoint, "/")
	}
	ctx = middleware.WithOperationName(middleware.WithServiceID(ctx, q.service), q.action)
	req, err := http.NewRequestWithContext(ctx, q.method, base+q.path, bytes.NewReader(q.body))
	if err != nil {
		return nil, errors.New("the request cannot be built")
	}
	req.URL.RawQuery = strings.ReplaceAll(q.query.Encode(), "+", "%20")
	for k, v := range q.headers {
		req.Header.Set(k, v)
	}
	if a.cfg.Credentials == nil {
		return nil, errors.New("no credentials to sign with")
	}
	keys, err := a.cfg.Credentials.Retrieve(ctx)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(q.body)
	hash := hex.EncodeToString(sum[:])
	req.Header.Set("X-Amz-Content-Sha256", hash)
	err = v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = q.signing == "s3" }).
		SignHTTP(ctx, keys, req, hash, q.signing, q.region, a.now())
	if err != nil {
		return nil, errors.New("the request cannot be signed")
	}
	resp, err := a.cfg.HTTPClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	return io.ReadAll(resp.Body)
}

// askJSON sends a question in JSON and decodes its answer, digit by digit.
func (a *account) askJSON(ctx context.Context, op string, q asked, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return garbled(op, "the question is no JSON")
	}
	q.method, q.body = http.MethodPost, body
	answer, err := a.ask(ctx, q)
	if err != nil {
		return failed(ctx, op, err)
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return garbled(op, "the answer is not of the documented form")
	}
	return nil
}

var _ aws.HTTPClient = (*door)(nil)
