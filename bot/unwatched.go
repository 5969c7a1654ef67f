package bot

import (
	"cmp"
	"slices"

	"gpuspend/billing"
	"gpuspend/notify"
	"gpuspend/notify/words"
)

// notWatched lists what the scopes of the accounts leave out, the most of a kind in one place first.
func notWatched(v notify.View) []NotWatched {
	out := []NotWatched{}
	for _, a := range v.Accounts {
		for _, r := range a.Readings {
			if r.Of == billing.ReadInventory && r.LeftOut > 0 {
				out = append(out, NotWatched{Account: a.Name, Kind: r.Scope.Kind, Region: r.Scope.Region, Project: r.Scope.Project, Count: r.LeftOut})
			}
		}
	}
	slices.SortStableFunc(out, func(x, y NotWatched) int { return cmp.Compare(y.Count, x.Count) })
	return out
}

// notWatchedLines says it in one line: "2,310 other things, not watched (disk 1,900, instance 410)".
func notWatchedLines(p words.Printer, v notify.View) []notify.Rich {
	sum, total := map[billing.Kind]int{}, 0
	for _, n := range notWatched(v) {
		sum[n.Kind] += n.Count
		total += n.Count
	}
	if total == 0 {
		return nil
	}
	var parts []string
	for _, k := range kinds() {
		if sum[k] > 0 {
			parts = append(parts, p.Kind(k)+" "+p.Count(sum[k]))
		}
	}
	return []notify.Rich{p.Rich("bot.unwatched", "count", total, "kinds", p.List(parts))}
}
