package localslack_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestNodeSDK lets Slack's own client judge the workspace: one that only slack-go can talk to proves little.
func TestNodeSDK(t *testing.T) {
	dir := os.Getenv("GPUSPEND_NODE_SDK")
	if dir == "" {
		t.Skip("GPUSPEND_NODE_SDK names no folder with Slack's Node SDK; run npm install on testdata/sdk/package.json and set it to check against that SDK")
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("there is no node to run Slack's Node SDK with")
	}
	b := open(t, options())
	script, err := filepath.Abs(filepath.Join("testdata", "sdk", "check.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GPUSPEND_SLACK="+b.url)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("Slack's Node SDK: %v\n%s", err, out)
	}
}
