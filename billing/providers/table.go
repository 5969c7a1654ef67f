package providers

import (
	"fmt"
	"strings"

	"gpuspend/billing"
)

// Table writes the README's support table in Markdown, in English or Chinese ("en", "zh"): one row a cloud, one column
// a capability, each cell linked to the page that it rests on; below it the limits that the claims name, in English.
func Table(lang string, drivers []billing.Driver) string {
	var b strings.Builder
	w := tableWords(lang)
	caps := billing.Capabilities()
	fmt.Fprintf(&b, "| %s |", w.cloud)
	for _, c := range caps {
		fmt.Fprintf(&b, " %s |", w.of(c))
	}
	fmt.Fprintf(&b, "\n|%s\n", strings.Repeat("---|", len(caps)+1))
	for _, d := range drivers {
		fmt.Fprintf(&b, "| %s |", d.Title)
		for _, c := range caps {
			fmt.Fprintf(&b, " %s |", w.cell(d.Claims[c]))
		}
		b.WriteString("\n")
	}
	for _, d := range drivers {
		b.WriteString("\n" + notes(d, w) + "\n")
	}
	return b.String()
}

// notes lists what a cloud's claims are limited to.
func notes(d billing.Driver, w words) string {
	var parts []string
	for _, c := range billing.Capabilities() {
		if n := d.Claims[c].Note; n != "" {
			parts = append(parts, fmt.Sprintf("%s: %s", w.of(c), n))
		}
	}
	return "- **" + d.Title + "**, " + strings.Join(parts, "; ") + "."
}

// words are those of the table itself; the notes stay English.
type words struct {
	cloud, yes, no, unsure string
	column                 map[billing.Capability]string
}

func (w words) of(c billing.Capability) string {
	if s := w.column[c]; s != "" {
		return s
	}
	return string(c)
}

func (w words) cell(c billing.Claim) string {
	word := w.unsure
	switch c.Can {
	case billing.Yes:
		word = w.yes
	case billing.No:
		word = w.no
	}
	if c.Source == "" {
		return word
	}
	return "[" + word + "](" + c.Source + ")"
}

func tableWords(lang string) words {
	if lang != "zh" {
		return words{cloud: "Cloud", yes: "yes", no: "no", unsure: "untested"}
	}
	return words{
		cloud: "云", yes: "有", no: "无", unsure: "未测",
		column: map[billing.Capability]string{
			billing.CanIdentify: "账号识别", billing.CanBalance: "余额", billing.CanCharges: "账单", billing.CanResources: "资源清单",
			billing.CanCommitments: "到期", billing.CanOffers: "报价", billing.CanUtilisation: "利用率", billing.CanFind: "查单个资源",
			billing.CanRehearse: "试运行", billing.CanStop: "关机", billing.CanRelease: "释放", billing.CanSnapshot: "快照",
			billing.CanTag: "标签", billing.CanFollow: "任务跟踪", billing.CanMembers: "成员账号", billing.CanExamine: "权限检查",
		},
	}
}
