package aws

import "gpuspend/billing"

// pagePrice is what AWS charges for one request to Cost Explorer; every page, and every attempt, is one. Source: the
// Cost Explorer FAQ, read 2026-12-01.
func pagePrice() billing.Money { return billing.MustMoney("0.01", usd) }
