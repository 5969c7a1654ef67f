package release

import (
	"slices"

	"gpuspend/billing"
)

// Exports are what a training run leaves behind that is worth saving elsewhere before its disks are deleted: the
// checklist of an installation that gives no own one.
func Exports() []string { return []string{"weights", "logs", "curves", "checkpoints"} }

// checklist is what has to be ticked as saved elsewhere before all of goes is deleted; empty where nothing of it holds
// data. What is not known to be empty holds data.
func (e *Engine) checklist(h billing.Holding, goes []billing.Holding) []string {
	if !slices.ContainsFunc(goes, func(h billing.Holding) bool { return h.HoldsData != billing.No }) {
		return nil
	}
	if e.o.Checklist != nil {
		if own := e.o.Checklist(h); len(own) > 0 {
			return own
		}
	}
	return Exports()
}

// Unticked are the items of an option's checklist that nobody ticked, in the list's order.
func (o Option) Unticked(ticked []string) []string {
	var missing []string
	for _, item := range o.Export {
		if !slices.Contains(ticked, item) {
			missing = append(missing, item)
		}
	}
	return missing
}

// UntickedText says which items are not ticked, and the safer choice where the plan has one.
func (p Plan) UntickedText(missing []string) billing.Text {
	items := make([]billing.Text, 0, len(missing))
	for _, m := range missing {
		items = append(items, ExportText(m))
	}
	key := "release.failed.unticked"
	if slices.ContainsFunc(p.Options, func(o Option) bool { return o.Verb == billing.VerbStop }) {
		key = "release.failed.unticked_stop"
	}
	return billing.Say(key, "items", items)
}

// ExportText names an item of a checklist: the usual ones in the reader's language, an installation's own as written.
func ExportText(item string) billing.Text {
	if slices.Contains(Exports(), item) {
		return billing.Say("export." + item)
	}
	return billing.Say("export.own", "item", item)
}
