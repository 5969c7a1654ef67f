package main

import (
	"strings"

	"gpuspend/notify"
	"gpuspend/notify/rules"
	"gpuspend/notify/words"
)

// newPipeline joins rules, words, outbox and receivers.
func (a *App) newPipeline(p *present) (*notify.Pipeline, error) {
	receivers := map[string]notify.Receiver{}
	var routes []notify.Route
	if a.chat != nil {
		receivers["slack"] = a.chat.Receiver()
		routes = p.routes()
	}
	return notify.New(notify.Options{Rules: rules.All(), Log: a.db, Writer: words.Writer{Book: a.words}, Routes: routes,
		Receivers: receivers, Now: a.o.Now, Logger: a.o.Log})
}

// routes reads where messages go. Shared places have the configured language; a person's own is looked up when he asks.
func (p *present) routes() []notify.Route {
	var list []notify.Route
	for _, r := range p.config.Routes {
		receiver, target, _ := strings.Cut(r.To, ":")
		lang := r.Language
		if lang == "" {
			lang = p.in.lang
		}
		list = append(list, notify.Route{Name: r.To, Receiver: receiver, Target: target, Lang: lang})
	}
	return list
}
