//go:build !nodemo

package sim

import (
	"slices"
	"time"

	"gpuspend/billing"
)

// Fault is what goes wrong at a cloud until another Fault is set. The zero Fault is none.
type Fault struct {
	Fail    billing.ErrorKind // every call fails so, whatever is asked: Auth, Upstream and the like
	Limited time.Duration     // too many requests: come back after so long
	Hang    bool              // calls give no answer until their context ends
	Denied  []billing.Kind    // listings that the credential may not read
	Cut     bool              // listings break after half of what there is
	Slow    time.Duration     // stops and releases take so much longer
	Refuse  billing.ErrorKind // every act is refused so
	Deaf    bool              // acts are taken and never carried out
	Lose    bool              // acts are carried out and their answer is lost
}

// any is the error of every call, nil for none.
func (f Fault) any(op string) error {
	switch {
	case f.Fail != "":
		return refuse(op, f.Fail, billing.Text{}, "the simulation was told to fail")
	case f.Limited > 0:
		return &billing.Error{Kind: billing.Limited, Op: op, RetryAfter: f.Limited}
	}
	return nil
}

func (f Fault) listing(op string, k billing.Kind) error {
	if slices.Contains(f.Denied, k) {
		return refuse(op, billing.Denied, billing.Text{}, "the credential may not list "+string(k)+"s")
	}
	return nil
}

// Fault sets what goes wrong at a cloud from now on, in place of what went wrong before.
func (w *World) Fault(driver string, f Fault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.today()
	w.cloud(driver).fault = f
}

// TopUp adds to a cloud's balance now.
func (w *World) TopUp(driver string, m billing.Money) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.today()
	w.cloud(driver).topUp(m)
}

// Launch puts a machine on now, in the cloud's first region, and gives its id. A spot machine is reclaimed some ten
// hours later.
func (w *World) Launch(driver string, m Machine) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	now, c := w.today(), w.cloud(driver)
	t := c.launch(m)
	if m.Mode == billing.ModeSpot {
		c.awaitReclaim(t, now)
	}
	return t.r.Ref.ID
}

// CreateDisk makes an unattached disk now, in the cloud's first region, and gives its id.
func (w *World) CreateDisk(driver, name string, gib int64, owner string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.today()
	return w.cloud(driver).make(stock{kind: billing.KindDisk, name: name, gib: gib, owner: owner}).r.Ref.ID
}

// Attach puts a disk or address on a machine now, both by name; with no machine it takes it off the one it is on.
func (w *World) Attach(driver, name, machine string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.today()
	c := w.cloud(driver)
	t := c.need(name)
	if machine == "" {
		t.r.AttachedTo = nil
		c.turn(t, billing.StateUnattached)
		for _, m := range c.machines() {
			c.setFate(m)
		}
		return
	}
	c.attach(t, c.need(machine))
}

// Protect turns a resource's deletion protection on or off now.
func (w *World) Protect(driver, name string, on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.today()
	w.cloud(driver).need(name).r.Protected = on
}

// Retag gives a resource another owner and project now.
func (w *World) Retag(driver, name, owner, project string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.today()
	w.cloud(driver).need(name).tag(owner, project)
}

// Ref gives the reference of a resource that is listed now, by its name; zero where there is none.
func (w *World) Ref(driver, name string) billing.ResourceRef {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.today()
	if t := w.cloud(driver).named(name); t != nil {
		return t.r.Ref
	}
	return billing.ResourceRef{}
}

// need gives the listed thing of a name that a test relies on, and panics where there is none.
func (c *cloud) need(name string) *thing {
	t := c.named(name)
	if t == nil {
		panic("sim: " + c.name + " lists nothing called " + name)
	}
	return t
}
