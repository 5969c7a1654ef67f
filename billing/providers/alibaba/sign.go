package alibaba

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"gpuspend/billing"
)

const algorithm = "ACS3-HMAC-SHA256"

// emptyBody is the hash of no body: every parameter stands in the query, of POST requests too.
const emptyBody = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// signer signs requests with an AccessKey. Alibaba takes a nonce once and a date for 15 minutes, so that every attempt
// gets its own.
type signer struct {
	keyID, secret, session billing.Secret // session is empty but for temporary keys
	now                    func() time.Time
	nonce                  func() string
}

func randomNonce() string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

func (s signer) sign(r *http.Request) error {
	h := r.Header
	h.Set("x-acs-date", s.now().UTC().Format("2006-01-02T15:04:05Z"))
	h.Set("x-acs-signature-nonce", s.nonce())
	h.Set("x-acs-content-sha256", emptyBody)
	if !s.session.Empty() {
		h.Set("x-acs-security-token", s.session.Reveal())
	}
	names, canonical := canonicalRequest(r)
	mac := hmac.New(sha256.New, []byte(s.secret.Reveal()))
	sum := sha256.Sum256([]byte(canonical))
	mac.Write([]byte(algorithm + "\n" + hex.EncodeToString(sum[:])))
	h.Set("Authorization", algorithm+" Credential="+s.keyID.Reveal()+",SignedHeaders="+names+
		",Signature="+hex.EncodeToString(mac.Sum(nil)))
	return nil
}

// canonicalRequest writes a request as it is signed: host, content type and all x-acs headers.
func canonicalRequest(r *http.Request) (names, text string) {
	signed := []string{"host"}
	values := map[string]string{"host": r.URL.Host}
	for name, v := range r.Header {
		name = strings.ToLower(name)
		if strings.HasPrefix(name, "x-acs-") || name == "content-type" {
			signed = append(signed, name)
			values[name] = strings.TrimSpace(strings.Join(v, ","))
		}
	}
	slices.Sort(signed)
	names = strings.Join(signed, ";")
	var b strings.Builder
	b.WriteString(r.Method + "\n/\n" + encoded(r.URL.Query()) + "\n")
	for _, name := range signed {
		b.WriteString(name + ":" + values[name] + "\n")
	}
	b.WriteString("\n" + names + "\n" + values["x-acs-content-sha256"])
	return names, b.String()
}

// encoded writes a query sorted and escaped by RFC 3986, as it is sent and signed.
func encoded(q url.Values) string {
	names := make([]string, 0, len(q))
	for name := range q {
		names = append(names, name)
	}
	slices.Sort(names)
	var parts []string
	for _, name := range names {
		for _, v := range q[name] {
			parts = append(parts, escape(name)+"="+escape(v))
		}
	}
	return strings.Join(parts, "&")
}

// escape leaves letters, digits and -_.~ alone; url.QueryEscape differs in the space only.
func escape(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }
