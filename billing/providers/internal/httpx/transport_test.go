package httpx_test

import (
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/httpx"
)

func TestExtraCA(t *testing.T) {
	cloud := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }))
	cloud.Config.ErrorLog = log.New(io.Discard, "", 0) // it complains about the client that does not trust it
	cloud.StartTLS()
	defer cloud.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cloud.Certificate().Raw})
	if err := os.WriteFile(file, block, 0o600); err != nil {
		t.Fatal(err)
	}
	ask := func(c httpx.TransportConfig) error {
		rt, err := httpx.Transport(c)
		if err != nil {
			t.Fatal(err)
		}
		req, err := httpx.NewRequest(t.Context(), "GET", cloud.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		client := httpx.New(httpx.Options{Transport: rt, Retry: httpx.Retry{Attempts: 1}})
		return httpx.JSON(client, "test", httpx.Read(req), nil)
	}
	if err := ask(httpx.TransportConfig{CAFile: file}); err != nil {
		t.Errorf("with its CA: %v", err)
	}
	if err := ask(httpx.TransportConfig{}); billing.KindOf(err) != billing.Upstream {
		t.Errorf("without its CA: %v, want Upstream", err)
	}
}

func TestProxy(t *testing.T) {
	var seen string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = r.URL.String()
		w.WriteHeader(204)
	}))
	defer proxy.Close()
	rt, err := httpx.Transport(httpx.TransportConfig{Proxy: proxy.URL})
	if err != nil {
		t.Fatal(err)
	}
	req, err := httpx.NewRequest(t.Context(), "GET", "http://cloud.example/v2/pods", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := httpx.JSON(httpx.New(httpx.Options{Transport: rt}), "test", httpx.Read(req), nil); err != nil || seen != "http://cloud.example/v2/pods" {
		t.Errorf("the proxy saw %q, %v", seen, err)
	}
}

func TestTransportFaults(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []httpx.TransportConfig{
		{Proxy: "http://user:hunter2@:bad port"}, {Proxy: "proxy.example"}, {CAFile: empty}, {CAFile: empty + ".missing"},
	} {
		_, err := httpx.Transport(c)
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%+v gives %v", c, err)
		}
	}
}
