package main

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"gpuspend/billing"
	"gpuspend/notify"
	"gpuspend/storage"
)

// wants says that a member is to be watched: what is included, without what is excluded. The payer itself is an account of
// the configuration already.
func (o OrganizationConfig) wants(m billing.Member) bool {
	return m.Status == billing.MemberActive && (o.Include.empty() || o.Include.matches(m)) && !o.Exclude.matches(m)
}

func (c ChoiceConfig) empty() bool { return len(c.IDs)+len(c.Units)+len(c.Tags) == 0 }

// matches says that one of a choice's ids, units or tags is the member's. The value "" stands for any.
func (c ChoiceConfig) matches(m billing.Member) bool {
	if slices.Contains(c.IDs, m.ID) || slices.ContainsFunc(c.Units, func(u string) bool { return slices.Contains(m.Units, u) }) {
		return true
	}
	for k, want := range c.Tags {
		if v, there := m.Tags[k]; there && (want == "" || v == want) {
			return true
		}
	}
	return false
}

// detail is what choosing needs of every member.
func (o OrganizationConfig) detail() billing.MemberDetail {
	return billing.MemberDetail{Listed: o.Role != "", Units: len(o.Include.Units)+len(o.Exclude.Units) > 0, Tags: len(o.Include.Tags)+len(o.Exclude.Tags) > 0}
}

// withMembers adds the accounts of each organisation, as the store knows them, to the accounts of a configuration.
func (a *App) withMembers(ctx context.Context, c Config) (Config, error) {
	stored, err := a.db.Accounts(ctx)
	if err != nil {
		return c, err
	}
	taken := map[string]bool{}
	for _, ac := range c.Accounts {
		taken[ac.Name] = true
	}
	all := slices.Clone(c.Accounts)
	for _, payer := range c.Accounts {
		if payer.Organization.Role == "" {
			continue
		}
		i := slices.IndexFunc(stored, func(s billing.Account) bool { return s.Name == payer.Name })
		if i < 0 {
			continue // never read yet
		}
		members, err := a.db.Members(ctx, stored[i].ID)
		if err != nil {
			return c, err
		}
		for _, m := range members {
			if m.ID == stored[i].VendorID || !m.LeftAt.IsZero() || !payer.Organization.wants(m.Member) {
				continue
			}
			ac := payer.member(m.Member, stored, taken)
			taken[ac.Name] = true
			all = append(all, ac)
		}
	}
	c.Accounts = all
	return c, nil
}

// member is the account of a member: the payer's keys take on the member's role, and its costs are read at the payer. It
// keeps the name under which the store knows it, so that a changed name at the cloud makes no second account.
func (ac AccountConfig) member(m billing.Member, stored []billing.Account, taken map[string]bool) AccountConfig {
	org, out := ac.Organization, ac
	out.Organization, out.Machines, out.payer = OrganizationConfig{}, nil, ac.Name
	out.Name = memberName(ac.Name, m, taken)
	for _, s := range stored {
		if s.VendorID == m.ID && strings.HasPrefix(s.Name, ac.Name+"/") && !taken[s.Name] {
			out.Name = s.Name
		}
	}
	out.Credentials.Read = org.as(ac.Credentials.Read, m.ID, org.Role)
	out.Credentials.Release, out.Release = nil, ""
	if ac.Release == "allow" && org.ReleaseRole != "" {
		out.Credentials.Release, out.Release = org.as(ac.Credentials.Release, m.ID, org.ReleaseRole), "allow"
	}
	return out
}

// as are a payer's keys in a role of a member: without what reads the payer's bill.
func (o OrganizationConfig) as(keys map[string]SecretConfig, member, role string) map[string]SecretConfig {
	out := maps.Clone(keys)
	if out == nil {
		out = map[string]SecretConfig{}
	}
	for name := range out {
		if name == "cost_explorer" || strings.HasPrefix(name, "focus_") || name == "external_id" {
			delete(out, name)
		}
	}
	out["role_arn"] = SecretConfig{Plain: "arn:aws:iam::" + member + ":role/" + role}
	if o.ExternalID.Given() {
		out["external_id"] = o.ExternalID
	}
	return out
}

// memberName makes a name of a member's own, under its payer's, that nobody else has.
func memberName(payer string, m billing.Member, taken map[string]bool) string {
	bare := strings.Trim(strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return unicode.ToLower(c)
		}
		return '-'
	}, m.Name), "-")
	if bare == "" {
		bare = m.ID
	}
	if name := payer + "/" + bare; !taken[name] {
		return name
	}
	return payer + "/" + bare + "-" + m.ID
}

// remember takes over a changed list of members: those that came are watched, those that left are not.
func (a *App) followMembers(ctx context.Context) error {
	p := a.present.Load()
	expanded, err := a.withMembers(ctx, p.written)
	if err != nil || sameAccounts(expanded, p.config) {
		return err
	}
	return a.Apply(ctx, p.written)
}

