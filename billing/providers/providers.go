// Package providers is the list of clouds that gpuspend knows.
package providers

import (
	"gpuspend/billing"
	"gpuspend/billing/providers/runpod"
)

// All lists the real clouds, one line each, in the order of the README's table.
func All() []billing.Driver {
	return []billing.Driver{
		runpod.Driver(),
	}
}
