package slack

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"
)

// maxBody is far above what Slack sends; a longer body is nobody's form.
const maxBody = 1 << 20

// Handler takes in what Slack sends over HTTP, for installations without Socket Mode: slash commands, interactions and
// events at one address. A request without a good signature, or older than five minutes, is refused. Run must run.
func (c *Client) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			http.Error(w, "POST only", http.StatusMethodNotAllowed)
			return
		}
		body, err := c.verified(r)
		if err != nil {
			c.o.Log.Warn("slack: request refused", "error", err)
			http.Error(w, "signature refused", http.StatusUnauthorized)
			return
		}
		in, challenge, err := parse(r, body)
		switch {
		case err != nil:
			c.o.Log.Warn("slack: request not understood", "error", err)
			http.Error(w, "not understood", http.StatusBadRequest)
		case challenge != "":
			_, _ = io.WriteString(w, challenge)
		default:
			c.takeHTTP(w, r, in)
		}
	})
}

// verified reads the body and checks who signed it.
func (c *Client) verified(r *http.Request) ([]byte, error) {
	if c.o.SigningSecret.Empty() {
		return nil, errors.New("no signing secret is configured")
	}
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxBody))
	if err != nil {
		return nil, err
	}
	v, err := slack.NewSecretsVerifier(r.Header, c.o.SigningSecret.Reveal())
	if err != nil {
		return nil, err
	}
	if _, err = v.Write(body); err != nil {
		return nil, err
	}
	return body, v.Ensure()
}

// parse reads one delivery. A challenge is Slack's test of the address.
func parse(r *http.Request, body []byte) (in incoming, challenge string, err error) {
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		return parseEvent(body)
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return in, "", err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if form.Has("payload") {
		i, err := slack.InteractionCallbackParse(r)
		return incoming{id: i.TriggerID, interaction: &i}, "", err
	}
	s, err := slack.SlashCommandParse(r)
	if err == nil && s.Command == "" {
		err = errors.New("neither a command nor a payload")
	}
	return incoming{id: s.TriggerID, command: &s}, "", err
}

func parseEvent(body []byte) (incoming, string, error) {
	e, err := slackevents.ParseEvent(body, slackevents.OptionNoVerifyToken())
	if err != nil {
		return incoming{}, "", err
	}
	if e.Type == slackevents.URLVerification {
		var v struct {
			Challenge string `json:"challenge"`
		}
		err = json.Unmarshal(body, &v)
		return incoming{}, v.Challenge, err
	}
	return incoming{event: &e}, "", nil
}

// takeHTTP answers with the acknowledgement.
func (c *Client) takeHTTP(w http.ResponseWriter, r *http.Request, in incoming) {
	acks := make(chan any, 1)
	in.ack = func(payload any) error {
		select {
		case acks <- payload:
		default:
		}
		return nil
	}
	c.take(in)
	t := time.NewTimer(submitTimeout + 500*time.Millisecond)
	defer t.Stop()
	select {
	case payload := <-acks:
		if payload == nil {
			w.WriteHeader(http.StatusOK)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(payload); err != nil {
			c.o.Log.Warn("slack: not acknowledged", "error", err)
		}
	case <-t.C:
		w.WriteHeader(http.StatusOK)
	case <-r.Context().Done():
	}
}