func sameAccounts(a, b Config) bool {
	return slices.EqualFunc(a.Accounts, b.Accounts, func(x, y AccountConfig) bool { return x.Name == y.Name })
}

// runMembers follows the lists of members until ctx ends.
func (a *App) runMembers(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-a.joined:
		}
		if err := a.followMembers(ctx); err != nil && ctx.Err() == nil {
			a.o.Log.Error("members not taken over", "error", err)
		}
	}
}

// byMember keeps the charges of a payer with the member that each is for, so that they count once, and there.
type byMember struct{ *storage.DB }

// RecordCharges swaps the window of the payer and of every member it has lines of, or had: one that has none any more is
// swapped for nothing.
func (s byMember) RecordCharges(ctx context.Context, payer billing.AccountID, p billing.Period, at time.Time, cover billing.Coverage, charges iter.Seq2[billing.Charge, error]) error {
	members, err := s.Members(ctx, payer)
	if err != nil || len(members) == 0 {
		if err != nil {
			return err
		}
		return s.DB.RecordCharges(ctx, payer, p, at, cover, charges)
	}
	accounts, err := s.Accounts(ctx)
	if err != nil {
		return err
	}
	whose := map[string]billing.AccountID{}
	for _, m := range members {
		for _, a := range accounts {
			if a.VendorID == m.ID && a.ID != payer {
				whose[m.ID] = a.ID
			}
		}
	}
	var lines []billing.Charge // of one payer; they are swapped account by account
	for c, err := range charges {
		if err != nil {
			return err
		}
		lines = append(lines, c)
	}
	for _, id := range whose {
		if err := s.DB.RecordCharges(ctx, id, p, at, cover, only(lines, func(c billing.Charge) bool { return whose[c.SubAccountID] == id })); err != nil {
			return err
		}
	}
	return s.DB.RecordCharges(ctx, payer, p, at, cover, only(lines, func(c billing.Charge) bool { return whose[c.SubAccountID] == 0 }))
}

func only(all []billing.Charge, wanted func(billing.Charge) bool) iter.Seq2[billing.Charge, error] {
	return func(yield func(billing.Charge, error) bool) {
		for _, c := range all {
			if wanted(c) && !yield(c, nil) {
				return
			}
		}
	}
}

// newMember is how long the word of a member that came or left is kept up.
const newMember = 7 * 24 * time.Hour

// memberNews are the members of watched organisations that came or left lately.
func memberNews(ctx context.Context, db *storage.DB, in installation, accounts []billing.Account, now time.Time) ([]notify.MemberNews, error) {
	var out []notify.MemberNews
	for _, a := range accounts {
		org, ok := in.organizations[a.Name]
		if !ok {
			continue
		}
		members, err := db.Members(ctx, a.ID)
		if err != nil {
			return nil, err
		}
		for _, m := range members {
			news := notify.MemberNews{Payer: a.ID, ID: m.ID, Name: m.Name, At: m.FirstSeen, Watched: org.wants(m.Member)}
			if !m.LeftAt.IsZero() {
				news.At, news.Left = m.LeftAt, true
			}
			if (news.Left || !m.Founder && m.Status == billing.MemberActive) && now.Sub(news.At) < newMember {
				out = append(out, news)
			}
		}
	}
	return out, nil
}

// organization judges how an organisation's accounts are read.
func (k *checker) organization(path string, a AccountConfig) {
	o := a.Organization
	given := o.ReleaseRole != "" || o.ExternalID.Given() || !o.Include.empty() || !o.Exclude.empty()
	switch {
	case o.Role == "" && given:
		k.wrong(path+".organization.role", "the role to take on in each member is needed")
	case o.Role == "":
		return
	case a.Provider != "aws":
		k.wrong(path+".organization", "organisations are read at AWS only")
	case strings.ContainsAny(o.Role+o.ReleaseRole, ": ") || strings.HasPrefix(o.Role, "/"):
		k.wrong(path+".organization.role", "%q is no role's name; write it without arn and account, such as gpuspend-read", o.Role)
	}
	if o.ReleaseRole != "" && a.Release != "allow" {
		k.wrong(path+".organization.release_role", "a role to release stands here, but the account does not say release: allow")
	}
	k.secret(path+".organization.external_id", o.ExternalID)
	for side, c := range map[string]ChoiceConfig{"include": o.Include, "exclude": o.Exclude} {
		for i, id := range c.IDs {
			if len(id) != 12 || strings.Trim(id, "0123456789") != "" {
				k.wrong(fmt.Sprintf("%s.organization.%s.ids[%d]", path, side, i), "%q is no account id; it has twelve digits", id)
			}
		}
		for i, u := range c.Units {
			if !strings.HasPrefix(u, "ou-") && !strings.HasPrefix(u, "r-") {
				k.wrong(fmt.Sprintf("%s.organization.%s.units[%d]", path, side, i), "%q is no unit's id; it begins with ou-", u)
			}
		}
	}
}
