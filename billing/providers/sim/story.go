//go:build !nodemo

// Package sim is three clouds that behave without any network: the world of the demo and of the end-to-end tests, where
// charges accrue by the hour, disks outlive machines and a balance runs dry.
//
// # The story
//
// Everything is told around one instant, Options.Story, here Wed 2 Dec 2026 09:57 in Shanghai (01:57 UTC). All prices
// are CNY; the figures marked * are from the articles behind the demo ("demo book, article prices"), the others are our
// own. Disks cost 300 per 1,024 GiB and month*, snapshots and images 0.12 per GiB and month*, addresses 0.20 an hour*,
// outbound traffic 5 per GB*, all pro rata by the hour over months of 720 h.
//
//	Cloud A, cn-shanghai and cn-beijing: postpaid with a credit line, billed by the day of Shanghai
//	  train-a100-1      8 x A100-80G, 880/h*      running since Tue 20:00, ana, sft; disk ds-sft-current, eip-sh-01
//	  infer-a10-2       A10, 9.50/h               running for 6 days, chen, eval; disk d-eval-2, eip-sh-02, 2 snapshots
//	  infer-asg-7f      A10, 9.50/h               belongs to Auto Scaling group asg-infer, bo, serve
//	  vault-1           no card, 1.20/h           deletion protection, ana, ops
//	  sweep-spot-2      8 x A100-80G, 96-144/h*   spot since 3 hours, bo, sft; reclaimed some 10 h later
//	  train-a10-1       A10, in Beijing           stopped 3 days ago, chen; its system disk and d-a10-1 go on billing
//	  ds-imagenet-old   1,024 GiB                 unattached for 29 days, nobody's
//	  scratch-uf6       500 GiB                   unattached for 12 days, eval
//	  scratch-new       200 GiB                   unattached for 2 days, ana
//	  eip-sh-04         address                   bound to nothing for 41 days
//	  snap-base         60 GiB, 130 days old      img-train-base is made from it: never forgotten
//	  snap-old-1, -2    300 and 120 GiB           120 and 97 days old, nobody uses them
//	  snap-legacy       80 GiB, in Beijing        age unknown
//	  before            train-a100-0              8 x A100-80G for 30 h nine days ago: 26,400.00*
//	                    sweep-spot-1              a spot run eight days ago that was reclaimed
//	                    prep-a10-0, uf-a10-6      the machines that ds-imagenet-old and scratch-uf6 were on
//	                    explore-a10-3             the machine that scratch-new was on
//	                    a voucher of 800.00 used 16 days ago
//
//	Cloud B, cn-east-1: prepaid, billed by the day of UTC, system disks apart from the machine
//	  a100-month-1      8 x A100-80G, 80,000*     paid to Sat 12 Dec 18:00, does not renew itself; disk d-pretrain-b
//	  npu-eval-1        ASCEND-910B, 28/h         running for 5 days, bo, eval
//	  snap-pretrain     150 GiB                   10 days old
//	  before            recsys-ft                 8 x A100-80G for 30 h sixteen days ago: 25,200.00*
//
//	Compute C: prepaid, settled at every full hour, least top-up 10; 143.20 left, under 6 h
//	  sft-07            4 x A100-80G, 14/h*       ana, sft; its work is safe on nv-ckpt-1 when the money ends
//	  notebook-3        1 x A100-80G, 3/h*        chen; lost with all its data when the money ends
//	  eval-batch-2      2 x A100-80G, 8/h*        bo, eval; lost with all its data when the money ends
//	  nv-exp-3          volume of 200 GiB         on no machine for 18 days, sft
//	  bw-50m            fixed bandwidth, 600*     renews itself on the 1st
//	  before            lora-uf6                  4 cards at 4/h for 28 h twenty days ago: 448.00*
//	                    exp-3, eval-batch-1, sft-06, and four top-ups of 300 to 1,000
//
// Bills come a day late: at any instant everything is delivered that began before the last day boundary (A: midnight
// in Shanghai, B and C: UTC) at least 24 h ago.
package sim

import (
	"time"

	"gpuspend/billing"
)

// The instants of the story that more than one thing hangs on.
const (
	day         = 24 * time.Hour
	storyDays   = 40 // days of history before the story, where Options names no start
	prologue    = 45 * day
	planEnds    = 10*day + 8*time.Hour + 3*time.Minute // after the story; Sat 12 Dec 18:00
	planLasts   = 30 * day
	spotBorn    = 3 * time.Hour
	voucherUsed = 16 * day
)

