package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"
)

// line is the way to one account's cloud, and what was seen of it.
type line struct {
	test http.RoundTripper // in place of the network; nil but in tests
	mu   sync.Mutex
	last error         // of the request that failed last, nil where the last one was answered
	host string        // that it was for
	via  *url.URL      // the proxy that the environment names, nil for none
	at   bool          // whether anything was sent at all
	ans  bool          // whether anything was answered
	skew time.Duration // of the cloud's clock
	told bool          // whether the cloud told its time
}

// over puts itself before the network.
func (l *line) over(next http.RoundTripper) http.RoundTripper {
	if l.test != nil {
		next = l.test
	}
	return watched{l, next}
}

type watched struct {
	l    *line
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (w watched) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := w.next.RoundTrip(r)
	w.l.note(r, resp, err)
	return resp, err
}

func (l *line) note(r *http.Request, resp *http.Response, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last, l.host, l.at = err, r.URL.Hostname(), true
	l.via, _ = http.ProxyFromEnvironment(r)
	if err != nil {
		return
	}
	l.ans = true
	if t, bad := http.ParseTime(resp.Header.Get("Date")); bad == nil {
		l.skew, l.told = time.Since(t), true
	}
}

// begin forgets the last failure.
func (l *line) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = nil
}

// dead says that requests were sent and none was answered.
func (l *line) dead() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.at && !l.ans
}

// cause says what was wrong with the network at the last request, "" where it was answered.
func (l *line) cause() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return cause(l.last, l.host)
}

// cause names a failure of the network for whoever has to mend it.
func cause(err error, host string) string {
	var proxied *net.OpError
	var name *net.DNSError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &proxied) && proxied.Op == "proxyconnect":
		return "Proxy: " + reason(proxied.Err, "the proxy")
	case errors.As(err, &name):
		return "DNS: " + reason(err, host)
	}
	if why := certificate(err, host); why != "" {
		return "TLS: " + why
	}
	if text := err.Error(); refusal(text) {
		return fmt.Sprintf("Proxy: it answers %q to the wish for %s.", text, host)
	}
	return "Network: " + reason(err, host)
}

// reason says why a connection to something did not come about.
func reason(err error, what string) string {
	var name *net.DNSError
	var slow net.Error
	switch {
	case errors.As(err, &name):
		return fmt.Sprintf("no address is known for %s.", name.Name)
	case errors.Is(err, syscall.ECONNREFUSED):
		return what + " refuses connections."
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "no way leads to " + what + "."
	case errors.Is(err, syscall.ECONNRESET):
		return what + " cut the connection."
	case errors.As(err, &slow) && slow.Timeout():
		return what + " does not answer in time."
	}
	return "the connection to " + what + " failed."
}

// certificate says what is wrong with a server's TLS, "" for nothing.
func certificate(err error, host string) string {
	var unknown x509.UnknownAuthorityError
	var other x509.HostnameError
	var invalid x509.CertificateInvalidError
	var plain tls.RecordHeaderError
	var alert tls.AlertError
	switch {
	case errors.As(err, &unknown):
		return fmt.Sprintf("the certificate of %s is signed by nobody trusted here; where a proxy opens TLS, give its authority as ca_file.", host)
	case errors.As(err, &other):
		return fmt.Sprintf("the certificate that came is not for %s.", host)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return fmt.Sprintf("the certificate of %s is not valid at this time: is this machine's clock right?", host)
	case errors.As(err, &invalid):
		return fmt.Sprintf("the certificate of %s is not valid.", host)
	case errors.As(err, &plain):
		return host + " does not speak TLS."
	case errors.As(err, &alert):
		return fmt.Sprintf("%s ends the handshake: %s.", host, alert.Error())
	}
	return ""
}

// refusal says that a text is a status, which is how net/http tells what a proxy answered to CONNECT.
func refusal(text string) bool {
	for code := 400; code < 600; code++ {
		if s := http.StatusText(code); s != "" && strings.HasSuffix(text, s) {
			return true
		}
	}
	return false
}

// route says which way the requests took.
func (w *ward) route() string {
	w.line.mu.Lock()
	defer w.line.mu.Unlock()
	if w.Config.Proxy != "" {
		u, err := url.Parse(w.Config.Proxy)
		if err != nil {
			return "through a proxy"
		}
		return "through proxy " + u.Host // its user and password are nobody's business
	}
	if w.line.via != nil {
		return "through proxy " + w.line.via.Host + ", as the environment says"
	}
	return "without a proxy"
}

func (w *ward) clock(bad *int) string {
	w.line.mu.Lock()
	defer w.line.mu.Unlock()
	if !w.line.told {
		return ""
	}
	skew := w.line.skew.Round(time.Second)
	if skew.Abs() > skewMost {
		*bad++
		return fmt.Sprintf(", its clock is %s from ours: set ours, or signatures will be refused", skew.Abs())
	}
	return ", clocks agree"
}
