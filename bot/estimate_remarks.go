package bot

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/estimate"
	"gpuspend/notify"
	"gpuspend/notify/words"
)

// remarks are what decides between the rows: what can't be compared, what interruptions do, when a plan pays, and the
// best row in parts.
func (w quoteWriter) remarks() []notify.Rich {
	lines := w.incomplete()
	spots := 0
	for _, o := range w.q.Options {
		if o.Interrupt != nil && o.Standing != estimate.Incomplete && spots < 2 {
			spots++
			lines = append(lines, w.spot(o)...)
		}
	}
	lines = append(lines, w.plans()...)
	if best, safe := w.q.Best(); best >= 0 {
		if safe < 0 {
			safe = best
		}
		lines = append(lines, w.inParts(w.q.Options[safe]))
	}
	return append(lines, w.warnings()...)
}

// incomplete names the rows that lack a price, and of what.
func (w quoteWriter) incomplete() []notify.Rich {
	type group struct {
		names   []string
		missing []billing.Part
	}
	var groups []group
	for _, o := range w.q.Options {
		if o.Standing != estimate.Incomplete {
			continue
		}
		i := slices.IndexFunc(groups, func(g group) bool { return slices.Equal(g.missing, o.Missing) })
		if i < 0 {
			i = len(groups)
			groups = append(groups, group{missing: o.Missing})
		}
		if n := w.where(o); !slices.Contains(groups[i].names, n) {
			groups[i].names = append(groups[i].names, n)
		}
	}
	var lines []notify.Rich
	for _, g := range groups {
		var parts []string
		for _, part := range g.missing {
			parts = append(parts, w.p.Part(part))
		}
		lines = append(lines, w.p.Rich("estimate.incomplete", "where", notify.Bold(w.p.List(choices(g.names))), "parts", parts))
	}
	return lines
}

// spot says what interruptions do to a row: how many, how long, what it costs without checkpoints, and the chance to
// miss the deadline.
func (w quoteWriter) spot(o estimate.Option) []notify.Rich {
	i := o.Interrupt
	name := notify.Bold(w.way(o))
	if w.q.Resumable == billing.No {
		return []notify.Rich{w.p.Rich("estimate.spot.unfit", "way", name, "count", tenth(i.Work.Interruptions()), "wall", w.p.Number(rounded1(o.Wall)))}
	}
	lines := []notify.Rich{w.p.Rich("estimate.spot.line", "way", name, "count", tenth(i.Work.Interruptions()), "hours", w.p.Number(rounded1(w.q.Hours)),
		"wall", w.p.Number(rounded1(o.Wall)), "every", w.p.Duration(hoursLong(i.Work.Every)), "share", percent(i.Share))}
	if i.Unsaved.Known() {
		unsaved := i.Work.Unsaved().Wall()
		lines = append(lines, w.p.Rich("estimate.spot.unsaved", "wall", strconv.FormatFloat(unsaved, 'f', 0, 64), "sum", w.span(i.Unsaved, 2, 0)))
	} else {
		lines = append(lines, w.p.Rich("estimate.spot.never"))
	}
	if !w.q.Deadline.IsZero() {
		lines = append(lines, w.p.Rich("estimate.spot.late", "when", w.q.Deadline, "chance", percent(i.Late)))
	}
	return []notify.Rich{w.sentences(lines...)}
}

// sentences puts sentences after one another; Chinese needs no space between them.
func (w quoteWriter) sentences(all ...notify.Rich) notify.Rich {
	if w.p.Lang == words.Chinese {
		return notify.Join("", all...)
	}
	return notify.Join(" ", all...)
}

func tenth(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) }

func rounded1(d billing.Decimal) billing.Decimal { return billing.MustDecimal(d.Rounded(1)) }

// percent writes a share; what is more than nothing is not shown as nothing.
func percent(f float64) string {
	switch {
	case f > 0 && f < 0.01:
		return "<1%"
	case f < 1 && f > 0.99:
		return ">99%"
	}
	return strconv.FormatFloat(100*f, 'f', 0, 64) + "%"
}

func hoursLong(h float64) time.Duration {
	if h > 24*3650 {
		h = 24 * 3650
	}
	return time.Duration(h * float64(time.Hour)).Round(time.Minute)
}

// plans says from how many hours a month each plan beats the same cloud's price by the hour, and the verdict for the
// hours used.
func (w quoteWriter) plans() []notify.Rich {
	var lines []notify.Rich
	for i, o := range w.q.Options {
		if o.Ahead == nil || len(lines) == 4 {
			continue
		}
		low, high, verdict, against := billing.Decimal{}, billing.Decimal{}, estimate.VerdictUnknown, -1
		for _, b := range w.q.BreakEven {
			h := w.q.Options[b.Hourly]
			if b.Prepaid != i || h.Interrupt != nil || h.Provider != o.Provider {
				continue
			}
			if !low.Known() || b.Hours.Cmp(low) < 0 {
				low = b.Hours
			}
			if !high.Known() || b.Hours.Cmp(high) > 0 {
				high = b.Hours
			}
			verdict, against = b.Verdict, b.Hourly
		}
		if against < 0 {
			continue
		}
		lines = append(lines, w.plan(o, w.q.Options[against], low, high, verdict))
	}
	return lines
}