// plan is what the story scripts: at an instant before or after Options.Story, something happens.
type plan struct {
	w *World
	c *cloud
}

// at lets something happen at an instant relative to the story. What lies before the world's first instant happens then.
func (p plan) at(offset time.Duration, do func()) {
	p.w.schedule(p.w.story.Add(offset), do)
}

// run puts a machine on from one instant to another; a zero end lets it run on. Somebody may have deleted what it is
// told to take along: then it does without.
func (p plan) run(from, until time.Duration, m Machine, on ...string) **thing {
	machine := new(*thing)
	p.at(from, func() {
		t := p.c.launch(m)
		for _, name := range on {
			if s := p.c.named(name); s != nil {
				p.c.attach(s, t)
			}
		}
		*machine = t
	})
	if until != 0 {
		p.at(until, func() { p.c.remove(*machine) })
	}
	return machine
}

// keep makes a disk, snapshot, image or address that was there since the given instant.
func (p plan) keep(from time.Duration, s stock) {
	p.at(from, func() {
		t := p.c.make(s)
		t.r.CreatedAt = p.w.story.Add(from)
		if s.ageless {
			t.r.CreatedAt = time.Time{}
		}
	})
}

func (w *World) tellStory() {
	storyOfA(plan{w, w.cloud(nameA)})
	storyOfB(plan{w, w.cloud(nameB)})
	storyOfC(plan{w, w.cloud(nameC)})
}

func storyOfA(p plan) {
	p.keep(-200*day, stock{kind: billing.KindDisk, name: "ds-imagenet-old", gib: 1024})
	p.keep(-44*day, stock{kind: billing.KindDisk, name: "ds-sft-current", gib: 2048, owner: "ana", project: "sft"})
	p.keep(-44*day, stock{kind: billing.KindDisk, name: "scratch-uf6", gib: 500, project: "eval"})
	p.keep(-44*day, stock{kind: billing.KindDisk, name: "d-eval-2", gib: 500, owner: "chen", project: "eval"})
	p.keep(-30*day, stock{kind: billing.KindDisk, name: "d-a10-1", gib: 1024, owner: "chen", project: "eval", region: 1})
	p.keep(-9*day, stock{kind: billing.KindDisk, name: "scratch-new", gib: 200, owner: "ana"})

	p.keep(-130*day, stock{kind: billing.KindSnapshot, name: "snap-base", gib: 60, of: "ds-imagenet-old", owner: "ana"})
	p.keep(-129*day, stock{kind: billing.KindImage, name: "img-train-base", gib: 60, of: "snap-base", owner: "ana"})
	p.keep(-120*day, stock{kind: billing.KindSnapshot, name: "snap-old-1", gib: 300, of: "ds-imagenet-old"})
	p.keep(-97*day, stock{kind: billing.KindSnapshot, name: "snap-old-2", gib: 120, of: "ds-imagenet-old", owner: "bo"})
	p.keep(-90*day, stock{kind: billing.KindSnapshot, name: "snap-legacy", gib: 80, region: 1, ageless: true})
	p.keep(-20*day, stock{kind: billing.KindSnapshot, name: "snap-eval-2a", gib: 40, of: "d-eval-2", owner: "chen"})
	p.keep(-13*day, stock{kind: billing.KindSnapshot, name: "snap-eval-2b", gib: 40, of: "d-eval-2", owner: "chen"})

	p.keep(-44*day, stock{kind: billing.KindIP, name: "eip-sh-01", owner: "ana"})
	p.keep(-44*day, stock{kind: billing.KindIP, name: "eip-sh-02", owner: "chen"})
	p.keep(-41*day, stock{kind: billing.KindIP, name: "eip-sh-04"})

	p.machinesOfA()
	p.at(-voucherUsed, func() { p.c.credit("V-2026-11", "800") })
}

