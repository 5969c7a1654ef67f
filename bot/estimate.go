package bot

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/estimate"
	"gpuspend/billing/ledger"
	"gpuspend/notify"
	"gpuspend/notify/words"
)

// estimateExample is the question that mistakes are answered with.
const estimateExample = "estimate 8xA100-80G 30h disk=1TB egress=100GB"

// Prices are what estimates are made from.
type Prices struct {
	Book     *estimate.Book
	Currency billing.Currency                     // shown first
	Rates    map[billing.Currency]billing.Decimal // into Currency
	Names    map[string]string                    // of clouds, where the book's word is none for people
}

// estimateCommand answers what something will cost, everywhere, with the whole bill.
func estimateCommand(ctx context.Context, d *Desk, r Request) (Answer, error) {
	if d.Prices == nil {
		return headedAnswer(r.Print, "estimate.no_book"), nil
	}
	prices, err := d.Prices(ctx)
	if err != nil {
		return Answer{}, err
	}
	line, parts := withoutParts(r.Words)
	q, err := estimate.Parse(line, estimate.Known{Cards: prices.Book.Cards(), Providers: prices.Book.Providers(), Currency: prices.Currency}, r.Now, r.Zone)
	if err != nil {
		return Answer{}, mistaken(r.Print, r.Words, err)
	}
	q.Currency, q.Rates = prices.Currency, prices.Rates
	measured := !q.Used.Known()
	if measured {
		if q.Used, err = d.ran(ctx, q.GPU, r.Now); err != nil {
			return Answer{}, err
		}
	}
	quote, err := prices.Book.Estimate(q, r.Now)
	if errors.Is(err, estimate.ErrNothing) {
		return nothing(r.Print, quote, prices), nil
	}
	if err != nil {
		return Answer{}, err
	}
	w := quoteWriter{p: r.Print, q: quote, line: "estimate " + strings.Join(line, " "), measured: measured, prices: prices}
	a := Answer{Data: estimateData(quote), Message: w.message(parts), AsOf: oldestPrice(quote)}
	return a, nil
}

// withoutParts takes out the word that asks for the parts of every row.
func withoutParts(in []string) (line []string, parts bool) {
	for _, w := range in {
		if slices.Contains([]string{"parts", "details", "明细"}, fold1(w)) {
			parts = true
			continue
		}
		line = append(line, w)
	}
	return line, parts
}

// oldestPrice is the oldest reading that the verdict rests on.
func oldestPrice(q estimate.Quote) time.Time {
	var oldest time.Time
	for _, o := range q.Options {
		if o.Standing == estimate.Sound && (oldest.IsZero() || o.AsOf.Before(oldest)) {
			oldest = o.AsOf
		}
	}
	return oldest
}

func headedAnswer(p words.Printer, key string, args ...any) Answer {
	a := say(p, key, args...)
	a.Data, a.Failed = EstimateData{Rows: []EstimateRow{}, BreakEven: []BreakEvenRow{}, LeftOut: []LeftOutRow{}}, true
	return a
}

// mistaken says which word was not understood, and what it may have meant.
func mistaken(p words.Printer, line []string, err error) error {
	var m *estimate.Mistake
	if !errors.As(err, &m) {
		return err
	}
	args := []any{"word", echoed(m.Word), "words", choices(m.Choices)}
	for _, name := range []string{"name", "example"} {
		if s, ok := m.Say.Args[name]; ok {
			args = append(args, name, s)
		}
	}
	key := m.Say.Key
	if len(m.Choices) > 0 && slices.Contains([]string{"estimate.words.card", "estimate.words.word", "estimate.words.option"}, key) {
		key += "_of"
	}
	return unclear(p, key, corrected(m, line), args...)
}

// corrected is the line with the mistaken word replaced, where there is one choice, or by the first of several; an
// example where nothing was understood.
func corrected(m *estimate.Mistake, line []string) string {
	if m.Say.Key == "estimate.words.no_hours" {
		return strings.Join(append([]string{"estimate"}, line...), " ") + " 30h"
	}
	if len(m.Choices) == 0 {
		return estimateExample
	}
	out, done := []string{"estimate"}, false
	for _, w := range line {
		if i := strings.Index(strings.ToLower(w), strings.ToLower(m.Word)); i >= 0 && !done && m.Word != "" && i+len(m.Word) <= len(w) {
			w, done = w[:i]+m.Choices[0]+w[i+len(m.Word):], true
		}
		out = append(out, w)
	}
	if !done {
		return estimateExample
	}
	return strings.Join(out, " ")
}

// choices keeps a list short enough to read.
func choices(all []string) []string {
	const most = 12
	if len(all) > most {
		return append(slices.Clone(all[:most]), "…")
	}
	return all
}

// nothing says that no price fits, and what there is instead.
func nothing(p words.Printer, q estimate.Quote, prices Prices) Answer {
	what := q.Cards.String() + "×" + q.GPU
	a := headedAnswer(p, "estimate.nothing", "what", what, "cards", choices(prices.Book.Cards()))
	a.Data = estimateData(q)
	if left := leftOutLine(p, q); left != "" {
		a.Message.Blocks = append(a.Message.Blocks, notify.Context(left))
	}
	return a
}

// measuredOver is how far back the team's own use is looked at.
const measuredOver = 30 * 24 * time.Hour

// ran is how many hours of the last 30 days at least one machine with a card ran, as we saw it; unknown where none did.
func (d *Desk) ran(ctx context.Context, gpu string, now time.Time) (billing.Decimal, error) {
	if d.Book == nil {
		return billing.Decimal{}, nil
	}
	all, err := d.Book.Metered(ctx, billing.Period{Start: now.Add(-measuredOver), End: now})
	if err != nil {
		return billing.Decimal{}, err
	}
	all = slices.DeleteFunc(slices.Clone(all), func(m ledger.Metered) bool { return m.GPU != gpu || m.State != billing.StateRunning })
	slices.SortFunc(all, func(a, b ledger.Metered) int { return a.From.Compare(b.From) })
	var sum time.Duration
	until := now.Add(-measuredOver)
	for _, m := range all {
		from, to := m.From, m.To
		if to.IsZero() || to.After(now) {
			to = now
		}
		if from.Before(until) {
			from = until
		}
		if to.After(from) {
			sum, until = sum+to.Sub(from), to
		}
	}
	if sum == 0 {
		return billing.Decimal{}, nil
	}
	return billing.DecimalFromInt(int64(sum/time.Minute)).Div(billing.DecimalFromInt(60), 2)
}
