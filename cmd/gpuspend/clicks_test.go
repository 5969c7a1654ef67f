//go:build !nodemo

package main

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/providers/sim"
	"gpuspend/billing/release"
	"gpuspend/bot/localslack"
)

// oldDisk is a disk at Cloud A that nobody uses.
const oldDisk = "ds-imagenet-old"

// clicking runs a test in a bubble on a stage whose program has read every account.
func clicking(t *testing.T, test func(s *stage)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := begin(t, time.Hour)
		s.start()
		time.Sleep(2 * time.Minute)
		test(s)
	})
}

// form opens the release form of a resource.
func (s *stage) form(user, name string) localslack.View {
	s.Helper()
	s.types(user, "/gpu release "+name)
	s.until(10*time.Second, "the release form", func() bool { return len(s.slack.Views(user)) == 1 })
	return s.slack.Views(user)[0]
}

// submit types the name and presses the form's button.
func (s *stage) submit(user string, v localslack.View, name string) localslack.ViewReply {
	s.Helper()
	r, err := s.slack.Submit(s.ctx, user, v.ID, map[string]map[string]any{"do": {"do": "delete"}, "exported": {"exported": release.Exports()}, "typed": {"typed": name}})
	if err != nil {
		s.Errorf("submit by %s: %v", user, err)
	}
	return r
}

// told are the sentences that one person alone was shown.
func (s *stage) told(user string) (lines []string) {
	for _, m := range s.slack.Messages(demoChannel) {
		if m.Ephemeral == user {
			lines = append(lines, m.Text)
		}
	}
	return lines
}

// asked checks how often any cloud was asked for anything at all, and how often it deleted something.
func (s *stage) asked(orders, deletes int) {
	s.Helper()
	if a, d := s.world.Asked(), s.world.Deletes(); len(a) != orders || len(d) != deletes {
		s.Errorf("the clouds were asked %d times and deleted %d things, want %d and %d: %+v", len(a), len(d), orders, deletes, a)
	}
}

// ends waits until the one message about a resource says how it ended, and all that may follow has followed.
func (s *stage) ends(name, how string, patience time.Duration) {
	s.Helper()
	s.until(patience, how+" "+name, func() bool { return len(s.find(how, name)) > 0 })
	time.Sleep(40 * time.Minute) // longer than any patience
	synctest.Wait()
	if all := s.find(name + ":"); len(all) != 1 || !strings.Contains(all[0].Text, how) {
		s.Errorf("%d messages are about %s, want one with %s:\n%s", len(all), name, how, s.channel())
	}
}

// redeliver sends the envelope that was acknowledged last a few times more, and gives every receipt of it.
func (s *stage) redeliver(id string, times int) (payloads []string) {
	s.Helper()
	for range times {
		if err := s.slack.Redeliver(s.ctx, id); err != nil {
			s.Error(err)
		}
		time.Sleep(time.Second)
	}
	for _, a := range s.slack.Acks() {
		if a.EnvelopeID == id {
			payloads = append(payloads, string(a.Payload))
		}
	}
	return payloads
}

func (s *stage) lastEnvelope() string {
	acks := s.slack.Acks()
	return acks[len(acks)-1].EnvelopeID
}

// Two operators have the form of one disk open and press its button at the same instant.
func TestTwoOperatorsSubmitAtOnce(t *testing.T) {
	clicking(t, func(s *stage) {
		for i, name := range []string{oldDisk, "scratch-uf6", "scratch-new"} {
			names := map[string]string{demoOperator: "ana", demoChinese: "chen"}
			forms, replies := map[string]localslack.View{}, map[string]localslack.ViewReply{}
			for u := range names {
				forms[u] = s.form(u, name)
			}
			var mu sync.Mutex
			var both sync.WaitGroup
			for u := range names {
				both.Go(func() {
					r := s.submit(u, forms[u], name)
					mu.Lock()
					defer mu.Unlock()
					replies[u] = r
				})
			}
			both.Wait()
			first, second := demoOperator, demoChinese
			if replies[first].Action == "errors" {
				first, second = second, first
			}
			if replies[first].Action != "" || !strings.Contains(replies[second].Errors["do"], names[first]) {
				s.Errorf("%s: replies %+v; want one taken and the other told who was quicker", name, replies)
			}
			s.ends(name, "✅", 30*time.Minute)
			s.asked(i+1, i+1)
			if err := s.slack.CloseView(s.ctx, second, forms[second].ID); err != nil {
				s.Error(err)
			}
		}
	})
}

