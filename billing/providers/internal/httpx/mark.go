package httpx

import (
	"context"
	"net/http"

	"gpuspend/billing"
)

// mark is what the builder of a request knows about it and the method alone does not tell: some clouds read with POST.
type mark struct {
	write bool
	price billing.Money // of one attempt; unknown for what costs nothing
	token string        // idempotency token that the request carries
}

type markKey struct{}

func marked(r *http.Request, m mark) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), markKey{}, m))
}

func markOf(r *http.Request) (mark, bool) {
	m, ok := r.Context().Value(markKey{}).(mark)
	return m, ok
}

// Read marks a request as changing nothing, whatever its method.
func Read(r *http.Request) *http.Request { return marked(r, mark{}) }

// Paid marks a read for which the cloud charges this price at every attempt.
func Paid(r *http.Request, price billing.Money) *http.Request { return marked(r, mark{price: price}) }

// Write marks a request as changing something. It is sent again only when nothing of it left the machine.
func Write(r *http.Request) *http.Request { return marked(r, mark{write: true}) }

// WriteOnce marks a write that carries an idempotency token, so that the cloud does it once however often it is sent.
// The caller puts the token where the cloud wants it.
func WriteOnce(r *http.Request, token string) *http.Request {
	return marked(r, mark{write: true, token: token})
}
