package bot

import (
	"strconv"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/estimate"
)

// EstimateData answers estimate. Notes are codes; assumed are words to type for something else.
type EstimateData struct {
	Rows      []EstimateRow  `json:"rows"`
	BreakEven []BreakEvenRow `json:"break_even"`
	LeftOut   []LeftOutRow   `json:"left_out"`
}

// EstimateRow is one way to do it. Low and High hold what interruptions cost, BareLow and BareHigh do not; with missing
// parts they are at least. Standing is sound, late, unfit, old or incomplete: only sound rows count for a verdict.
type EstimateRow struct {
	Provider     string                    `json:"provider"`
	Region       string                    `json:"region"`
	InstanceType string                    `json:"instance_type"`
	GPU          string                    `json:"gpu"`
	GPUCount     *string                   `json:"gpu_count"`
	Machines     int                       `json:"machines"`
	Mode         billing.Mode              `json:"mode"`
	Currency     billing.Currency          `json:"currency"`
	Hours        *string                   `json:"hours"`
	WallHours    *string                   `json:"wall_hours"`
	Finish       *string                   `json:"finish"`
	Low          *string                   `json:"low"`
	High         *string                   `json:"high"`
	BareLow      *string                   `json:"bare_low"`
	BareHigh     *string                   `json:"bare_high"`
	PerGPULow    *string                   `json:"per_gpu_hour_low"`
	PerGPUHigh   *string                   `json:"per_gpu_hour_high"`
	Parts        map[billing.Part]RangeRow `json:"parts"`
	Missing      []billing.Part            `json:"missing"`
	Assumed      []string                  `json:"assumed"`
	Standing     string                    `json:"standing"`
	Stock        string                    `json:"stock"`
	AsOf         *string                   `json:"as_of"`
	Source       string                    `json:"source"`
	From         string                    `json:"from"`
	Notes        []string                  `json:"notes"`
	Spot         *SpotRow                  `json:"spot,omitempty"`
	Prepaid      *PrepaidRow               `json:"prepaid,omitempty"`
}

// RangeRow is an amount, low and high; null where it has no price.
type RangeRow struct {
	Low  *string `json:"low"`
	High *string `json:"high"`
}

// SpotRow is what interruptions do. RetryShare is of the total; LateChance is null without a deadline.
type SpotRow struct {
	MeanHours       string   `json:"mean_hours_between_interruptions"`
	MeanFrom        string   `json:"mean_from"`
	Interruptions   string   `json:"interruptions"`
	CheckpointHours string   `json:"checkpoint_hours"`
	RetryShare      string   `json:"retry_share"`
	LateChance      *string  `json:"late_chance"`
	NoCheckpoints   RangeRow `json:"machine_without_checkpoints"`
}

// PrepaidRow is a plan in three ways of counting: paid now, the job's share by the calendar, and by the hours used.
type PrepaidRow struct {
	Terms    int      `json:"terms"`
	Cash     RangeRow `json:"cash"`
	Calendar RangeRow `json:"calendar"`
	Used     RangeRow `json:"used"`
}

// BreakEvenRow is from how many hours a month a plan beats a price by the hour; one row for each end of a range.
type BreakEvenRow struct {
	Hourly       string           `json:"hourly"`
	Prepaid      string           `json:"prepaid"`
	Currency     billing.Currency `json:"currency"`
	HourlyPrice  *string          `json:"hourly_price"`
	PrepaidPrice *string          `json:"prepaid_price"`
	Hours        *string          `json:"hours"`
	Used         *string          `json:"used"`
	Verdict      string           `json:"verdict"`
}

// LeftOutRow says how many prices are not among the rows, and why.
type LeftOutRow struct {
	Why       string   `json:"why"`
	Count     int      `json:"count"`
	Providers []string `json:"providers"`
}

func estimateData(q estimate.Quote) EstimateData {
	d := EstimateData{Rows: []EstimateRow{}, BreakEven: []BreakEvenRow{}, LeftOut: []LeftOutRow{}}
	for _, o := range q.Options {
		d.Rows = append(d.Rows, estimateRow(q, o))
	}
	for _, p := range q.BreakEven {
		d.BreakEven = append(d.BreakEven, BreakEvenRow{Hourly: optionTitle(q.Options[p.Hourly]), Prepaid: optionTitle(q.Options[p.Prepaid]),
			Currency: p.Price.Currency(), HourlyPrice: amount(p.PriceHour), PrepaidPrice: amount(p.Price), Hours: number(p.Hours),
			Used: number(p.BreakEven.Used), Verdict: string(p.Verdict)})
	}
	for _, l := range q.LeftOut {
		d.LeftOut = append(d.LeftOut, LeftOutRow{string(l.Why), l.Count, l.Providers})
	}
	return d
}

func optionTitle(o estimate.Option) string { return o.Provider + " " + string(o.Mode) }

func estimateRow(q estimate.Quote, o estimate.Option) EstimateRow {
	r := EstimateRow{Provider: o.Provider, Region: o.Region, InstanceType: o.Type, GPU: o.GPU.Model, GPUCount: number(q.Cards), Machines: o.Machines,
		Mode: o.Mode, Currency: o.Low.Currency(), Hours: number(q.Hours), WallHours: number(o.Wall), Finish: instant(o.Finish.Truncate(time.Second)),
		Low: amount(o.Total.Low), High: amount(o.Total.High), BareLow: amount(o.Bare.Low), BareHigh: amount(o.Bare.High),
		PerGPULow: amount(o.PerGPU.Low), PerGPUHigh: amount(o.PerGPU.High), Parts: partRows(o),
		Missing: append([]billing.Part{}, o.Missing...), Assumed: o.Assumed, Standing: o.Standing.String(), Stock: o.Stock, AsOf: instant(o.AsOf),
		Source: o.Source, From: o.From.String(), Notes: append([]string{}, o.Notes...)}
	if i := o.Interrupt; i != nil {
		r.Spot = spotRow(q, *i)
	}
	if a := o.Ahead; a != nil {
		r.Prepaid = &PrepaidRow{a.Terms, rangeRow(a.Cash), rangeRow(a.Calendar), rangeRow(a.Used)}
	}
	return r
}

// partRows names all parts: 0 for what was not asked for, null for what was and has no price.
func partRows(o estimate.Option) map[billing.Part]RangeRow {
	rows := map[billing.Part]RangeRow{}
	zero := billing.ZeroMoney(o.Low.Currency())
	for _, part := range estimate.Parts() {
		rows[part] = rangeRow(estimate.Range{Low: zero, High: zero})
		if r, ok := o.Parts[part]; ok {
			rows[part] = rangeRow(r)
		}
	}
	for _, part := range o.Missing {
		rows[part] = RangeRow{}
	}
	return rows
}

func rangeRow(r estimate.Range) RangeRow { return RangeRow{amount(r.Low), amount(r.High)} }

func spotRow(q estimate.Quote, i estimate.Interrupt) *SpotRow {
	four := func(f float64) string { return strconv.FormatFloat(f, 'f', 4, 64) }
	s := &SpotRow{MeanHours: four(i.Work.Mean), MeanFrom: string(i.Risk.From), Interruptions: four(i.Work.Interruptions()),
		CheckpointHours: four(i.Work.Every), RetryShare: four(i.Share), NoCheckpoints: rangeRow(i.Unsaved)}
	if !q.Deadline.IsZero() {
		late := four(i.Late)
		s.LateChance = &late
	}
	return s
}
