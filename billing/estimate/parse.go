package estimate

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"gpuspend/billing"
)

// Mistake is a word of a question that was not understood. Choices are what it may have meant; each is a word to type in
// its place.
type Mistake struct {
	Word    string
	Say     billing.Text
	Choices []string
}

func (m *Mistake) Error() string { return "parse estimate: " + m.Say.Key + ": " + m.Word }

func mistake(key, word string, choices ...string) *Mistake {
	return &Mistake{Word: word, Say: billing.Say("estimate.words."+key, "word", word, "words", choices), Choices: choices}
}

// Known is what a question may name.
type Known struct {
	Cards     []string // beside the usual ones
	Providers []string
	Currency  billing.Currency // of a price without one
}

// Parse reads the words of a question, in any order; zone is that of its times.
func Parse(words []string, k Known, now time.Time, zone *time.Location) (Request, error) {
	p := parser{known: k, now: now, zone: zone, r: Request{Currency: k.Currency}}
	for p.rest = joined(words); len(p.rest) > 0; {
		if err := p.next(); err != nil {
			return p.r, err
		}
	}
	return p.r, p.complete()
}

type parser struct {
	known Known
	now   time.Time
	zone  *time.Location
	r     Request
	rest  []string
	card  string // as typed
}

// number is the pattern of a quantity, with bounds that keep it reckonable.
const number = `(\d{1,9}(?:\.\d{1,6})?)`

var (
	gluedCard = regexp.MustCompile(`^` + number + `\s*(?:x|\*|卡|张|块|个|枚)\s*(.*)$`)
	cardGlued = regexp.MustCompile(`^(.*[^0-9a-z.].*?|.*?)(?:x|\*)` + number + `$`)
	spanWord  = regexp.MustCompile(`^` + number + `\s*(h|hr|hrs|hour|hours|小时|个小时|d|day|days|天|日|w|week|weeks|周|星期|month|months|个月|月|m|min|minutes|分钟|s|秒)$`)
	sizeWord  = regexp.MustCompile(`^` + number + `\s*(b|kb|mb|gb|gib|tb|tib|pb|g|t|p|m)?$`)
	cjkBreak  = regexp.MustCompile(`(小时|分钟|个月|天)([^\s=])`)
	cjkRun    = regexp.MustCompile(`([0-9a-z])(跑|训练|用|租)`)
)

// joined brings the words to one form: narrow letters, lower case, what stands apart by space; x and × and * alike.
func joined(words []string) []string {
	line := strings.Map(narrow, strings.ToLower(strings.Join(words, " ")))
	line = strings.NewReplacer("×", "x", "✕", "x", "，", " ", "、", " ", "。", " ", ",", "").Replace(line)
	line = cjkRun.ReplaceAllString(cjkBreak.ReplaceAllString(line, "$1 $2"), "$1 $2 ")
	for _, sign := range []string{" = ", " =", "= "} {
		line = strings.ReplaceAll(line, sign, "=")
	}
	return strings.Fields(line)
}

// narrow turns the wide letters of Chinese keyboards into plain ones.
func narrow(r rune) rune {
	switch {
	case r >= '！' && r <= '～':
		return r - '！' + '!'
	case unicode.IsSpace(r):
		return ' '
	case unicode.IsControl(r) || r == unicode.ReplacementChar:
		return -1
	}
	return r
}

// next takes one word, or several that belong together.
func (p *parser) next() error {
	w := p.rest[0]
	p.rest = p.rest[1:]
	if name, value, ok := strings.Cut(w, "="); ok {
		return p.option(name, value)
	}
	if _, ok := optionNamed(w); ok && len(p.rest) > 0 && !strings.Contains(p.rest[0], "=") {
		value := p.rest[0]
		p.rest = p.rest[1:]
		return p.option(w, value)
	}
	switch {
	case filler(w):
		return nil
	case p.mode(w):
		return nil
	case p.span(w):
		return nil
	}
	return p.cards(w)
}

// filler are words between the words.
func filler(w string) bool {
	return slices.Contains([]string{"for", "on", "with", "and", "the", "a", "of", "at", "about", "gpu", "gpus", "card", "cards", "跑", "训练", "用", "租", "需要", "大约", "多少钱", "费用", "的", "要", "卡"}, w)
}

// mode takes a way to pay that stands alone: spot, 包月.
func (p *parser) mode(w string) bool {
	m, ok := modeNamed(w)
	if ok {
		p.r.Mode = m
	}
	return ok
}