// One operator presses the button of a form twice before Slack has closed it.
func TestOneOperatorSubmitsTwice(t *testing.T) {
	clicking(t, func(s *stage) {
		v := s.form(demoOperator, oldDisk)
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				_, _ = s.slack.Submit(s.ctx, demoOperator, v.ID, map[string]map[string]any{"do": {"do": "delete"}, "exported": {"exported": release.Exports()}, "typed": {"typed": oldDisk}}) // the second may find the form closed
			})
		}
		both.Wait()
		s.ends(oldDisk, "✅", 30*time.Minute)
		s.asked(1, 1)
	})
}

// Slack delivers one submission again and again: at once, after a restart in the middle, and after the end.
func TestASubmissionIsDeliveredAgain(t *testing.T) {
	clicking(t, func(s *stage) {
		s.submit(demoOperator, s.form(demoOperator, oldDisk), oldDisk)
		id := s.lastEnvelope()
		s.redeliver(id, 2)
		s.until(5*time.Minute, "the order", func() bool { return len(s.world.Asked()) == 1 })
		s.stop()
		s.start()
		s.redeliver(id, 1)
		s.ends(oldDisk, "✅", 30*time.Minute)
		for i, p := range s.redeliver(id, 1) {
			if strings.Contains(p, "errors") {
				s.Errorf("delivery %d was handled anew: %s", i+1, p)
			}
		}
		s.asked(1, 1)
		if said := s.told(demoOperator); len(said) > 0 {
			s.Errorf("the operator was told %q", said)
		}
	})
}

// Slack delivers one click on a button again and again: one form opens, and nothing is said beside it.
func TestAClickIsDeliveredAgain(t *testing.T) {
	clicking(t, func(s *stage) {
		m := s.find("Compute C runs dry")[0]
		id, err := s.slack.ClickEnvelope(s.ctx, demoOperator, demoChannel, m.TS, "release", "")
		if err != nil {
			s.Fatal(err)
		}
		s.until(10*time.Second, "the form", func() bool { return len(s.slack.Views(demoOperator)) == 1 })
		v := s.slack.Views(demoOperator)[0]
		s.redeliver(id, 2)
		s.stop()
		s.start()
		s.redeliver(id, 1)
		if now := s.slack.Views(demoOperator); len(now) != 1 || now[0].ID != v.ID {
			s.Errorf("forms: %+v, want the first one", now)
		}

		s.types(demoOperator, "/gpu status")
		s.redeliver(s.lastEnvelope(), 2)
		if said := s.told(demoOperator); len(said) != 1 {
			s.Errorf("said to the operator: %q, want the status once", said)
		}
		s.asked(0, 0)
	})
}

// Who may only look, and who may not even that, press a button in the channel and type the command.
func TestOthersPressInVain(t *testing.T) {
	const guest = "U0GUEST"
	clicking(t, func(s *stage) {
		c := s.app.present.Load().config
		c.Releases.Operators = []string{demoOperator, guest} // a guest may nothing, whoever lists him
		if err := s.app.Apply(s.ctx, c); err != nil {
			s.Fatal(err)
		}
		m := s.find("Compute C runs dry")[0]
		for user, sentence := range map[string]string{demoViewer: "You can look but not release", guest: "Guests of this workspace"} {
			if err := s.slack.Click(s.ctx, user, demoChannel, m.TS, "release", ""); err != nil {
				s.Error(err)
			}
			s.types(user, "/gpu release "+oldDisk)
			time.Sleep(10 * time.Second)
			if v := s.slack.Views(user); len(v) > 0 {
				s.Errorf("%s has forms: %+v", user, v)
			}
			said := s.told(user)
			if len(said) != 2 || slices.ContainsFunc(said, func(l string) bool { return !strings.Contains(l, sentence) }) {
				s.Errorf("%s was told %q, want two times %q", user, said, sentence)
			}
		}
		s.asked(0, 0)
	})
}

