package huawei

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"gpuspend/billing"
)

const algorithm = "SDK-HMAC-SHA256"

// signer signs requests with an access key. A date is taken for 15 minutes, so that every attempt gets its own.
type signer struct {
	key, secret, session billing.Secret // session is empty but for temporary keys
	now                  func() time.Time
}

// signed are the headers that are part of the signature, where they are set. The content type is not one of them.
func signed() []string {
	return []string{"x-domain-id", "x-project-id", "x-sdk-date", "x-security-token"}
}

func (s signer) sign(r *http.Request) error {
	date := s.now().UTC().Format("20060102T150405Z")
	r.Header.Set("X-Sdk-Date", date)
	if !s.session.Empty() {
		r.Header.Set("X-Security-Token", s.session.Reveal())
	}
	names, canonical, err := canonicalRequest(r)
	if err != nil {
		return err
	}
	mac := hmac.New(sha256.New, []byte(s.secret.Reveal()))
	mac.Write([]byte(algorithm + "\n" + date + "\n" + hash([]byte(canonical))))
	r.Header.Set("Authorization", fmt.Sprintf("%s Access=%s, SignedHeaders=%s, Signature=%s",
		algorithm, s.key.Reveal(), names, hex.EncodeToString(mac.Sum(nil))))
	return nil
}

// canonicalRequest writes a request as it is signed. The path ends with a slash there, whatever the request's own does.
func canonicalRequest(r *http.Request) (names, text string, err error) {
	body, err := bodyOf(r)
	if err != nil {
		return "", "", err
	}
	var heads strings.Builder
	var list []string
	for _, name := range signed() {
		if v := r.Header.Get(name); v != "" {
			list = append(list, name)
			heads.WriteString(name + ":" + strings.TrimSpace(v) + "\n")
		}
	}
	path := canonicalPath(r.URL)
	names = strings.Join(list, ";")
	text = strings.Join([]string{r.Method, path, encoded(r.URL.Query()), heads.String(), names, hash(body)}, "\n")
	return names, text, nil
}

func canonicalPath(u *url.URL) string {
	parts := strings.Split(u.Path, "/")
	for i, p := range parts {
		parts[i] = escape(p)
	}
	path := strings.Join(parts, "/")
	if !strings.HasSuffix(path, "/") {
		path += "/"
	}
	return path
}

// encoded writes a query as it is signed, sorted by names and values.
func encoded(q url.Values) string {
	var pairs []string
	for name, values := range q {
		for _, v := range values {
			pairs = append(pairs, escape(name)+"="+escape(v))
		}
	}
	slices.Sort(pairs)
	return strings.Join(pairs, "&")
}

// escape is RFC 3986: a space is %20, a star %2A, a tilde stays.
func escape(s string) string {
	s = url.QueryEscape(s)
	return strings.NewReplacer("+", "%20", "*", "%2A", "%7E", "~").Replace(s)
}

// bodyOf reads a copy of the body; the request keeps its own.
func bodyOf(r *http.Request) ([]byte, error) {
	if r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	if r.GetBody == nil {
		return nil, fmt.Errorf("a body that can be read once only")
	}
	b, err := r.GetBody()
	if err != nil {
		return nil, err
	}
	defer b.Close()
	return io.ReadAll(b)
}

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
