package email

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/http/httptest"
	"net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"gpuspend/billing"
	"gpuspend/notify"
	"gpuspend/notify/notifytest"
)

const password = "hunter2-smtp"

// server is a mail server of one page: STARTTLS, AUTH PLAIN, one mailbox.
type server struct {
	address  string
	tls      *tls.Config
	roots    *x509.CertPool
	mu       sync.Mutex
	answer   notifytest.Answer
	mails    []string
	insecure bool // offers no STARTTLS
	wrapped  bool // TLS from the start
}

// serve starts a server, which changes make another before it speaks.
func serve(t *testing.T, changes ...func(*server)) *server {
	web := httptest.NewTLSServer(nil) // for its certificate of 127.0.0.1
	t.Cleanup(web.Close)
	s := &server{tls: &tls.Config{Certificates: web.TLS.Certificates}, roots: x509.NewCertPool(), answer: notifytest.Fine}
	s.roots.AddCert(web.Certificate())
	for _, change := range changes {
		change(s)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.address = l.Addr().String()
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { s.talk(c) })
		}
	})
	t.Cleanup(func() { _ = l.Close(); all.Wait() })
	return s
}

func (s *server) dial(ctx context.Context, network, _ string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, network, s.address)
}

func (s *server) says() notifytest.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.answer
}

func (s *server) talk(c net.Conn) {
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	in, secure := bufio.NewReader(c), false
	if s.wrapped {
		c = tls.Server(c, s.tls)
		in, secure = bufio.NewReader(c), true
	}
	say := func(f string, args ...any) { _, _ = fmt.Fprintf(c, f+"\r\n", args...) }
	if s.says() == notifytest.Broken {
		return // hangs up
	}
	say("220 mail.example ESMTP")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch strings.ToUpper(word) {
		case "EHLO":
			say("250-mail.example")
			if !secure && !s.insecure {
				say("250-STARTTLS")
			}
			say("250 AUTH PLAIN")
		case "STARTTLS":
			say("220 go on")
			up := tls.Server(c, s.tls)
			if up.Handshake() != nil {
				return
			}
			c, in, secure = up, bufio.NewReader(up), true
		case "AUTH":
			plain, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(rest, "PLAIN "))
			if s.says() == notifytest.Revoked || string(plain) != "\x00bot\x00"+password {
				say("535 5.7.8 bad credentials %s", rest)
				continue
			}
			say("235 ok")
		case "RCPT":
			switch s.says() {
			case notifytest.Gone:
				say("550 5.1.1 no such mailbox")
			case notifytest.Limited:
				say("450 4.7.1 too many mails")
			default:
				say("250 ok")
			}
		case "DATA":
			say("354 go on")
			var b strings.Builder
			for {
				l, err := in.ReadString('\n')
				if err != nil {
					return
				}
				if l == ".\r\n" {
					break
				}
				b.WriteString(strings.TrimPrefix(l, "."))
			}
			s.mu.Lock()
			s.mails = append(s.mails, b.String())
			s.mu.Unlock()
			say("250 taken")
		case "QUIT":
			say("221 bye")
			return
		default:
			say("250 ok")
		}
	}
}

// parts reads subject, plain text and HTML of a mail.
func parts(raw string) (m *mail.Message, subject, plain, html string) {
	m, err := mail.ReadMessage(strings.NewReader(raw))
	if err != nil {
		return nil, "", err.Error(), ""
	}
	subject, _ = new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	_, params, _ := mime.ParseMediaType(m.Header.Get("Content-Type"))
	r := multipart.NewReader(m.Body, params["boundary"])
	for {
		p, err := r.NextRawPart()
		if err != nil {
			return m, subject, plain, html
		}
		text, _ := io.ReadAll(quotedprintable.NewReader(p))
		if strings.Contains(p.Header.Get("Content-Type"), "html") {
			html = string(text)
		} else {
			plain = string(text)
		}
	}
}

func (s *server) seen() []notifytest.Seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []notifytest.Seen
	for _, raw := range s.mails {
		_, _, plain, html := parts(raw)
		out = append(out, notifytest.Seen{Text: strings.ReplaceAll(plain, "\r\n", "\n"), Pings: strings.Contains(html, "<!channel>")})
	}
	return out
}

