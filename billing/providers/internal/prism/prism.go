// Package prism holds a client's requests, and what it makes of answers, against a cloud's OpenAPI document, played by
// Prism (github.com/stoplightio/prism).
package prism

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Tool is the environment variable that names the folder in which @stoplight/prism-cli was installed.
const Tool = "GPUSPEND_PRISM"

// Mock is a cloud that Prism plays from its document: it answers each documented request with the document's example
// and names what is wrong with any other. It is an http.RoundTripper, to be used as billing.Env.Transport.
type Mock struct {
	tb      testing.TB
	at      *url.URL
	answers bool // whether answers are judged: the documents' own examples break their documents
	mu      sync.Mutex
	may     []string // paths that the document lacks
	code    map[string]string
}

// Start starts Prism over a document of the shared folder, given by its name. It skips the test where the tool or the
// folder is absent, and in short mode.
func Start(tb testing.TB, document string) *Mock {
	tb.Helper()
	return start(tb, "mock", document)
}

// Before starts Prism in front of a fake of the cloud: the fake's answers are held against the document too, as far as
// they go. Fakes leave out what nobody reads, so that what is missing is no finding.
func Before(tb testing.TB, document string, fake http.Handler) *Mock {
	tb.Helper()
	s := httptest.NewServer(fake)
	tb.Cleanup(s.Close)
	m := start(tb, "proxy", document, s.URL)
	m.answers = true
	return m
}

func start(tb testing.TB, mode, document string, upstream ...string) *Mock {
	tb.Helper()
	root, err := filepath.Abs("../../../../shared/providers/specs") // of a test in billing/providers/<cloud>
	if err != nil {
		tb.Fatal(err)
	}
	cli := filepath.Join(os.Getenv(Tool), "node_modules", "@stoplight", "prism-cli", "dist", "index.js")
	switch _, missing := os.Stat(filepath.Join(root, document)); {
	case testing.Short():
		tb.Skip("Prism takes seconds to start")
	case os.Getenv(Tool) == "":
		tb.Skip("Prism is not installed: " + Tool + " names no folder")
	case missing != nil:
		tb.Skip("../shared has no " + document)
	}
	if _, err := os.Stat(cli); err != nil {
		tb.Fatalf("%s names a folder without Prism: %v", Tool, err)
	}
	for range 3 { // another test may take the port before Prism does
		port := free(tb)
		args := append([]string{cli, mode, "-h", "127.0.0.1", "-p", port, "-v", "silent", filepath.Join(root, document)}, upstream...)
		m := &Mock{tb: tb, at: &url.URL{Scheme: "http", Host: "127.0.0.1:" + port}, code: map[string]string{}}
		if m.run(exec.Command("node", args...)) {
			return m
		}
	}
	tb.Fatal("Prism does not start")
	return nil
}

// run starts Prism and waits until it answers; false where it ended, or did not answer in 40 s.
func (m *Mock) run(c *exec.Cmd) bool {
	m.tb.Helper()
	if err := c.Start(); err != nil {
		m.tb.Fatalf("start Prism: %v", err)
	}
	ended := make(chan struct{})
	go func() { _ = c.Wait(); close(ended) }()
	m.tb.Cleanup(func() {
		_ = c.Process.Kill()
		<-ended
	})
	for range 800 {
		if m.speaks() {
			return true
		}
		select {
		case <-ended:
			return false
		case <-time.After(50 * time.Millisecond):
		}
	}
	return false
}

// speaks says that it is Prism who listens: it has something against a path that no document knows.
func (m *Mock) speaks() bool {
	resp, err := http.Get(m.at.String() + "/no-such-path")
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	return resp.Header.Get("Sl-Violations") != "" || bytes.Contains(body, []byte("stoplight.io/prism/errors"))
}

// free finds a port that nobody listens on.
func free(tb testing.TB) string {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	if err := l.Close(); err != nil {
		tb.Fatal(err)
	}
	return port
}

// Lacks names paths that the document does not know although the cloud does, by the beginning: they answer 404.
func (m *Mock) Lacks(paths ...string) { m.may = append(m.may, paths...) }

// Prefer asks for the document's answer of a status for one method and path, such as "GET /v2/pods", "429".
func (m *Mock) Prefer(route, code string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.code[route] = code
}

// RoundTrip sends a request to Prism. A slash at the end of a path is left out, for documents have none.
func (m *Mock) RoundTrip(r *http.Request) (*http.Response, error) {
	out := r.Clone(r.Context())
	out.URL.Scheme, out.URL.Host, out.Host = m.at.Scheme, m.at.Host, ""
	out.URL.Path = strings.TrimSuffix(out.URL.Path, "/")
	out.URL.RawPath = strings.TrimSuffix(out.URL.RawPath, "/")
	route := r.Method + " " + out.URL.Path
	m.mu.Lock()
	code := m.code[route]
	m.mu.Unlock()
	if code != "" {
		out.Header.Set("Prefer", "code="+code)
		out.Header.Set("Accept", "*/*") // Prism gives an error only where the request accepts its form
	}
	resp, err := http.DefaultTransport.RoundTrip(out)
	if err != nil {
		return nil, err
	}
	if err := m.judge(route, resp); err != nil {
		m.tb.Error(err)
	}
	return resp, nil
}

// finding is one thing that Prism found wrong with a request or an answer.
type finding struct {
	Location      []string
	Code, Message string
}

// counts says whether a finding is one: of answers, what is missing is not, and neither is that the null of an
// alternative does not fit, which Prism tells of every alternative with something missing.
func (m *Mock) counts(f finding) bool {
	switch {
	case len(f.Location) == 0 || f.Location[0] == "request":
		return true
	case !m.answers || f.Code == "required" || f.Code == "anyOf" || f.Code == "oneOf":
		return false
	}
	return !strings.HasSuffix(f.Message, "must be null")
}

// judge reads what Prism found wrong.
func (m *Mock) judge(route string, resp *http.Response) error {
	_, path, _ := strings.Cut(route, " ")
	if slices.ContainsFunc(m.may, func(p string) bool { return strings.HasPrefix(path, p) }) {
		return nil
	}
	var found []finding
	if v := resp.Header.Get("Sl-Violations"); v != "" && json.Unmarshal([]byte(v), &found) != nil {
		return fmt.Errorf("%s: Prism's finding can't be read: %s", route, v)
	}
	for _, f := range found {
		if m.counts(f) {
			return fmt.Errorf("%s: the document says otherwise: %s: %s", route, strings.Join(f.Location, "."), f.Message)
		}
	}
	return m.refused(route, resp)
}

// refused says that Prism answered for itself.
func (m *Mock) refused(route string, resp *http.Response) error {
	body, err := io.ReadAll(resp.Body)
	resp.Body = io.NopCloser(bytes.NewReader(body))
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", route, err)
	case !bytes.Contains(body, []byte("stoplight.io/prism/errors")):
		return nil
	}
	return fmt.Errorf("%s: Prism refuses it: %s", route, body)
}
