package aws

import (
	"context"
	"iter"

	"gpuspend/billing"
)

// organization is what a payer or a delegated administrator lists. Names and ids only: the owner's mail address, which the
// answer holds too, is never decoded.
type organizationPage struct {
	Accounts *[]struct {
		ID     string `json:"Id"`
		Name   string `json:"Name"`
		Status string `json:"Status"` // ACTIVE, SUSPENDED, PENDING_CLOSURE
	} `json:"Accounts"`
	Parents *[]struct {
		ID string `json:"Id"`
	} `json:"Parents"`
	Tags *[]struct {
		Key   string `json:"Key"`
		Value string `json:"Value"`
	} `json:"Tags"`
	NextToken string `json:"NextToken"`
}

// Members lists the accounts of the organisation that the key's account pays for or administers, with the units above
// each and its tags where the configuration chooses by them. It fails with a Denied error for any other account's key.
func (a *account) Members(ctx context.Context) iter.Seq2[billing.Member, error] {
	return func(yield func(billing.Member, error) bool) {
		above := map[string]string{} // the unit or root above a unit
		err := a.organization(ctx, "ListAccounts", map[string]any{}, func(p organizationPage) error {
			if p.Accounts == nil {
				return garbled("aws: list accounts", "the answer lacks its accounts")
			}
			for _, m := range *p.Accounts {
				if !accountID(m.ID) {
					return garbled("aws: list accounts", "an account's id is none")
				}
				member, err := a.member(ctx, billing.Member{ID: m.ID, Name: m.Name, Status: m.Status}, above)
				if err != nil {
					return err
				}
				if !yield(member, nil) {
					return errStopped
				}
			}
			return nil
		})
		if err != nil && err != errStopped {
			yield(billing.Member{}, err)
		}
	}
}

// errStopped ends a walk that nobody listens to any more.
const errStopped = stopped("stopped")

type stopped string

func (s stopped) Error() string { return string(s) }

func accountID(s string) bool {
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(s) == 12
}

// member adds what the configuration chooses by.
func (a *account) member(ctx context.Context, m billing.Member, above map[string]string) (billing.Member, error) {
	if a.members.Units {
		for at := m.ID; ; {
			parent, known := above[at]
			if !known {
				var err error
				if parent, err = a.parent(ctx, at); err != nil {
					return m, err
				}
				above[at] = parent
			}
			if parent == "" || len(m.Units) > 6 { // the root has none above it; units nest five deep
				break
			}
			m.Units, at = append(m.Units, parent), parent
			if len(parent) > 2 && parent[:2] == "r-" {
				break
			}
		}
	}
	if !a.members.Tags {
		return m, nil
	}
	m.Tags = map[string]string{}
	return m, a.organization(ctx, "ListTagsForResource", map[string]any{"ResourceId": m.ID}, func(p organizationPage) error {
		if p.Tags == nil {
			return garbled("aws: list tags", "the answer lacks its tags")
		}
		for _, t := range *p.Tags {
			m.Tags[t.Key] = t.Value
		}
		return nil
	})
}

// parent is the unit or root above an account or unit.
func (a *account) parent(ctx context.Context, child string) (id string, err error) {
	return id, a.organization(ctx, "ListParents", map[string]any{"ChildId": child}, func(p organizationPage) error {
		if p.Parents == nil || len(*p.Parents) == 0 {
			return garbled("aws: list parents", "the answer lacks its parent")
		}
		id = (*p.Parents)[0].ID
		return nil
	})
}

// organization walks all pages of a question to AWS Organizations, which lives in us-east-1 alone. A page may be empty and
// not the last; a token that comes again is an error.
func (a *account) organization(ctx context.Context, action string, in map[string]any, take func(organizationPage) error) error {
	op := "aws: " + action
	seen := map[string]bool{}
	for {
		var p organizationPage
		err := a.askJSON(ctx, op, asked{service: organizations, action: action, signing: "organizations", region: home,
			host: "organizations.us-east-1.amazonaws.com", path: "/", headers: map[string]string{
				"Content-Type": "application/x-amz-json-1.1", "X-Amz-Target": "AWSOrganizationsV20161128." + action}}, in, &p)
		if err != nil {
			return err
		}
		if err := take(p); err != nil || p.NextToken == "" {
			return err
		}
		if seen[p.NextToken] {
			return garbled(op, "a page's token came again")
		}
		seen[p.NextToken] = true
		in["NextToken"] = p.NextToken
	}
}