func modeNamed(w string) (billing.Mode, bool) {
	for mode, names := range map[billing.Mode][]string{
		billing.ModeOnDemand: {"on_demand", "on-demand", "ondemand", "hourly", "按量", "按量付费", "按需"},
		billing.ModeSpot:     {"spot", "preemptible", "竞价", "抢占", "抢占式", "竞价实例"},
		ModeWeekly:           {"weekly", "包周"},
		billing.ModeMonthly:  {"monthly", "包月"},
		ModeQuarterly:        {"quarterly", "包季"},
		billing.ModeYearly:   {"yearly", "annual", "包年"},
		ModeCardHour:         {"card_hour", "card-hour", "cardhour", "卡时", "按卡时"},
	} {
		if slices.Contains(names, w) {
			return mode, true
		}
	}
	return "", false
}

// span takes how long: 30h, 30 小时.
func (p *parser) span(w string) bool {
	h, ok := hoursNamed(w)
	if !ok && len(p.rest) > 0 { // 30 小时
		if h, ok = hoursNamed(w + p.rest[0]); ok {
			p.rest = p.rest[1:]
		}
	}
	if ok && !p.r.Hours.Known() {
		p.r.Hours = h
		return true
	}
	return false
}

// mostHours is the longest that is reckoned for: ten years.
const mostHours = 87600

// hoursNamed reads a duration in hours, above zero and at most ten years.
func hoursNamed(w string) (billing.Decimal, bool) {
	m := spanWord.FindStringSubmatch(w)
	if m == nil {
		return billing.Decimal{}, false
	}
	n, d := map[string][2]int64{"d": {24, 1}, "day": {24, 1}, "days": {24, 1}, "天": {24, 1}, "日": {24, 1}, "w": {168, 1}, "week": {168, 1},
		"weeks": {168, 1}, "周": {168, 1}, "星期": {168, 1}, "month": {720, 1}, "months": {720, 1}, "个月": {720, 1}, "月": {720, 1},
		"m": {1, 60}, "min": {1, 60}, "minutes": {1, 60}, "分钟": {1, 60}, "s": {1, 3600}, "秒": {1, 3600}}[m[2]], int64(1)
	if n[0] == 0 {
		n = [2]int64{1, 1}
	}
	h, err := billing.MustDecimal(m[1]).Mul(billing.DecimalFromInt(n[0]*d)).Div(billing.DecimalFromInt(n[1]), 18)
	return h, err == nil && h.Sign() > 0 && h.Cmp(billing.DecimalFromInt(mostHours)) <= 0
}

// mostCards is more than any request will have.
const mostCards = 16384

// cards takes what is to be rented: 8xa100-80g, 4x a100, 8卡a100 80g, a100x8, h100.
func (p *parser) cards(w string) error {
	count, name := "", w
	if m := gluedCard.FindStringSubmatch(w); m != nil {
		count, name = m[1], m[2]
		if name == "" && len(p.rest) > 0 {
			name, p.rest = p.rest[0], p.rest[1:]
		}
	} else if m := cardGlued.FindStringSubmatch(w); m != nil && m[1] != "" {
		count, name = m[2], m[1]
	} else if d, err := billing.ParseDecimal(w); err == nil && len(p.rest) > 0 { // 8 卡 a100; 8 x a100; 8 a100
		count, name, p.rest = d.String(), strings.TrimLeft(strings.TrimPrefix(p.rest[0], "x"), "卡张块个枚*"), p.rest[1:]
		if name == "" && len(p.rest) > 0 {
			name, p.rest = p.rest[0], p.rest[1:]
		}
	}
	found := CardsNamed(name, p.known.Cards)
	for len(p.rest) > 0 { // a100 80g, rtx 6000 ada
		longer := CardsNamed(name+"-"+p.rest[0], p.known.Cards)
		if len(longer) == 0 || slices.Equal(longer, found) && len(found) == 1 {
			break
		}
		found, name, p.rest = longer, name+"-"+p.rest[0], p.rest[1:]
	}
	switch {
	case len(found) == 0 && p.r.GPU == "" && count != "":
		return mistake("card", name, near(name, p.known.Cards)...)
	case len(found) == 0:
		return mistake("word", w, nearOption(w)...)
	case p.card != "":
		return mistake("two_cards", w, p.card)
	}
	p.card, p.r.Cards = w, billing.DecimalFromInt(1)
	if count != "" {
		p.r.Cards = billing.MustDecimal(count)
	}
	if p.r.Cards.Sign() <= 0 || p.r.Cards.Cmp(billing.DecimalFromInt(mostCards)) > 0 {
		return mistake("count", w)
	}
	if len(found) > 1 { // those with a price first
		slices.SortStableFunc(found, func(a, b string) int { return p.priced(b) - p.priced(a) })
		return mistake("which", strings.ToUpper(name), found...)
	}
	p.r.GPU = found[0]
	return nil
}

func (p *parser) priced(card string) int {
	if slices.Contains(p.known.Cards, card) {
		return 1
	}
	return 0
}

// complete says what is lacking.
func (p *parser) complete() error {
	switch {
	case p.r.GPU == "":
		return mistake("no_card", "")
	case !p.r.Hours.Known():
		return mistake("no_hours", p.card)
	}
	return nil
}