func start(t *testing.T) (notifytest.Fixture, *server) {
	s := serve(t)
	return notifytest.Fixture{
		Receiver: Server{Host: s.address, User: "bot", Password: billing.NewSecret(password), From: "gpuspend <bot@example.com>",
			Roots: s.roots, Now: time.Now, patience: 5 * time.Second},
		Target: "ops@example.com", Seen: s.seen, Secrets: []string{password, base64.StdEncoding.EncodeToString([]byte("\x00bot\x00" + password))},
		Answer: func(a notifytest.Answer) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.answer = a
		}}, s
}

func TestReceiver(t *testing.T) {
	notifytest.Run(t, func(t *testing.T) notifytest.Fixture { f, _ := start(t); return f })
}

func TestAMail(t *testing.T) {
	f, s := start(t)
	l := notifytest.Letter(f.Target)
	l.CreatedAt = time.Unix(1796087520, 0)
	l.Thread = "gpuspend-6-1796087000@example.com"
	l.Message.Blocks = append(l.Message.Blocks, notify.Grid(notify.Table{
		Columns: []notify.Column{{Title: "disk"}, {Title: "a month", Right: true}},
		Rows:    [][]notify.Rich{{notify.Code("<b>ckpt</b>"), notify.Plain("¥95")}},
	}), notify.Section(notify.Link("go", "javascript:alert(1)")))
	id, err := f.Receiver.Deliver(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	m, subject, plain, html := parts(s.mails[0])
	if subject != l.Message.Push || id != "gpuspend-7-1796087520@example.com" || m.Header.Get("Message-ID") != "<"+id+">" {
		t.Errorf("subject %q, id %q, header %q", subject, id, m.Header.Get("Message-ID"))
	}
	if m.Header.Get("In-Reply-To") != "<"+l.Thread+">" || m.Header.Get("Auto-Submitted") != "auto-generated" {
		t.Errorf("headers %v", m.Header)
	}
	if !strings.Contains(plain, "<b>ckpt</b> · ¥95") {
		t.Errorf("plain:\n%s", plain)
	}
	if !strings.Contains(html, "&lt;b&gt;ckpt&lt;/b&gt;") || strings.Contains(html, "javascript:") ||
		!strings.Contains(html, `<a href="https://console.example/billing">Top up ↗</a>`) {
		t.Errorf("html:\n%s", html)
	}
}

// On port 465 TLS begins at once.
func TestTLSFromTheStart(t *testing.T) {
	s := serve(t, func(s *server) { s.wrapped = true })
	mailer := Server{Host: "127.0.0.1:465", User: "bot", Password: billing.NewSecret(password), From: "bot@example.com", Roots: s.roots,
		Now: time.Now, patience: 2 * time.Second, Dial: s.dial}
	if _, err := mailer.Deliver(t.Context(), notifytest.Letter("ops@example.com")); err != nil || len(s.mails) != 1 {
		t.Errorf("%v, %d mails", err, len(s.mails))
	}
}

// A server elsewhere that offers no STARTTLS gets nothing: neither the password nor what the message says.
func TestNothingGoesInTheClear(t *testing.T) {
	s := serve(t, func(s *server) { s.insecure = true })
	mailer := Server{Host: "mail.example:587", User: "bot", Password: billing.NewSecret(password), From: "bot@example.com", Now: time.Now,
		patience: 2 * time.Second, Dial: s.dial}
	_, err := mailer.Deliver(t.Context(), notifytest.Letter("ops@example.com"))
	if err == nil || len(s.mails) != 0 {
		t.Errorf("%v, %d mails", err, len(s.mails))
	}
}

func TestAServerIsChecked(t *testing.T) {
	good := Server{Host: "smtp.example.com", From: "gpuspend <bot@example.com>"}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for _, bad := range []Server{
		{From: "bot@example.com"}, {Host: "smtp.example.com:x", From: "bot@example.com"},
		{Host: "smtp.example.com:587"}, {Host: "smtp.example.com:587", From: "bot"}, {Host: "smtp.example.com", From: good.From, User: "bot"},
	} {
		if bad.Check() == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}
