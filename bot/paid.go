package bot

import (
	"gpuspend/notify"
	"gpuspend/notify/words"
)

func paidData(p notify.Paid) StatusPaid {
	return StatusPaid{Today: p.Today.Calls, TodayCost: p.Today.Cost.Amount(), Month: p.Month.Calls, MonthCost: p.Month.Cost.Amount(),
		DailyLimit: p.Daily.Amount(), Currency: string(p.Daily.Currency())}
}

// paidLine says what requests have cost. Who never paid for one has nothing to read.
func paidLine(p words.Printer, paid notify.Paid) []notify.Rich {
	if paid.Month.Calls == 0 {
		return nil
	}
	key := "bot.status.paid"
	if paid.UsedUp() {
		key = "bot.status.paid_out"
	}
	return []notify.Rich{p.Rich(key, "count", paid.Today.Calls, "cost", paid.Today.Cost, "daily", paid.Daily,
		"month", paid.Month.Calls, "spent", paid.Month.Cost)}
}
