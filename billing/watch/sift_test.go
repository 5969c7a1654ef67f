package watch

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"gpuspend/billing"
)

// picky is a cloud of which much is left out.
type picky struct {
	*cloud
	reminded [][]billing.ResourceRef
}

func (p *picky) Remember(refs []billing.ResourceRef) { p.reminded = append(p.reminded, refs) }
func (p *picky) LeftOut(s billing.Scope) int         { return len(s.Region) }

// A provider that leaves things out is told before every listing what it must not, and asked after it for how many
// there were; a listing that failed counts nothing.
func TestWhatIsLeftOutIsCountedAndReminded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, p := newMemory(), &picky{cloud: newCloud()}
		m.served = []billing.ResourceRef{{Kind: billing.KindDisk, ID: "d-1"}}
		w := newWatcher(t, m, nil, Account{Account: billing.Account{ID: 1, Name: "a"}, Provider: p})
		disks := billing.Scope{Kind: billing.KindDisk, Region: "sh"}
		if err := w.Refresh(context.Background(), 1, disks); err != nil {
			t.Fatal(err)
		}
		if len(p.reminded) != 1 || len(p.reminded[0]) != 1 || count(m.take(), "1 left out disk/sh 2") != 1 {
			t.Errorf("reminded of %v", p.reminded)
		}
		time.Sleep(time.Minute)
		p.fail("list disk", &billing.Error{Kind: billing.Upstream})
		if err := w.Refresh(context.Background(), 1, disks); err == nil || count(m.take(), "1 left out") != 0 {
			t.Errorf("a listing that failed (%v) was counted", err)
		}
	})
}
