package notify

import (
	"time"

	"gpuspend/billing"
)

// Defaults are the thresholds that hold where the configuration says nothing.
func Defaults() Settings {
	const day = 24 * time.Hour
	return Settings{
		BalanceSteps:   []time.Duration{24 * time.Hour, 6 * time.Hour},
		RearmTime:      24 * time.Hour,
		RearmPercent:   20,
		DiskAge:        7 * day,
		SnapshotAge:    90 * day,
		StoppedAge:     time.Hour,
		StoppedPush:    24 * time.Hour,
		StoppedFloor:   []billing.Money{billing.MustMoney("1", "CNY"), billing.MustMoney("0.15", "USD")},
		ExpirySteps:    []time.Duration{14 * day, 3 * day, day},
		RenewalStep:    7 * day,
		ForgottenPush:  []billing.Money{billing.MustMoney("100", "CNY"), billing.MustMoney("15", "USD")},
		DrainStep:      []billing.Money{billing.MustMoney("0.5", "CNY"), billing.MustMoney("0.07", "USD")},
		DriftFrom:      []billing.Money{billing.MustMoney("100", "CNY"), billing.MustMoney("15", "USD")},
		UnreachableFor: 30 * time.Minute,
		StaleBalance:   15 * time.Minute,
		StaleInventory: 45 * time.Minute,
	}
}
