// Package email delivers letters by SMTP, over TLS.
package email

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"strconv"
	"time"

	"github.com/wneessen/go-mail"

	"gpuspend/billing"
	"gpuspend/notify"
	"gpuspend/notify/markup"
)

// Server is a mail server that takes our letters. The port decides how TLS begins: 465 at once, every other by STARTTLS,
// without which nothing is sent; a server on this machine's loopback may go without.
type Server struct {
	Host     string // "smtp.example.com:587"; without a port, 587
	User     string // "" for a server that asks for none
	Password billing.Secret
	From     string         // "gpuspend <gpuspend@example.com>"
	Roots    *x509.CertPool // trusted beside the system's; nil for none
	Now      func() time.Time
	Dial     func(ctx context.Context, network, address string) (net.Conn, error) // nil for the network
	patience time.Duration
}

// Check says what is wrong with the server's configuration.
func (s Server) Check() error {
	host, port, err := s.address()
	switch {
	case err != nil:
		return err
	case host == "" || port <= 0 || port > 65535:
		return fmt.Errorf("%q is no mail server; write it like smtp.example.com:587", s.Host)
	case s.User != "" && s.Password.Empty():
		return errors.New("a user needs a password")
	}
	if err := mail.NewMsg().From(s.From); err != nil {
		return fmt.Errorf("%q is no sender; write it like gpuspend <gpuspend@example.com>", s.From)
	}
	return nil
}

// CheckTo says whether a target is an address that mail can go to.
func CheckTo(target string) error {
	if err := mail.NewMsg().To(target); err != nil {
		return fmt.Errorf("%q is no mail address", target)
	}
	return nil
}

// Deliver sends a letter to the mail address that is its target. The receipt is the Message-ID, which is the same at
// every attempt, so that mail programs show a repeated one once; letters about the same thing form a thread. Mail can't
// be edited: what replaces a message that was heard already is not said again.
func (s Server) Deliver(ctx context.Context, l notify.Letter) (string, error) {
	if l.Edits != "" {
		return l.Edits, nil
	}
	m, id, err := s.message(l)
	if err != nil {
		return "", &billing.Error{Kind: billing.Invalid, Op: "email: write", Err: err}
	}
	line := &line{server: s}
	defer line.hangUp()
	client, err := s.client(line)
	if err != nil {
		return "", &billing.Error{Kind: billing.Invalid, Op: "email: send", Err: err}
	}
	if err := client.DialWithContext(ctx); err != nil {
		return "", failed("email: connect", err)
	}
	defer client.Close()
	if err := client.Send(m); err != nil {
		return "", failed("email: send", err)
	}
	return id, nil
}

func (s Server) message(l notify.Letter) (*mail.Msg, string, error) {
	m := mail.NewMsg()
	if err := m.From(s.From); err != nil {
		return nil, "", err
	}
	if err := m.To(l.Route.Target); err != nil {
		return nil, "", err
	}
	id := fmt.Sprintf("gpuspend-%d-%d@%s", l.ID, l.CreatedAt.Unix(), domain(s.From))
	m.Subject(l.Message.Push)
	m.SetDateWithValue(s.Now())
	m.SetMessageIDWithValue(id)
	m.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: no out-of-office answers
	if l.Thread != "" {
		m.SetGenHeader(mail.HeaderInReplyTo, "<"+l.Thread+">")
		m.SetGenHeader(mail.HeaderReferences, "<"+l.Thread+">")
	}
	m.SetBodyString(mail.TypeTextPlain, markup.Text(l.Message, markup.Plain(), 0))
	t, data, err := page(l.Message, l.Route.Lang)
	if err == nil {
		err = m.AddAlternativeHTMLTemplate(t, data)
	}
	return m, id, err
}

// line is the connection of one letter. It ends when the letter is done: the library
// leaves it open where a server refuses TLS or the password.
type line struct {
	server Server
	conn   net.Conn
}

func (l *line) dial(ctx context.Context, network, address string) (net.Conn, error) {
	dial := l.server.Dial
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	conn, err := dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	l.conn = conn
	if host, port, _ := l.server.address(); port == tlsPort {
		conn = tls.Client(conn, l.server.tls(host))
	}
	return conn, nil
}

func (l *line) hangUp() {
	if l.conn != nil {
		_ = l.conn.Close()
	}
}

// tlsPort is where TLS begins at once.
const tlsPort = 465

func (s Server) tls(host string) *tls.Config {
	return &tls.Config{ServerName: host, RootCAs: s.Roots, MinVersion: tls.VersionTLS12}
}

func (s Server) client(l *line) (*mail.Client, error) {
	host, port, err := s.address()
	if err != nil {
		return nil, err
	}
	wait := s.patience
	if wait == 0 {
		wait = 20 * time.Second
	}
	options := []mail.Option{mail.WithPort(port), mail.WithTimeout(wait), mail.WithHELO("gpuspend"),
		mail.WithTLSConfig(s.tls(host)), mail.WithDialContextFunc(l.dial)}
	switch {
	case port == tlsPort, loopback(host): // the connection is of TLS already, or never leaves the machine
		options = append(options, mail.WithTLSPolicy(mail.TLSOpportunistic))
	default:
		options = append(options, mail.WithTLSPolicy(mail.TLSMandatory))
	}
	if s.User != "" {
		options = append(options, mail.WithSMTPAuth(mail.SMTPAuthAutoDiscover), mail.WithUsername(s.User), mail.WithPassword(s.Password.Reveal()))
	}
	return mail.NewClient(host, options...)
}

func (s Server) address() (host string, port int, err error) {
	host, text, err := net.SplitHostPort(s.Host)
	if err != nil {
		return s.Host, 587, nil // without a port
	}
	port, err = strconv.Atoi(text)
	if err != nil {
		return "", 0, fmt.Errorf("%q is no mail server; write it like smtp.example.com:587", s.Host)
	}
	return host, port, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// failed sorts a failure by the server's reply code (RFC 5321, 4.2.3). The server's words are left out: some quote what
// they were given.
func failed(op string, err error) error {
	code := 0
	var sent *mail.SendError
	var reply *textproto.Error
	if errors.As(err, &sent) {
		code = sent.ErrorCode()
	}
	if code == 0 && errors.As(err, &reply) {
		code = reply.Code
	}
	out := &billing.Error{Kind: billing.Upstream, Op: op, Err: fmt.Errorf("reply %d", code)}
	switch {
	case code == 0:
		out.Err = errors.New("no answer from the mail server")
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			out.Err = errors.New("nobody waited for the mail server")
		}
	case code == 530, code == 534, code == 535, code == 538:
		out.Kind = billing.Auth
	case code == 450 || code == 451 || code == 452 || code == 421:
		out.Kind = billing.Limited
		out.RetryAfter = time.Minute
	case code == 550, code == 551, code == 553:
		out.Kind = billing.Missing // no such mailbox
	case code >= 500:
		out.Kind = billing.Invalid
	}
	return out
}
