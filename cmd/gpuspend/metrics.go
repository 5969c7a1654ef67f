package main

import (
	"context"
	"math"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"gpuspend/billing"
	"gpuspend/notify"
)

// measures makes /metrics from the store at every question, so that a figure is never older than what it measures.
type measures struct {
	app                                   *App
	paid, paidCost, budget, age, bad, box *prometheus.Desc
}

func newMeasures(a *App) *measures {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("gpuspend_"+name, help, labels, nil)
	}
	return &measures{app: a,
		paid:     desc("paid_requests", "Requests for which clouds charge, counted by attempt, on the UTC day and in the UTC month of now.", "span"),
		paidCost: desc("paid_requests_cost_usd", "What those requests cost, in USD.", "span"),
		budget:   desc("paid_requests_budget_usd", "The most that they may cost in a UTC day, in USD."),
		age:      desc("reading_age_seconds", "Time since the oldest complete reading of its kind.", "account", "of"),
		bad:      desc("readings_failing", "Readings whose last attempt failed.", "account"),
		box:      desc("outbox_letters", "Messages that are not delivered yet."),
	}
}

// Describe implements prometheus.Collector.
func (m *measures) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{m.paid, m.paidCost, m.budget, m.age, m.bad, m.box} {
		out <- d
	}
}

// Collect implements prometheus.Collector. A figure that can't be read fails the whole answer: nothing is shown as zero.
func (m *measures) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	v, err := m.app.Look(ctx)
	if err != nil {
		out <- prometheus.NewInvalidMetric(m.paid, err)
		return
	}
	gauge := func(d *prometheus.Desc, x float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, x, labels...)
	}
	gauge(m.paid, float64(v.Paid.Today.Calls), "day")
	gauge(m.paid, float64(v.Paid.Month.Calls), "month")
	gauge(m.paidCost, amount(v.Paid.Today.Cost), "day")
	gauge(m.paidCost, amount(v.Paid.Month.Cost), "month")
	gauge(m.budget, amount(v.Paid.Daily))
	for _, a := range v.Accounts {
		if m.app.watches(a.ID) {
			m.account(v, a, gauge)
		}
	}
	letters, err := m.app.db.Due(ctx, v.Now.Add(24*time.Hour))
	if err != nil {
		out <- prometheus.NewInvalidMetric(m.box, err)
		return
	}
	gauge(m.box, float64(len(letters)))
}

// account measures how old an account's readings are. What was never read has no age.
func (m *measures) account(v notify.View, a notify.AccountView, gauge func(*prometheus.Desc, float64, ...string)) {
	oldest, failing := map[string]time.Time{}, 0
	for _, r := range a.Readings {
		if r.Failing() {
			failing++
		}
		if had, ok := oldest[string(r.Of)]; !r.CompleteAt.IsZero() && (!ok || r.CompleteAt.Before(had)) {
			oldest[string(r.Of)] = r.CompleteAt
		}
	}
	for of, at := range oldest {
		gauge(m.age, v.Now.Sub(at).Seconds(), a.Name, of)
	}
	gauge(m.bad, float64(failing), a.Name)
}

// amount is an amount as Prometheus has it; NaN when unknown.
func amount(m billing.Money) float64 {
	d, err := billing.ParseDecimal(m.Amount())
	if err != nil {
		return math.NaN()
	}
	return d.Float64()
}

// metrics answers what Prometheus asks.
func (a *App) metrics() http.Handler {
	r := prometheus.NewRegistry()
	r.MustRegister(newMeasures(a))
	return promhttp.HandlerFor(r, promhttp.HandlerOpts{})
}
