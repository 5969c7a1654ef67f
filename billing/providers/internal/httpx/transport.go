package httpx

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"
)

// TransportConfig is an account's way to the network.
type TransportConfig struct {
	Proxy  string // URL of an HTTP(S) or SOCKS5 proxy; "" takes the environment's (HTTPS_PROXY, NO_PROXY)
	CAFile string // PEM file of certificates trusted beside the system's; "" for none
}

// Transport makes the network's end of the chain, with time limits on every step. It fails where the proxy is no URL
// or the CA file cannot be read; the error does not repeat the proxy, whose URL may hold a password.
func Transport(c TransportConfig) (http.RoundTripper, error) {
	t := plainTransport()
	if c.Proxy != "" {
		u, err := url.Parse(c.Proxy)
		if err != nil || u.Host == "" {
			return nil, errors.New("proxy: not a URL; write it like http://proxy.example:3128")
		}
		t.Proxy = http.ProxyURL(u)
	}
	if c.CAFile != "" {
		pool, err := trusted(c.CAFile)
		if err != nil {
			return nil, err
		}
		t.TLSClientConfig.RootCAs = pool
	}
	return t, nil
}

func plainTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           dialer.DialContext,
		ForceAttemptHTTP2:     true,
		TLSClientConfig:       &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:   10 * time.Second,
		ResponseHeaderTimeout: 45 * time.Second,
		IdleConnTimeout:       90 * time.Second,
		MaxIdleConns:          32,
		MaxIdleConnsPerHost:   4,
	}
}

// trusted adds a file's certificates to the system's.
func trusted(file string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read CA file: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("read CA file: %s holds no PEM certificate", file)
	}
	return pool, nil
}
