package main

import (
	"go/build"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// ours lists the packages of this project that a build with some tags takes in, beginning with the program itself.
func ours(t *testing.T, tags ...string) []string {
	t.Helper()
	with := build.Default
	with.BuildTags = tags
	found := []string{"gpuspend/cmd/gpuspend"}
	for i := 0; i < len(found); i++ {
		p, err := with.ImportDir(filepath.Join(root, strings.TrimPrefix(found[i], "gpuspend/")), 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range p.Imports {
			if strings.HasPrefix(name, "gpuspend/") && !slices.Contains(found, name) {
				found = append(found, name)
			}
		}
	}
	if len(found) < 15 {
		t.Fatalf("found only %d packages: the walk is broken", len(found))
	}
	return found
}

// The build tag nodemo leaves the local Slack and the simulated clouds out, and only it does.
func TestNodemoLeavesTheDemoOut(t *testing.T) {
	demo := func(name string) bool {
		return strings.HasPrefix(name, "gpuspend/bot/localslack") || strings.HasPrefix(name, "gpuspend/billing/providers/sim")
	}
	for _, name := range ours(t, "nodemo") {
		if demo(name) {
			t.Errorf("a build with nodemo takes in %s", name)
		}
	}
	if n := len(slices.DeleteFunc(ours(t), func(name string) bool { return !demo(name) })); n != 2 {
		t.Errorf("a build without the tag takes in %d packages of the demo, want both: this test tests nothing", n)
	}
}

// What serve listens with knows nothing of the local Slack.
func TestServeHasNoRoutesOfTheDemo(t *testing.T) {
	r := newRig(t, Config{Accounts: toyAccounts("a")})
	if err := r.Poll(t.Context()); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(r.routes())
	defer server.Close()
	for path, want := range map[string]int{
		"/healthz": 200, "/": 404, "/local/": 404, "/local/state": 404, "/api/auth.test": 404, "/api/chat.postMessage": 404,
		"/api/apps.connections.open": 404, "/link": 404, "/response/x": 404, "/app.js": 404, "/slack": 404,
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			req, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := server.Client().Do(req)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			expected := want
			if path == "/healthz" && method == http.MethodPost {
				expected = http.StatusMethodNotAllowed
			}
			if resp.StatusCode != expected {
				t.Errorf("%s %s answers %d, want %d", method, path, resp.StatusCode, expected)
			}
		}
	}
}
