package bot

import (
	"context"
	"slices"
	"strings"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/ledger"
)

// mostRows is how many rows of a table a chat shows; a terminal shows all.
const mostRows = 25

func cost(ctx context.Context, d *Desk, r Request) (Answer, error) {
	q, err := costQuestion(r)
	if err != nil {
		return Answer{}, err
	}
	report, err := ledger.Answer(ctx, d.Book, q)
	if err != nil {
		return Answer{}, err
	}
	v, err := d.Look(ctx)
	if err != nil {
		return Answer{}, err
	}
	data := costData(report)
	data.NotOffered = notOffered(v.Accounts, billing.CanCharges)
	a := Answer{Data: data, AsOf: report.AsOf, Warnings: warnings(r.Print, v, billing.ReadCharges)}
	a.Message = costMessage(r, report, v)
	if data.Approx = approx(d.Rates, report.Totals); data.Approx != nil {
		a.Data = data
		a.Message.Blocks = append(a.Message.Blocks, approxLine(r.Print, data.Approx))
	}
	a.Failed = len(v.Accounts) == 0
	return a, nil
}

// CostQuestion reads the words of a cost question, without the word cost. It fails with a *WordsError.
func CostQuestion(r Request) (ledger.Question, error) { return costQuestion(r) }

// costQuestion reads the words after cost.
func costQuestion(r Request) (ledger.Question, error) {
	when, _ := period("month", r.Now, r.Zone)
	q := ledger.Question{Zone: r.Zone, Now: r.Now, View: ledger.Billed}
	said := false
	line := costWords(r.Words)
	for i := 0; i < len(line); i++ {
		w := line[i]
		if w == "by" || w == "按" {
			if i+1 == len(line) {
				return q, unclear(r.Print, "bot.words.by", "", "words", cutWords())
			}
			i++
			c, ok := cut(line[i])
			if !ok {
				return q, unclear(r.Print, "bot.words.cut", nearestCost(line, i, append(cutWords(), alsoCuts()...)), "word", line[i], "words", cutWords())
			}
			if !slices.Contains(q.By, c) {
				q.By = append(q.By, c)
			}
			continue
		}
		if strings.Contains(w, "=") {
			f, ok := filter(w, r.Person)
			if !ok {
				return q, unclear(r.Print, "bot.words.where", "", "word", w, "words", filterWords())
			}
			q.Where = append(q.Where, f)
			continue
		}
		if v, ok := view(w); ok {
			q.View = v
			continue
		}
		s, ok := period(w, r.Now, r.Zone)
		if !ok || said {
			return q, unclear(r.Print, "bot.words.period", nearestCost(line, i, periodWords()), "word", w, "words", periodWords())
		}
		when, said = s, true
	}
	if len(q.By) == 0 {
		q.By = []ledger.Cut{ledger.ByProvider}
	}
	q.From, q.To = when.from, when.to
	return q, nil
}

// costWords brings "by a,b" and "last month" into the form that costQuestion reads.
func costWords(in []string) []string {
	var out []string
	afterBy := false
	for i := 0; i < len(in); i++ {
		w := fold1(in[i])
		switch {
		case w == "last" && i+1 < len(in) && fold1(in[i+1]) == "month":
			out, i = append(out, "lastmonth"), i+1
			continue
		case w == "this" || w == "and" || w == "where" || w == "其中" || w == "":
			continue
		case strings.Contains(w, "="):
			out, afterBy = append(out, w), false
			continue
		case strings.HasPrefix(w, "按") && w != "按":
			out = append(out, "by")
			w, afterBy = strings.TrimPrefix(w, "按"), true
		}
		parts := strings.FieldsFunc(w, func(c rune) bool { return c == ',' || c == '，' || c == '、' })
		for j, p := range parts {
			if afterBy && j > 0 {
				out = append(out, "by")
			}
			out = append(out, p)
		}
		listed := strings.HasSuffix(w, ",") || strings.HasSuffix(w, "，") // "by gpu, mode"
		if afterBy && listed {
			out = append(out, "by")
			continue
		}
		afterBy = w == "by" || w == "按"
	}
	return out
}

func cutWords() []string {
	var out []string
	for _, c := range cuts() {
		out = append(out, string(c))
	}
	return out
}

func periodWords() []string {
	return []string{"today", "yesterday", "7d", "30d", "month", "YYYY-MM", "FROM..TO"}
}

// nearestCost writes the line out with its one mistaken word put right; "" where nothing is near.
func nearestCost(line []string, at int, candidates []string) string {
	candidates = slices.DeleteFunc(slices.Clone(candidates), func(s string) bool { return s != strings.ToLower(s) })
	if slices.Contains(candidates, "month") {
		candidates = append(candidates, "by")
	}
	better := nearest(line[at], candidates)
	if better == "" {
		if c, ok := cut(line[at]); ok {
			better = "by " + string(c) // "cost month provider"
		}
	}
	if better == "" {
		return ""
	}
	out := slices.Clone(line)
	out[at] = better
	return "cost " + strings.Join(out, " ")
}

func costData(r ledger.Report) CostData {
	q := r.Question
	data := CostData{From: q.From.In(q.Zone).Format(time.DateOnly), To: midnight(q.To, q.Zone, -1).Format(time.DateOnly),
		GroupBy: q.By, View: q.View, NotOffered: []NotOffered{}, Rows: []CostRow{}, Totals: []CostTotal{}, Missing: []CostGap{}}
	for _, f := range q.Where {
		data.Where = append(data.Where, CostFilter{By: f.By, Values: f.Values, Not: f.Not})
	}
	for _, row := range r.Rows {
		data.Rows = append(data.Rows, CostRow{Keys: row.Keys, Key: strings.Join(row.Keys, " / "), Currency: row.Currency,
			Billed: amount(row.Billed), Accrued: amount(row.Accrued), AccruedMost: amount(row.AccruedMost), Amount: amount(row.Amount), Vague: row.Vague})
	}
	data.Totals = totalsData(r.Totals)
	for _, c := range r.Declared {
		data.Declared = append(data.Declared, CostDeclared{Account: c.Name, NoEffective: c.Bill.NoEffective, NoInvoice: c.Bill.NoInvoice})
	}
	for _, g := range r.Missing {
		data.Missing = append(data.Missing, CostGap{Account: g.Account, From: g.From.UTC().Format(time.RFC3339),
			To: g.To.UTC().Format(time.RFC3339), Unseen: g.Unseen})
	}
	return data
}

func totalsData(rows []ledger.Row) []CostTotal {
	out := []CostTotal{}
	for _, t := range rows {
		out = append(out, CostTotal{Currency: t.Currency, Billed: amount(t.Billed), Accrued: amount(t.Accrued), AccruedMost: amount(t.AccruedMost),
			Amount: amount(t.Amount), Usage: amount(t.Sorts[ledger.Usage]), Credits: amount(t.Sorts[ledger.Credit]),
			Refunds: amount(t.Sorts[ledger.Refund]), Taxes: amount(t.Sorts[ledger.Tax]), Corrections: amount(t.Sorts[ledger.Correction])})
	}
	return out
}