func (w quoteWriter) plan(o, against estimate.Option, low, high billing.Decimal, v estimate.Verdict) notify.Rich {
	span := low.Rounded(0)
	if high.Rounded(0) != span {
		span += " – " + high.Rounded(0)
	}
	line := w.p.Rich("estimate.plan.line", "way", notify.Bold(w.way(o)), "hours", span, "against", w.way(against))
	switch {
	case v == estimate.VerdictNever:
		line = w.p.Rich("estimate.plan.never", "way", notify.Bold(w.way(o)), "hours", span, "against", w.way(against))
	case w.q.Used.Known() && w.measured:
		line = w.sentences(line, w.p.Rich("estimate.plan.ran", "hours", rounded1(w.q.Used), "gpu", w.q.GPU))
	case w.q.Used.Known():
		line = w.sentences(line, w.p.Rich("estimate.plan.used", "hours", rounded1(w.q.Used), "verdict", w.verdict(o, v)))
	}
	return line
}

func (w quoteWriter) verdict(o estimate.Option, v estimate.Verdict) string {
	switch v {
	case estimate.VerdictHourly:
		return w.p.Text("estimate.verdict.hourly")
	case estimate.VerdictUnknown:
		return w.p.Text("estimate.verdict.same")
	}
	return w.mode(o.Mode)
}

// inParts is one row's bill in parts.
func (w quoteWriter) inParts(o estimate.Option) notify.Rich {
	var parts []string
	for _, part := range estimate.Parts() {
		if r, ok := o.Parts[part]; ok {
			parts = append(parts, w.p.Part(part)+" "+w.span(r, 2, 2))
		}
	}
	return w.p.Rich("estimate.parts", "way", notify.Bold(w.way(o)), "parts", strings.Join(parts, " · "))
}

// warnings are the notes that a reader of the table must know: prices that leave something out, rules that do not hold.
func (w quoteWriter) warnings() []notify.Rich {
	noted := map[string][]string{}
	var order []string
	for _, o := range w.q.Options {
		for _, n := range o.Notes {
			if _, there := noted[n]; !there {
				order = append(order, n)
			}
			if name := w.where(o); !slices.Contains(noted[n], name) {
				noted[n] = append(noted[n], name)
			}
		}
	}
	var lines []notify.Rich
	var excluded []string
	var by []string
	for _, n := range order {
		if part, ok := strings.CutPrefix(n, estimate.NoteExcludes); ok {
			excluded, by = append(excluded, w.p.Part(billing.Part(part))), noted[n]
			continue
		}
		if n == estimate.NoteOld || n == estimate.NoteUndated || n == estimate.NoteRateUndated {
			continue // said beside the age of prices
		}
		lines = append(lines, w.p.Rich("estimate.note."+n, "where", w.p.List(choices(noted[n]))))
	}
	if len(excluded) > 0 {
		lines = append(lines, w.p.Rich("estimate.excludes", "where", w.p.List(choices(by)), "parts", excluded))
	}
	return lines
}

// smallPrint is what was assumed, how old the prices are, and what was left out.
func (w quoteWriter) smallPrint() []notify.Rich {
	var assumed []string
	for _, o := range w.q.Options {
		for _, a := range o.Assumed {
			if !slices.Contains(assumed, a) && !perRow(a) {
				assumed = append(assumed, a)
			}
		}
	}
	return append([]notify.Rich{w.p.Rich("estimate.assumed", "words", strings.Join(assumed, " · "))}, w.ages()...)
}

// perRow says that an assumption differs from row to row, so that only --json and the parts tell it.
func perRow(a string) bool {
	return strings.HasPrefix(a, "disk_type=") || strings.Contains(a, " rate of ") || strings.HasPrefix(a, "checkpoint=") || strings.HasPrefix(a, "interrupted=")
}

func (w quoteWriter) ages() []notify.Rich {
	var fresh, old, undated []string
	put := func(list *[]string, name string) {
		if !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
	}
	for _, o := range w.q.Options {
		switch {
		case o.AsOf.IsZero():
			put(&undated, w.where(o))
		case slices.Contains(o.Notes, estimate.NoteOld):
			put(&old, w.where(o)+" "+w.age(o.Row))
		default:
			put(&fresh, w.where(o)+" "+w.age(o.Row))
		}
	}
	var lines []notify.Rich
	for _, x := range []struct {
		key   string
		names []string
	}{{"estimate.ages.fresh", fresh}, {"estimate.ages.old", old}, {"estimate.ages.undated", undated}} {
		if len(x.names) > 0 {
			lines = append(lines, w.p.Rich(x.key, "names", w.p.List(choices(x.names))))
		}
	}
	if left := leftOutLine(w.p, w.q); left != "" {
		lines = append(lines, left)
	}
	return lines
}

// leftOutLine says how many prices are not shown, and why.
func leftOutLine(p words.Printer, q estimate.Quote) notify.Rich {
	var parts []notify.Rich
	for _, l := range q.LeftOut {
		parts = append(parts, p.Rich("estimate.left."+string(l.Why), "count", l.Count, "where", p.List(choices(l.Providers))))
	}
	if len(parts) == 0 {
		return ""
	}
	return p.Rich("estimate.left_out", "what", notify.Join(" · ", parts...))
}
