package vast

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"strings"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/gpu"
	"gpuspend/billing/providers/internal/httpx"
)

// offersAtMost is how many rows are asked for at once; Vast.ai names no maximum and has no pages here.
const offersAtMost = 3000

// market is one of Vast.ai's two ways of renting: at the host's price, or by bidding.
type market struct {
	kind string
	mode billing.Mode
}

func markets() []market {
	return []market{{"ondemand", billing.ModeOnDemand}, {"bid", billing.ModeSpot}}
}

// Offers lists what is for rent on verified machines, on demand and interruptible: every host has a price of his own,
// so that each card and count is one offer with a range.
func (a *account) Offers(ctx context.Context, q billing.OfferQuery) iter.Seq2[billing.Offer, error] {
	return func(yield func(billing.Offer, error) bool) {
		for _, m := range markets() {
			rows, err := a.api.offers(ctx, m.kind, q.GPU)
			if err != nil {
				yield(billing.Offer{}, err)
				return
			}
			for _, o := range ranges(rows, m.mode) {
				if q.GPU != "" && !wanted(o.GPU.Model, q.GPU) {
					continue
				}
				if !yield(o, nil) {
					return
				}
			}
		}
	}
}

// wanted says that a card is the one that was asked for.
func wanted(model, asked string) bool { return model == gpu.Canonical(asked) }

// ranges gathers rows by card and count, in the order of their first.
func ranges(rows []offer, mode billing.Mode) []billing.Offer {
	var out []billing.Offer
	at := map[string]int{}
	for _, row := range rows {
		model, count := gpu.Sized(row.GPU, decimal(row.CardMemory).Float64()), decimal(row.Cards)
		if model == "" || count.Sign() <= 0 {
			continue
		}
		hourly := price(row.Whole)
		key := fmt.Sprintf("%sx %s", count, model)
		i, known := at[key]
		if !known {
			at[key] = len(out)
			out = append(out, billing.Offer{
				Type:     key,
				GPU:      billing.GPU{Model: model, Count: count},
				Mode:     mode,
				Low:      hourly,
				High:     hourly,
				Unit:     "hour",
				Excludes: []billing.Part{billing.PartBandwidth},
				Source:   docOffers,
			})
			continue
		}
		out[i].Low, out[i].High = less(out[i].Low, hourly), more(out[i].High, hourly)
	}
	return out
}

// less is the smaller of two prices; an unknown one does not count.
func less(x, y billing.Money) billing.Money {
	if c, err := y.Cmp(x); !x.Known() || err == nil && c < 0 {
		return y
	}
	return x
}

// more is the larger of two prices; an unknown one does not count.
func more(x, y billing.Money) billing.Money {
	if c, err := y.Cmp(x); !x.Known() || err == nil && c > 0 {
		return y
	}
	return x
}

// spellings are Vast.ai's names of cards, as queries have them, where they are not ours with underscores.
func spellings(model string) []string {
	switch model {
	case "A100-80G", "A100-40G", "A100-ANY":
		return []string{"A100_SXM4", "A100_PCIE", "A100X"}
	case "H100":
		return []string{"H100_SXM", "H100_PCIE"}
	case "V100-16G", "V100-32G", "V100-ANY":
		return []string{"Tesla_V100"}
	case "RTX-4090-48G":
		return []string{"RTX_4090"}
	case "RTX-4090-D":
		return []string{"RTX_4090D"}
	case "RTX-6000-ADA":
		return []string{"RTX_6000Ada"}
	case "RTX-PRO-6000":
		return []string{"RTX_PRO_6000_S", "RTX_PRO_6000_WS"}
	case "T4":
		return []string{"Tesla_T4"}
	}
	return []string{strings.ReplaceAll(model, "-", "_")}
}

// offers searches the market, cheapest first. It reads with POST.
func (c *client) offers(ctx context.Context, kind, model string) ([]offer, error) {
	op := "vast: search offers (" + kind + ")"
	body := map[string]any{
		"type":     kind,
		"verified": map[string]bool{"eq": true},
		"rentable": map[string]bool{"eq": true},
		"order":    [][]string{{"dph_total", "asc"}, {"id", "asc"}}, // two, as the document asks for
		"limit":    offersAtMost,
	}
	if model != "" {
		body["gpu_name"] = map[string][]string{"in": spellings(gpu.Canonical(model))}
	}
	req, err := httpx.NewRequest(ctx, http.MethodPost, c.base+"/api/v0/bundles/", body)
	if err != nil {
		return nil, &billing.Error{Kind: billing.Invalid, Op: op, Err: err}
	}
	var p offerPage
	if err := c.do(op, httpx.Read(req), &p); err != nil {
		return nil, err
	}
	if p.Offers == nil {
		return nil, garbled(op, "the answer lacks its list")
	}
	return *p.Offers, nil
}
