package storage

import (
	"testing"

	"gpuspend/billing"
)

func TestKeeps(t *testing.T) {
	db, _, listing := observed(t)
	listing(t0, disk("d", billing.StateUnattached, ""))
	kept := func() billing.Keep {
		t.Helper()
		h, err := db.Holding(t.Context(), 1)
		must(t, err)
		return h.Keep
	}
	diff(t, "nobody's", billing.Keep{}, kept())
	first := billing.Keep{Reason: "checkpoints", By: "U1", At: minute(1)} // for good
	must(t, db.KeepResource(t.Context(), 1, first, "T1"))
	diff(t, "kept", first, kept())
	second := billing.Keep{Until: minute(100), Reason: "until Friday", By: "U2", At: minute(2)}
	must(t, db.KeepResource(t.Context(), 1, second, "T1"))
	diff(t, "kept by another", second, kept())
	must(t, db.Unkeep(t.Context(), 1, minute(3)))
	diff(t, "taken back", billing.Keep{}, kept())
	must(t, db.KeepResource(t.Context(), 1, first, "T1"))
	listing(minute(4))
	listing(minute(5))
	listing(minute(6), disk("d", billing.StateUnattached, ""))
	next, err := db.Holding(t.Context(), 2)
	must(t, err)
	diff(t, "of the next generation", billing.Keep{}, next.Keep)

	wantKind(t, db.KeepResource(t.Context(), 99, first, "T1"), billing.Missing, "")
	wantKind(t, db.KeepResource(t.Context(), 1, billing.Keep{}, "T1"), billing.Invalid, "")
}
