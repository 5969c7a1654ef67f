package httpx

import (
	"bytes"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"gpuspend/billing"
)

// kindOfStatus sorts HTTP status codes by what can be done about them; "" is success.
func kindOfStatus(code int) billing.ErrorKind {
	switch {
	case code >= 200 && code < 300:
		return ""
	case code == http.StatusUnauthorized:
		return billing.Auth
	case code == http.StatusForbidden, code == http.StatusPaymentRequired:
		return billing.Denied
	case code == http.StatusNotFound, code == http.StatusGone:
		return billing.Missing
	case code == http.StatusConflict, code == http.StatusPreconditionFailed, code == http.StatusLocked:
		return billing.Conflict
	case code == http.StatusTooManyRequests:
		return billing.Limited
	case code == http.StatusRequestTimeout, code == http.StatusTooEarly, code == http.StatusProxyAuthRequired:
		return billing.Upstream
	case code >= 400 && code < 500:
		return billing.Invalid
	}
	return billing.Upstream // 5xx, and redirects that we do not follow
}

// retryAfter reads how long a cloud asks us to wait: seconds, or a date that is measured against the answer's own Date
// where it has one. It is 0 where the cloud names nothing.
func retryAfter(h http.Header, now time.Time) time.Duration {
	v := strings.TrimSpace(h.Get("Retry-After"))
	if v == "" {
		return 0
	}
	if s, err := strconv.ParseFloat(v, 64); err == nil {
		return max(0, time.Duration(min(s, 86400)*float64(time.Second)))
	}
	at, err := http.ParseTime(v)
	if err != nil {
		return 0
	}
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now = date
	}
	if now.IsZero() {
		return 0
	}
	return max(0, at.Sub(now))
}

// isPage says that an answer is a web page: a proxy's, or a cloud's that is down.
func isPage(h http.Header, body []byte) bool {
	if t, _, err := mime.ParseMediaType(h.Get("Content-Type")); err == nil && t == "text/html" {
		return true
	}
	return bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n\ufeff"), []byte("<"))
}
