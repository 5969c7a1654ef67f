package providers

import (
	"net/http"

	"gpuspend/billing/providers/internal/httpx"
)

// Transport makes the network of one account: through its own proxy ("" is the environment's), trusting the authorities
// of a PEM file beside the system's ("" for none). It fails with a sentence where either can't be used.
func Transport(proxy, caFile string) (http.RoundTripper, error) {
	return httpx.Transport(httpx.TransportConfig{Proxy: proxy, CAFile: caFile})
}
