package bot

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"gpuspend/billing"
	"gpuspend/notify"
)

// keepWord is what a line of keep says.
type keepWord struct {
	handle string
	until  time.Time // zero for good
	reason string
}

func keep(ctx context.Context, d *Desk, r Request) (Answer, error) {
	k, err := keepQuestion(r)
	if err != nil {
		return Answer{}, err
	}
	v, err := d.Look(ctx)
	if err != nil {
		return Answer{}, err
	}
	x, err := find(r, v, k.handle, "keep")
	if err != nil {
		return Answer{}, err
	}
	name := label(x.Name, x.Ref.ID)
	if x.Declared() {
		a := say(r.Print, "bot.declared.keep", "name", name)
		a.Failed, a.Warnings, a.Data = true, []string{}, KeepData{Handle: x.Handle, Reason: k.reason}
		return a, nil
	}
	key := "bot.keep.done"
	if r.Dry || d.Keeper == nil {
		key = "bot.keep.would"
	} else if err := d.keepNow(ctx, x.ID, k, r.Person, r.Now); err != nil {
		return Answer{}, err
	}
	a := say(r.Print, key, "name", name, "handle", notify.Code(x.Handle), "until", untilText(r.Print.Text("bot.keep.always"), r, k.until), "reason", k.reason)
	a.Failed = key == "bot.keep.would"
	a.Warnings = []string{}
	a.Data = KeepData{Handle: x.Handle, Until: instant(k.until), Reason: k.reason, Done: !a.Failed}
	return a, nil
}

func untilText(always string, r Request, until time.Time) string {
	if until.IsZero() {
		return always
	}
	return r.Print.Date(until.Add(-time.Second)) // the last day on which it holds
}

// atTheMachine stands for somebody at the machine's own shell, who has no chat id.
const atTheMachine = "local"

func (d *Desk) keepNow(ctx context.Context, id billing.ResourceID, k keepWord, by Person, now time.Time) error {
	return d.Keeper.KeepResource(ctx, id, billing.Keep{Until: k.until, Reason: k.reason, By: cmp.Or(by.ID, atTheMachine), At: now}, by.Team)
}

// keepQuestion reads "HANDLE until DATE because REASON"; in Chinese 到 and 因为.
func keepQuestion(r Request) (keepWord, error) {
	line := r.Words
	wrong := func(key string, args ...any) (keepWord, error) {
		return keepWord{}, unclear(r.Print, key, "keep r-7k2f until 30d because paper rebuttal", args...)
	}
	if len(line) == 0 {
		return wrong("bot.keep.which")
	}
	k := keepWord{handle: line[0]}
	rest := line[1:]
	if i := slices.IndexFunc(rest, becauses); i >= 0 {
		k.reason = strings.Join(rest[i+1:], " ")
		rest = rest[:i]
	}
	if len(rest) > 0 && (fold1(rest[0]) == "until" || fold1(rest[0]) == "for" || rest[0] == "到" || rest[0] == "至") {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return wrong("bot.keep.until")
	}
	until, ok := untilDate(strings.Join(rest, " "), r.Now, r.Zone)
	switch {
	case !ok:
		return wrong("bot.keep.date", "word", strings.Join(rest, " "))
	case !until.IsZero() && !until.After(r.Now):
		return wrong("bot.keep.past", "word", strings.Join(rest, " "))
	case k.reason == "":
		return wrong("bot.keep.why")
	}
	k.until = until
	return k, nil
}

func becauses(w string) bool {
	w = fold1(w)
	return w == "because" || w == "因为" || w == "since" || w == "原因"
}

// untilDate reads until when: a date, a number of days, or for good. The day named is still kept.
func untilDate(word string, now time.Time, zone *time.Location) (until time.Time, ok bool) {
	word = fold1(word)
	switch word {
	case "always", "forever", "一直", "永久":
		return time.Time{}, true
	}
	if m := daysWord.FindStringSubmatch(strings.ReplaceAll(strings.TrimSuffix(word, "ays"), " ", "")); m != nil {
		n, _ := strconv.Atoi(m[1]) // digits only
		return midnight(now, zone, n+1), true
	}
	if dayWord.MatchString(word) {
		s, ok := dates(word, zone)
		return s.to, ok
	}
	for _, layout := range []string{"2 Jan 2006", "Jan 2 2006", "2 January 2006", "January 2 2006"} {
		if t, err := time.ParseInLocation(layout, word, zone); err == nil {
			return midnight(t, zone, 1), true
		}
		if t, err := time.ParseInLocation(layout, word+" "+strconv.Itoa(now.In(zone).Year()), zone); err == nil {
			if t = midnight(t, zone, 1); t.Before(now) {
				t = t.AddDate(1, 0, 0) // "until 3 Jan", said in December
			}
			return t, true
		}
	}
	return time.Time{}, false
}
