package main

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"time"

	"gpuspend/billing/providers"
	"gpuspend/bot/slack"
	"gpuspend/notify"
	"gpuspend/notify/dingtalk"
	"gpuspend/notify/email"
	"gpuspend/notify/feishu"
	"gpuspend/notify/webhook"
	"gpuspend/notify/wecom"
	"gpuspend/notify/words"
)

// The kinds of receivers beside the Slack app.
const (
	kindSlackWebhook = "slack_webhook"
	kindWeCom        = "wecom"
	kindDingTalk     = "dingtalk"
	kindFeishu       = "feishu"
	kindWebhook      = "webhook"
	kindEmail        = "email"
)

// checked is a receiver that can say what is wrong with its configuration.
type checked interface {
	notify.Receiver
	Check() error
}

// patience is how long a robot may take to answer.
const patience = 15 * time.Second

// speech is what a receiver needs to speak.
type speech struct {
	words *words.Book
	zone  *time.Location
	now   func() time.Time
}

// open opens one way to be warned. It calls nobody.
func (r ReceiverConfig) open(ctx context.Context, s speech) (checked, error) {
	url, err1 := r.URL.Reveal(ctx)
	secret, err2 := r.Secret.Reveal(ctx)
	password, err3 := r.Password.Reveal(ctx)
	transport, err4 := providers.Transport(r.Proxy, r.CAFile)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return nil, err
	}
	client := &http.Client{Transport: transport, Timeout: patience}
	switch r.Kind {
	case kindSlackWebhook:
		return slack.Incoming{URL: url, Client: client, Words: s.words, Zone: s.zone, Now: s.now}, nil
	case kindWeCom:
		return wecom.Robot{URL: url, Client: client, Now: s.now}, nil
	case kindDingTalk:
		return dingtalk.Robot{URL: url, Secret: secret, Client: client, Now: s.now}, nil
	case kindFeishu:
		return feishu.Bot{URL: url, Secret: secret, Client: client, Now: s.now}, nil
	case kindWebhook:
		return webhook.Hook{URL: url, Secret: secret, Client: client, Now: s.now}, nil
	case kindEmail:
		roots, err := authorities(r.CAFile)
		return email.Server{Host: r.Server, User: r.User, Password: password, From: r.From, Roots: roots, Now: s.now}, err
	}
	return nil, fmt.Errorf("%q is no kind of receiver", r.Kind)
}

// authorities are the system's and those of a PEM file; nil for the system's alone.
func authorities(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s holds no certificate", file)
	}
	return pool, nil
}

// receivers judges every receiver, each key of it and whether its kind needs it.
func (k *checker) receivers(c Config) {
	for _, name := range slices.Sorted(maps.Keys(c.Receivers)) {
		r, path := c.Receivers[name], "receivers."+name
		if name == slackApp {
			k.wrong(path, "slack is the Slack app; take another name")
		}
		k.receiver(path, r)
	}
}

func (k *checker) receiver(path string, r ReceiverConfig) {
	kinds := map[string]bool{kindSlackWebhook: true, kindWeCom: true, kindDingTalk: true, kindFeishu: true, kindWebhook: true, kindEmail: true}
	if !kinds[r.Kind] {
		k.wrong(path+".kind", "%q is no kind of receiver; it is slack_webhook, wecom, dingtalk, feishu, webhook or email", r.Kind)
		return
	}
	before := len(k.problems)
	k.secret(path+".url", r.URL)
	k.secret(path+".secret", r.Secret)
	k.secret(path+".password", r.Password)
	if r.Kind != kindEmail && !r.URL.Given() {
		k.wrong(path+".url", "a %s needs its address; it is a secret, so name where it is: ${NAME}, {file: …} or {exec: …}", r.Kind)
	}
	if len(k.problems) > before {
		return
	}
	receiver, err := r.open(k.ctx, speech{})
	if err == nil {
		err = receiver.Check()
	}
	if err != nil {
		k.wrong(path, "%v", err)
	}
}