// machinesOfA is apart because disks have to be there before the machines they are on.
func (p plan) machinesOfA() {
	train := Machine{GPU: a100, Cards: 8, Owner: "ana", Project: "sft", TrafficGB: 2}
	infer := Machine{GPU: a10, Cards: 1, Owner: "chen", Project: "eval"}
	spot := Machine{GPU: a100, Cards: 8, Mode: billing.ModeSpot, Owner: "bo", Project: "sft"}

	p.run(-44*day, -29*day, infer.called("prep-a10-0"), "ds-imagenet-old")
	p.run(-43*day, -12*day, infer.called("uf-a10-6"), "scratch-uf6")
	p.run(-9*day, -2*day, infer.called("explore-a10-3"), "scratch-new")
	p.run(-10*day, -10*day+30*time.Hour, train.called("train-a100-0"), "ds-sft-current")
	p.run(-13*time.Hour-57*time.Minute, 0, train.called("train-a100-1"), "ds-sft-current", "eip-sh-01")
	p.run(-6*day, 0, infer.called("infer-a10-2"), "d-eval-2", "eip-sh-02")
	p.run(-12*day, 0, Machine{Name: "infer-asg-7f", GPU: a10, Cards: 1, Owner: "bo", Project: "serve", TrafficGB: 6,
		Managed: "Auto Scaling group asg-infer"})
	p.run(-44*day, 0, Machine{Name: "vault-1", Owner: "ana", Project: "ops", Protected: true})
	past := p.run(-8*day, 0, spot.called("sweep-spot-1"))
	p.at(-8*day, func() { p.c.awaitReclaim(*past, p.w.at) })
	present := p.run(-spotBorn, 0, spot.called("sweep-spot-2"))
	p.at(-spotBorn, func() { p.c.awaitReclaim(*present, p.w.story) })

	stopped := infer.called("train-a10-1")
	stopped.region = 1
	off := p.run(-30*day, 0, stopped, "d-a10-1")
	p.at(-3*day, func() { p.c.halt(*off) })
}

func storyOfB(p plan) {
	month := Machine{Name: "a100-month-1", GPU: a100, Cards: 8, Mode: billing.ModeMonthly, Owner: "ana", Project: "sft"}
	p.keep(-44*day, stock{kind: billing.KindDisk, name: "d-pretrain-b", gib: 2048, owner: "ana", project: "sft"})
	p.keep(-44*day, stock{kind: billing.KindIP, name: "ip-b-1", owner: "ana", project: "sft"})
	p.keep(-10*day, stock{kind: billing.KindSnapshot, name: "snap-pretrain", gib: 150, of: "d-pretrain-b", owner: "ana", project: "sft"})
	planned := p.run(-44*day, 0, month, "d-pretrain-b", "ip-b-1")
	p.at(-44*day, func() { p.c.prepay(*planned, p.w.story.Add(planEnds-planLasts)) })
	p.at(planEnds-planLasts, func() { p.c.buyPlan(*planned, p.w.story.Add(planEnds)) })
	p.run(-16*day, -16*day+30*time.Hour, Machine{Name: "recsys-ft", GPU: a100, Cards: 8, Owner: "bo", Project: "recsys"})
	p.run(-5*day, 0, Machine{Name: "npu-eval-1", GPU: npu, Cards: 1, Owner: "bo", Project: "eval"})
	p.at(-20*day, func() { p.c.topUp(money("100000")) })
}

func storyOfC(p plan) {
	p.keep(-44*day, stock{kind: billing.KindDisk, name: "nv-ckpt-1", gib: 200, owner: "ana", project: "sft"})
	p.keep(-44*day, stock{kind: billing.KindDisk, name: "nv-exp-3", gib: 200, project: "sft"})
	card := Machine{GPU: a100, Cards: 1}
	p.run(-20*day-5*time.Hour, -18*day, card.called("exp-3").cards(1, "3").of("bo", "sft"), "nv-exp-3")
	p.run(-20*day, -20*day+28*time.Hour, card.called("lora-uf6").cards(4, "16").of("chen", "uf6"))
	p.run(-12*day, -12*day+30*time.Hour, card.called("eval-batch-1").cards(2, "8").of("bo", "eval"))
	p.run(-5*day, -5*day+40*time.Hour, card.called("sft-06").cards(4, "14").of("ana", "sft"), "nv-ckpt-1")
	p.run(-20*time.Hour, 0, card.called("sft-07").cards(4, "14").of("ana", "sft"), "nv-ckpt-1")
	p.run(-12*time.Hour-17*time.Minute, 0, card.called("notebook-3").cards(1, "3").of("chen", "eval"))
	p.run(-9*time.Hour, 0, card.called("eval-batch-2").cards(2, "8").of("bo", "eval"))
	p.at(-21*day, func() { p.c.topUp(money("1000")) })
	p.at(-13*day, func() { p.c.topUp(money("300")) })
	p.at(-5*day-time.Hour, func() { p.c.topUp(money("500")) })
	p.at(-day, func() { p.c.topUp(money("300")) })
}

func (m Machine) called(name string) Machine { m.Name = name; return m }

func (m Machine) of(owner, project string) Machine { m.Owner, m.Project = owner, project; return m }

func (m Machine) cards(n int64, hourly string) Machine {
	m.Cards, m.Hourly = n, money(hourly)
	return m
}
