package aws

import (
	"io"
	"strings"
	"testing"
	"time"

	"gpuspend/billing"
)

const curHeader = "identity/LineItemId,bill/PayerAccountId,bill/BillingPeriodStartDate,bill/BillingPeriodEndDate,lineItem/UsageAccountId,lineItem/LineItemType," +
	"lineItem/UsageStartDate,lineItem/UsageEndDate,lineItem/ProductCode,lineItem/UsageType,lineItem/ResourceId,lineItem/UsageAmount,lineItem/CurrencyCode," +
	"lineItem/UnblendedCost,lineItem/LineItemDescription,product/ProductName,product/instanceType,product/region,pricing/publicOnDemandCost," +
	"reservation/EffectiveCost,savingsPlan/SavingsPlanEffectiveCost,savingsPlan/TotalCommitmentToDate,savingsPlan/UsedCommitment,savingsPlan/SavingsPlanARN,resourceTags/user:owner\n"

func curLine(kind, usage, cost, more string) string {
	return "x,111122223333,2026-11-01T00:00:00Z,2026-12-01T00:00:00Z,222233334444," + kind + ",2026-11-05T03:00:00Z,2026-11-05T04:00:00Z,AmazonEC2," + usage +
		",i-1,1.0,USD," + cost + ",words,Amazon Elastic Compute Cloud,p4d.24xlarge,us-east-1,32.77," + more + "\n"
}

func readReport(t *testing.T, text string) ([]billing.Charge, *Coverings, error) {
	t.Helper()
	plans := &Coverings{}
	u, err := OpenUsageReport("cur.csv", strings.NewReader(text), plans)
	if err != nil {
		return nil, plans, err
	}
	var all []billing.Charge
	for {
		var c billing.Charge
		switch err := u.Read(&c); err {
		case nil:
			all = append(all, c)
		case io.EOF:
			return all, plans, nil
		default:
			return all, plans, err
		}
	}
}

// Each type of line has the category and the two costs that AWS documents for it. What a savings plan covers is billed by
// the plan alone, and the negations are no charges.
func TestUsageReport(t *testing.T) {
	text := curHeader +
		curLine("Usage", "BoxUsage:p4d.24xlarge", "32.7726", ",,,,,ana") +
		curLine("Usage", "SpotUsage:p4d.24xlarge", "1.81E-8", ",,,,,") +
		curLine("DiscountedUsage", "BoxUsage:p4d.24xlarge", "0", "19.22,,,,,") +
		curLine("SavingsPlanCoveredUsage", "BoxUsage:p4d.24xlarge", "32.7726", ",20.5,,,arn:sp,") +
		curLine("SavingsPlanNegation", "BoxUsage:p4d.24xlarge", "-32.7726", ",,,,arn:sp,") +
		curLine("SavingsPlanRecurringFee", "ComputeSP:1yrNoUpfront", "21", ",,21,20.5,arn:sp,") +
		curLine("Tax", "", "0.08", ",,,,,") +
		curLine("Credit", "BoxUsage:p4d.24xlarge", "-5", ",,,,,") +
		curLine("EdpDiscount", "BoxUsage:p4d.24xlarge", "-1.5", ",,,,,") +
		curLine("Refund", "BoxUsage:p4d.24xlarge", "-2", ",,,,,")
	all, plans, err := readReport(t, text)
	if err != nil || plans.Check() != nil {
		t.Fatal(err, plans.Check())
	}
	type shown struct {
		category, billed, effective string
		mode                        billing.Mode
	}
	want := []shown{
		{"Usage", "32.7726", "32.7726", billing.ModeOnDemand},
		{"Usage", "0.0000000181", "0.0000000181", billing.ModeSpot},
		{"Usage", "0", "19.22", billing.ModeReserved},
		{"Usage", "0", "20.5", billing.ModeReserved},
		{"Purchase", "21", "0.5", ""},
		{"Tax", "0.08", "0.08", ""},
		{"Credit", "-5", "-5", billing.ModeOnDemand},
		{"Credit", "-1.5", "-1.5", billing.ModeOnDemand},
		{"Adjustment", "-2", "-2", billing.ModeOnDemand},
	}
	if len(all) != len(want) {
		t.Fatalf("%d charges, want %d", len(all), len(want))
	}
	for i, c := range all {
		if got := (shown{c.ChargeCategory, c.BilledCost.Amount(), c.EffectiveCost.Amount(), c.Mode}); got != want[i] {
			t.Errorf("line %d: %+v, want %+v", i, got, want[i])
		}
	}
	c := all[0]
	at := time.Date(2026, 11, 5, 3, 0, 0, 0, time.UTC)
	if c.GPU != "A100-40G" || c.Part != billing.PartInstance || c.Tags != `{"owner":"ana"}` || c.BillingAccountID != "111122223333" || c.SubAccountID != "222233334444" ||
		!c.ChargePeriod.Start.Equal(at) || !c.ChargePeriod.End.Equal(at.Add(time.Hour)) || c.RegionID != "us-east-1" || c.ListCost != billing.MustMoney("32.77", "USD") {
		t.Errorf("%+v", c)
	}
}