// The right to release is taken from somebody who has the form open.
func TestTheRightEndsBeforeTheSubmission(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"the person":  func(c *Config) { c.Releases.Operators = []string{demoChinese} },
		"everybody":   func(c *Config) { c.Releases.Operators = nil },
		"the account": func(c *Config) { c.Accounts[0].Release = "" },
	} {
		t.Run(name, func(t *testing.T) {
			clicking(t, func(s *stage) {
				v := s.form(demoOperator, oldDisk)
				c := s.app.present.Load().config
				c.Accounts = slices.Clone(c.Accounts)
				change(&c)
				if err := s.app.Apply(s.ctx, c); err != nil {
					s.Fatal(err)
				}
				if r := s.submit(demoOperator, v, oldDisk); r.Action != "errors" || r.Errors["do"] == "" {
					s.Errorf("reply %+v, want a sentence in the form", r)
				}
				time.Sleep(time.Hour)
				s.asked(0, 0)
			})
		})
	}
}

// The disk changes while its form is open. Where the program has not seen it yet, it looks before it acts; where it has,
// the form itself says so.
func TestTheThingChangesUnderTheForm(t *testing.T) {
	for name, change := range map[string]func(*sim.World){
		"attached":  func(w *sim.World) { w.Attach("cloud-a", oldDisk, "infer-a10-2") },
		"owned":     func(w *sim.World) { w.Retag("cloud-a", oldDisk, "bo", "sft") },
		"protected": func(w *sim.World) { w.Protect("cloud-a", oldDisk, true) },
	} {
		t.Run(name, func(t *testing.T) {
			clicking(t, func(s *stage) {
				v := s.form(demoOperator, oldDisk)
				change(s.world)
				if r := s.submit(demoOperator, v, oldDisk); r.Action != "" {
					s.Errorf("reply %+v, want it taken: nobody has looked yet", r)
				}
				s.ends(oldDisk, "not deleted", 5*time.Minute)
				s.asked(0, 0)
			})
		})
		t.Run(name+" and seen", func(t *testing.T) {
			clicking(t, func(s *stage) {
				v := s.form(demoOperator, oldDisk)
				change(s.world)
				time.Sleep(2*time.Hour + time.Minute) // the next poll
				r := s.submit(demoOperator, v, oldDisk)
				if r.Action != "errors" || !strings.Contains(r.Errors["do"], oldDisk) {
					s.Errorf("reply %+v, want a sentence in the form", r)
				}
				time.Sleep(time.Hour)
				s.asked(0, 0)
			})
		})
	}
}

// The cloud refuses, where it can be asked before the order or only by it: the message says so, and the order is not
// given again.
func TestTheCloudRefuses(t *testing.T) {
	for _, c := range []struct {
		cloud, name string
		orders      int
	}{{"cloud-a", oldDisk, 0}, {"compute-c", "nv-exp-3", 1}} {
		for _, kind := range []billing.ErrorKind{billing.Conflict, billing.Auth, billing.Limited} {
			t.Run(c.cloud+" "+string(kind), func(t *testing.T) {
				clicking(t, func(s *stage) {
					v := s.form(demoOperator, c.name)
					s.world.Fault(c.cloud, sim.Fault{Refuse: kind})
					s.submit(demoOperator, v, c.name)
					s.ends(c.name, "The cloud refused", 5*time.Minute)
					s.asked(c.orders, 0)
				})
			})
		}
	}
}

// What is protected or managed by something that would make it anew has no form.
func TestNoFormForWhatMustStay(t *testing.T) {
	clicking(t, func(s *stage) {
		for _, name := range []string{"vault-1", "infer-asg-7f"} {
			s.types(demoOperator, "/gpu release "+name)
			time.Sleep(10 * time.Second)
			if v := s.slack.Views(demoOperator); len(v) > 0 {
				s.Errorf("%s has a form", name)
			}
			if said := s.told(demoOperator); len(said) == 0 || !strings.Contains(said[len(said)-1], name) {
				s.Errorf("%s: told %q", name, said)
			}
		}
		s.asked(0, 0)
	})
}

