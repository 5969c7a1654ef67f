package aws

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"gpuspend/billing"
)

// spent answers DescribeBudgets in two pages: budgets of costs by the month, and others.
func (f *fake) spent(w http.ResponseWriter, r *http.Request) {
	var q struct{ AccountId, NextToken string }
	if json.NewDecoder(r.Body).Decode(&q) != nil || q.AccountId != "123456789012" || r.Header.Get("X-Amz-Target") != "AWSBudgetServiceGateway.DescribeBudgets" {
		w.WriteHeader(400)
		_, _ = io.WriteString(w, `{"__type":"InvalidParameterException"}`)
		return
	}
	if q.NextToken == "" || f.looping {
		_, _ = io.WriteString(w, `{"Budgets":[{"BudgetName":"ml","BudgetType":"COST","TimeUnit":"MONTHLY","BudgetLimit":{"Amount":"5000.0","Unit":"USD"},
			"CalculatedSpend":{"ActualSpend":{"Amount":"1234.567","Unit":"USD"},"ForecastedSpend":{"Amount":"4800.1","Unit":"USD"}},"LastUpdatedTime":1.7959E9},
			{"BudgetName":"hours","BudgetType":"USAGE","TimeUnit":"MONTHLY","CalculatedSpend":{"ActualSpend":{"Amount":"7","Unit":"Hrs"}}}],"NextToken":"2"}`)
		return
	}
	_, _ = io.WriteString(w, `{"Budgets":[{"BudgetName":"planned","BudgetType":"COST","TimeUnit":"MONTHLY","CalculatedSpend":{"ActualSpend":{"Amount":"0","Unit":"USD"}}},
		{"BudgetName":"year","BudgetType":"COST","TimeUnit":"ANNUALLY","CalculatedSpend":{"ActualSpend":{"Amount":"9","Unit":"USD"}}}]}`)
}

// Budgets of costs by the month are read, their parts as far as AWS knows them; those of use or of other spans are not
// money of the month.
func TestBudgets(t *testing.T) {
	b, err := balanceOver(t, "")
	want := []billing.CloudBudget{
		{Name: "ml", Spent: billing.MustMoney("1234.567", "USD"), Limit: billing.MustMoney("5000", "USD"), Forecast: billing.MustMoney("4800.1", "USD")},
		{Name: "planned", Spent: billing.MustMoney("0", "USD")},
	}
	if err != nil || !slices.Equal(b.Budgets, want) {
		t.Errorf("%+v, %v, want %+v", b.Budgets, err, want)
	}
}

// A key that may not read budgets still reads credits; a broken answer is an error.
func TestBudgetsDeniedOrBroken(t *testing.T) {
	for answer, kind := range map[string]billing.ErrorKind{
		`{"__type":"AccessDeniedException","message":"no"}`: "",
		`{"Budgets":[{"BudgetName":"x","BudgetType":"COST","TimeUnit":"MONTHLY","CalculatedSpend":{"ActualSpend":{"Amount":"much","Unit":"USD"}}}]}`: billing.Invalid,
		`{"Budgets":[{"BudgetName":"x","BudgetType":"COST","TimeUnit":"MONTHLY","CalculatedSpend":{"ActualSpend":{"Amount":"1","Unit":""}}}]}`:       billing.Invalid,
	} {
		f := newFake(testNow)
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.Header.Get("X-Amz-Target"), "Budget") {
				if strings.Contains(answer, "__type") {
					w.WriteHeader(400)
				}
				_, _ = io.WriteString(w, answer)
				return
			}
			f.ServeHTTP(w, r)
		})
		b, err := openOver(t, h, configured()).(billing.Balancer).Balance(context.Background())
		if billing.KindOf(err) != kind || kind == "" && (len(b.Budgets) != 0 || len(b.Vouchers) != 2) {
			t.Errorf("%s: %+v, %v, want %q", answer, b, err, kind)
		}
	}
}