// CUR 2.0 has the same columns under other names, and its tags as one object.
func TestUsageReportOfTheSecondForm(t *testing.T) {
	var names []string
	for n := range strings.SplitSeq(strings.TrimSpace(curHeader), ",") {
		names = append(names, snake(n))
	}
	names[len(names)-1] = "resource_tags"
	all, _, err := readReport(t, strings.Join(names, ",")+"\n"+strings.TrimSuffix(curLine("Usage", "BoxUsage:p4d.24xlarge", "32.7726", ",,,,,"), "\n")+`"{""user_owner"":""ana""}"`+"\n")
	if err != nil || len(all) != 1 || all[0].Tags != `{"owner":"ana"}` || all[0].BilledCost != billing.MustMoney("32.7726", "USD") {
		t.Fatalf("%+v, %v", all, err)
	}
}

func TestUsageReportsThatAreRefused(t *testing.T) {
	for want, text := range map[string]string{
		"read cur.csv: the file has no column bill_payer_account_id, ":                                                    "BilledCost,ChargePeriodStart\n",
		`cur.csv, line 2, column lineItem/UnblendedCost: "much" is not a number; write it like 1234.56`:                   curHeader + curLine("Usage", "BoxUsage:x", "much", ",,,,,"),
		`cur.csv, line 2, column lineItem/UnblendedCost: "" is not an amount; every line has one`:                         curHeader + curLine("Usage", "BoxUsage:x", "", ",,,,,"),
		`cur.csv, line 2, column lineItem/UsageStartDate: "noon" is not a time; write it like 2026-05-01T00:00:00Z`:       curHeader + strings.Replace(curLine("Usage", "BoxUsage:x", "1", ",,,,,"), "2026-11-05T03:00:00Z", "noon", 1),
		`cur.csv, line 2, column lineItem/CurrencyCode: "dollars" is not a currency; write the ISO 4217 code, like USD`:   curHeader + strings.Replace(curLine("Usage", "BoxUsage:x", "1", ",,,,,"), ",USD,", ",dollars,", 1),
		`cur.csv, line 2, column lineItem/UsageEndDate: "2026-11-05T02:00:00Z" is not a time after the start of the line`: curHeader + strings.Replace(curLine("Usage", "BoxUsage:x", "1", ",,,,,"), "2026-11-05T04:00:00Z", "2026-11-05T02:00:00Z", 1),
	} {
		if _, _, err := readReport(t, text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	_, plans, err := readReport(t, curHeader+curLine("SavingsPlanCoveredUsage", "BoxUsage:x", "3", ",2,,,arn:sp,"))
	if err != nil || plans.Check() == nil || !strings.Contains(plans.Check().Error(), "differ by 3 USD; a file of the report seems to be missing") {
		t.Errorf("%v, %v", err, plans.Check())
	}
}
