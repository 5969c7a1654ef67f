package alibaba

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"

	"gpuspend/billing"
)

// maxPages ends a walk that no account can need.
const maxPages = 10_000

// walk lists every page of an action that pages by NextToken. TotalCount is no help there: Alibaba fills it in for the
// old way of paging only.
func walk[T any, A any, P interface {
	*A
	answer
}](ctx context.Context, c *client, k call, open func(P) (list *[]T, next string)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		k := k
		seen := map[string]bool{}
		for range maxPages {
			page := P(new(A))
			if err := c.read(ctx, k, page); err != nil {
				yield(none, err)
				return
			}
			items, next := open(page)
			if items == nil {
				yield(none, garbled(k.op, "the answer lacks its list"))
				return
			}
			for _, it := range *items {
				if !yield(it, nil) {
					return
				}
			}
			if next == "" {
				return
			}
			if seen[next] {
				yield(none, garbled(k.op, "the pages do not come to an end"))
				return
			}
			seen[next] = true
			k.query = with(k.query, "NextToken", next)
		}
		yield(none, garbled(k.op, fmt.Sprintf("more than %d pages", maxPages)))
	}
}

// count lists every page of an action that has page numbers and a total only. It goes by what came, not by the size that
// was asked for: Alibaba may give smaller pages.
func count[T any, A any, P interface {
	*A
	answer
}](ctx context.Context, c *client, k call, number string, open func(P) (list *[]T, total int)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		k, got, before := k, 0, -1
		for n := 1; n <= maxPages; n++ {
			k.query = with(k.query, number, strconv.Itoa(n))
			page := P(new(A))
			if err := c.read(ctx, k, page); err != nil {
				yield(none, err)
				return
			}
			items, total := open(page)
			if items == nil {
				yield(none, garbled(k.op, "the answer lacks its list"))
				return
			}
			if before >= 0 && total != before { // what moved up a page in between would be missed
				yield(none, &billing.Error{Kind: billing.Upstream, Op: k.op, Err: errors.New("the list changed while it was read")})
				return
			}
			before = total
			for _, it := range *items {
				if !yield(it, nil) {
					return
				}
			}
			got += len(*items)
			if got >= total {
				return
			}
			if len(*items) == 0 {
				yield(none, garbled(k.op, fmt.Sprintf("%d of %d came", got, total)))
				return
			}
		}
		yield(none, garbled(k.op, fmt.Sprintf("more than %d pages", maxPages)))
	}
}
