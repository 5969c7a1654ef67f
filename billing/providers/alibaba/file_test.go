package alibaba

import (
	"io"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/simplifiedchinese"

	"gpuspend/billing"
)

const billText = `阿里云费用账单-账单明细
账号,1234567890123456

账期,账单日期,产品代码,产品名称,产品明细,计费项,实例ID,实例昵称,地域,官网价,优惠金额,代金券抵扣,储值卡抵扣,应付金额,币种,用量,用量单位,标签
2026-08,2026-08-09,ecs,云服务器 ECS,按量付费,云服务器配置,i-gpu1,train-1,华东1(杭州),"1,234.50",0.00,100.00,34.50,"1,100.00",人民币,24,Hrs,owner:ana; env:prod
2026-08,2026-08-10,ecs,云服务器 ECS,按量付费,系统盘,d-1,,华东1(杭州),12.00,0,0,0,12,人民币,24,Hrs,
2026-08,2026-08-11,ecs,云服务器 ECS,包年包月,云服务器配置,i-2,web,华东1(杭州),320.50,22.05,0,0,298.45,人民币,744,Hrs,
2026-09,2026-09-01,ecs,云服务器 ECS,退款,云服务器配置,i-2,web,华东1(杭州),,,,,-98.45,人民币,,,
,,,合计,,,,,,1567.00,22.05,100.00,34.50,"1,312.00",人民币,,,
`

func readBillFile(t *testing.T, text string) ([]billing.Charge, error) {
	t.Helper()
	f, err := OpenBillFile("bill.csv", strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	var all []billing.Charge
	for {
		var c billing.Charge
		switch err := f.Read(&c); err {
		case nil:
			all = append(all, c)
		case io.EOF:
			return all, nil
		default:
			return all, err
		}
	}
}

// The console's file is read in either encoding: what was used shows whole, what vouchers and cards paid is a credit
// beside it, the total is not added, and days are of UTC+8.
func TestBillFile(t *testing.T) {
	gbk, err := simplifiedchinese.GBK.NewEncoder().String(billText)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"UTF-8": billText, "GBK": gbk, "UTF-8 with a mark": "\ufeff" + billText, "CRLF": strings.ReplaceAll(billText, "\n", "\r\n")} {
		all, err := readBillFile(t, text)
		if err != nil || len(all) != 6 {
			t.Errorf("%s: %d charges, %v", name, len(all), err)
			continue
		}
		sum := billing.ZeroMoney("CNY")
		for _, c := range all {
			if sum, err = sum.Add(c.BilledCost); err != nil {
				t.Fatal(err)
			}
		}
		if sum != billing.MustMoney("1312", "CNY") {
			t.Errorf("%s: the charges add up to %s, want the total 1312", name, sum.Amount())
		}
		used, voucher, card := all[0], all[1], all[2]
		on := time.Date(2026, 8, 8, 16, 0, 0, 0, time.UTC)
		if used.BilledCost != billing.MustMoney("1234.5", "CNY") || used.ChargeCategory != "Usage" || used.ListCost != billing.MustMoney("1234.5", "CNY") ||
			!used.ChargePeriod.Start.Equal(on) || used.ChargePeriod.Duration() != 24*time.Hour || !used.BillingPeriod.Start.Equal(time.Date(2026, 7, 31, 16, 0, 0, 0, time.UTC)) ||
			used.BillingAccountID != "1234567890123456" || used.ResourceID != "i-gpu1" || used.Part != billing.PartInstance || used.Tags != `{"env":"prod","owner":"ana"}` {
			t.Errorf("%s: %+v", name, used)
		}
		if voucher.ChargeCategory != "Credit" || voucher.BilledCost != billing.MustMoney("-100", "CNY") || card.BilledCost != billing.MustMoney("-34.5", "CNY") ||
			card.ResourceID != "i-gpu1" || card.ListCost.Known() {
			t.Errorf("%s: %+v\n%+v", name, voucher, card)
		}
		if all[3].Part != billing.PartDisk || all[4].ChargeCategory != "Purchase" || all[4].Mode != billing.ModeMonthly || all[5].BilledCost.Sign() >= 0 {
			t.Errorf("%s: %+v", name, all[3:])
		}
	}
}

// What is no bill of Alibaba's, or does not add up, is refused with what is wrong and what to do.
func TestBillFilesThatAreRefused(t *testing.T) {
	for want, text := range map[string]string{
		"bill.csv: the line 合计 says 1312, but the lines above it add up to 1300; fetch the bill again":                         strings.Replace(billText, "0,0,0,12,人民币", "0,0,0,0,人民币", 1),
		`bill.csv, line 6, column 应付金额: "twelve" is not an amount; write it like 1234.56`:                                      strings.Replace(billText, "0,0,0,12,人民币", "0,0,0,twelve,人民币", 1),
		`bill.csv, line 6, column 应付金额: "" is not an amount; write it like 1234.56`:                                            strings.Replace(billText, "0,0,0,12,人民币", "0,0,0,,人民币", 1),
		`bill.csv, line 6, column 账单日期: "10 August" is not a day; it is written like 2026-08-09`:                               strings.Replace(billText, "2026-08-10", "10 August", 1),
		`bill.csv, line 6, column 币种: "贝壳" is not a currency; it is 人民币 or an ISO 4217 code`:                                   strings.Replace(billText, "0,0,0,12,人民币", "0,0,0,12,贝壳", 1),
		"read bill.csv: the file has no column 币种, which every bill of Alibaba Cloud has":                                      strings.Replace(billText, "币种", "币", 1),
		"read bill.csv: no line of its first twenty has the column names of an Alibaba Cloud bill (账期, 应付金额, …); download the": "a,b\n1,2\n",
		"read bill.csv: this is a bill of Volcengine, not of Alibaba Cloud; it is not read yet":                                "火山引擎费用中心\n账期,费用时间,Product,产品名称,子产品,应付金额,币种\n",
	} {
		if _, err := readBillFile(t, text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
