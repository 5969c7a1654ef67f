package bot

import (
	"slices"
	"strings"

	"gpuspend/billing/ledger"
)

// view reads a word for a way to reckon money.
func view(word string) (ledger.View, bool) {
	switch word {
	case "amortized", "effective", "摊销":
		return ledger.Amortised, true
	case "invoiced", "net", "账单额":
		return ledger.Billed, true
	case "总额", "毛额":
		return ledger.Gross, true
	case "paid", "现金", "实付":
		return ledger.Cash, true
	}
	v := ledger.View(word)
	return v, slices.Contains(ledger.Views(), v)
}

// filter reads provider=runpod, owner=@ana,@bo or mode!=spot.
func filter(word string, asker Person) (ledger.Filter, bool) {
	left, right, _ := strings.Cut(word, "=")
	f := ledger.Filter{Not: strings.HasSuffix(left, "!")}
	by, ok := cut(strings.TrimSuffix(left, "!"))
	if !ok || by.Calendar() {
		return f, false
	}
	f.By = by
	for _, v := range strings.FieldsFunc(right, func(c rune) bool { return c == ',' || c == '，' || c == '、' }) {
		f.Values = append(f.Values, filterValue(by, v, asker))
	}
	return f, len(f.Values) > 0
}

// filterValue reads one value: people are written @ana, and by Slack <@U…|ana>; "none" is what the bill does not say.
func filterValue(by ledger.Cut, v string, asker Person) string {
	if by == ledger.ByOwner {
		if v == "me" || v == "我" {
			return asker.Name
		}
		if inner, ok := strings.CutPrefix(v, "<@"); ok {
			_, name, _ := strings.Cut(strings.TrimSuffix(inner, ">"), "|")
			v = name
		}
		v = strings.TrimPrefix(v, "@")
	}
	switch {
	case v == "none" || v == "unowned" && by == ledger.ByOwner || v == "无" || v == "无人认领":
		return ""
	case v == "ondemand" || v == "on-demand":
		return "on_demand"
	}
	return v
}

func filterWords() []string {
	var out []string
	for _, c := range cuts() {
		if !c.Calendar() {
			out = append(out, string(c))
		}
	}
	return out
}
