package httpx

import (
	"bytes"
	"io"
	"net/http"
)

// Restate puts before a network what a cloud's refusals mean, where its status codes alone say something else: f sees
// the status, the headers (which it may change, such as to add a Retry-After that stands in the text only) and the
// body's beginning of each refusal, and gives the status to go on with. A nil network is Transport with its defaults.
// Use it as Options.Transport: retries and errors then go by the meaning.
func Restate(next http.RoundTripper, f func(code int, head http.Header, body []byte) int) http.RoundTripper {
	if next == nil {
		next = plainTransport()
	}
	return tripper(func(r *http.Request) (*http.Response, error) {
		resp, err := next.RoundTrip(r)
		if err != nil || kindOfStatus(resp.StatusCode) == "" {
			return resp, err
		}
		// what cannot be read is no reason to lose the status: the rest of the body fails again for whoever reads on
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(text), resp.Body), resp.Body}
		resp.StatusCode = f(resp.StatusCode, resp.Header, text)
		return resp, nil
	})
}
