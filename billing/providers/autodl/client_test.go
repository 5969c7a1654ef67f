package autodl

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/fixture"
)

// A list is whole or it is an error: pages are counted by position.
func TestWalk(t *testing.T) {
	page := func(index, pages, total int, ids ...string) string {
		var items []string
		for _, id := range ids {
			items = append(items, `{"image_uuid":"`+id+`","status":"finished"}`)
		}
		return fmt.Sprintf(`{"code":"Success","data":{"list":[%s],"page_index":%d,"max_page":%d,"result_total":%d}}`, strings.Join(items, ","), index, pages, total)
	}
	for _, tt := range []struct {
		name    string
		answers []string
		want    int
		kind    billing.ErrorKind
	}{
		{"short pages are not the last", []string{page(1, 2, 3, "a", "b"), page(2, 2, 3, "c")}, 3, ""},
		{"nothing", []string{page(1, 0, 0)}, 0, ""},
		{"nothing, as null", []string{`{"code":"Success","data":{"list":null,"page_index":1,"max_page":0,"result_total":0}}`}, 0, ""},
		{"no list", []string{`{"code":"Success","data":{"page_index":1,"max_page":1,"result_total":5}}`}, 0, billing.Invalid},
		{"no list and no numbers", []string{`{"code":"Success","data":{}}`}, 0, billing.Invalid},
		{"one went away meanwhile and hides another", []string{page(1, 2, 4, "a", "b"), page(2, 2, 3, "d")}, 3, ""},
		{"fewer than announced", []string{page(1, 2, 4, "a", "b"), page(2, 2, 4, "d")}, 3, billing.Upstream},
		{"one came twice as another was made", []string{page(1, 2, 3, "a", "b"), page(2, 2, 3, "b", "c")}, 3, ""},
		{"always the first page", []string{page(1, 9, 18, "a", "b"), page(1, 9, 18, "a", "b")}, 2, billing.Invalid},
		{"the same things under another number", []string{page(1, 9, 18, "a", "b"), page(2, 9, 18, "a", "b")}, 2, billing.Invalid},
		{"no number of pages", []string{`{"code":"Success","data":{"list":[{"image_uuid":"a"}]}}`}, 1, ""},
		{"a thing without id", []string{page(1, 1, 1, "")}, 0, billing.Invalid},
		{"an object in place of the list", []string{`{"code":"Success","data":[]}`}, 0, billing.Invalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // one request a second
				s := fixture.New(t, "testdata")
				r := route(s, "POST instance/pro/image/private/list")
				for _, a := range tt.answers {
					r.Answer(200, a)
				}
				got, err := all(over(t, s, false).Resources(context.Background(), billing.Scope{Kind: billing.KindImage}))
				if len(got) != tt.want || billing.KindOf(err) != tt.kind {
					t.Errorf("%d things, %v; want %d, %q", len(got), err, tt.want, tt.kind)
				}
			})
		})
	}
}