// The cloud takes the order and its answer is lost, or takes its time, or does nothing at all: one order, and the
// listings decide.
func TestTheAnswerProvesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		fault   sim.Fault
		how     string
		deletes int
	}{
		"lost":          {sim.Fault{Lose: true}, "✅", 1},
		"slow":          {sim.Fault{Slow: 20 * time.Minute}, "✅", 1},
		"lost and slow": {sim.Fault{Lose: true, Slow: 20 * time.Minute}, "✅", 1},
		"too slow":      {sim.Fault{Slow: time.Hour}, "still listed", 1},
		"never done":    {sim.Fault{Deaf: true}, "still listed", 0},
		"lost for good": {sim.Fault{Deaf: true, Lose: true}, "still listed", 0},
	} {
		t.Run(name, func(t *testing.T) {
			clicking(t, func(s *stage) {
				v := s.form(demoOperator, oldDisk)
				s.world.Fault("cloud-a", c.fault)
				s.submit(demoOperator, v, oldDisk)
				s.ends(oldDisk, c.how, 45*time.Minute)
				s.asked(1, c.deletes)
			})
		})
	}
}

// The cloud can't be read: before the order nothing is sent; after it nothing is called done that was not seen.
func TestNothingIsDoneUnseen(t *testing.T) {
	for name, fault := range map[string]sim.Fault{
		"denied":  {Denied: []billing.Kind{billing.KindDisk}},
		"cut":     {Cut: true},
		"down":    {Fail: billing.Upstream},
		"limited": {Limited: time.Minute},
		"hanging": {Hang: true},
	} {
		t.Run(name+" before", func(t *testing.T) {
			clicking(t, func(s *stage) {
				v := s.form(demoOperator, oldDisk)
				s.world.Fault("cloud-a", fault)
				s.submit(demoOperator, v, oldDisk)
				s.ends(oldDisk, "nothing was sent", 30*time.Minute)
				s.asked(0, 0)
			})
		})
		t.Run(name+" after", func(t *testing.T) {
			clicking(t, func(s *stage) {
				s.submit(demoOperator, s.form(demoOperator, oldDisk), oldDisk)
				s.until(time.Minute, "the order", func() bool { return len(s.world.Asked()) == 1 })
				s.world.Fault("cloud-a", fault)
				s.ends(oldDisk, "could not read", time.Hour)
				s.asked(1, 1)
			})
		})
		t.Run(name+" for a while", func(t *testing.T) {
			clicking(t, func(s *stage) {
				s.submit(demoOperator, s.form(demoOperator, oldDisk), oldDisk)
				s.until(time.Minute, "the order", func() bool { return len(s.world.Asked()) == 1 })
				s.world.Fault("cloud-a", fault)
				time.Sleep(12 * time.Minute)
				if early := s.find("✅"); len(early) > 0 {
					s.Errorf("called done while nobody could look: %s", early[0].Text)
				}
				s.world.Fault("cloud-a", sim.Fault{})
				s.ends(oldDisk, "✅", 30*time.Minute)
				s.asked(1, 1)
			})
		})
	}
}

// Slack is down while a release runs: it runs all the same, once, the store knows its end, and when Slack is back there
// is one message with it.
func TestSlackIsDownDuringARelease(t *testing.T) {
	for name, f := range map[string]localslack.Fault{
		"down":        {Status: 503},
		"limited":     {RetryAfter: 30 * time.Second},
		"half broken": {AfterAccept: true}, // takes everything, and no answer comes back
		"stuck":       {Delay: time.Minute, Status: 504},
	} {
		t.Run(name, func(t *testing.T) {
			clicking(t, func(s *stage) {
				v := s.form(demoOperator, oldDisk)
				for _, method := range []string{"chat.postMessage", "chat.update"} {
					s.slack.Fail(method, 8, f)
				}
				s.submit(demoOperator, v, oldDisk)
				time.Sleep(30 * time.Minute)
				s.asked(1, 1)
				open, err := s.app.engine.Open(s.ctx)
				if a, e := s.app.db.Action(s.ctx, 1); err != nil || e != nil || len(open) > 0 || a.State != release.Done {
					s.Errorf("the store says %s (%v %v), want done", a.State, err, e)
				}
				s.ends(oldDisk, "✅", 24*time.Hour)
			})
		})
	}
}
