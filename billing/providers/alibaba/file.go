package alibaba

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding/simplifiedchinese"

	"gpuspend/billing"
	"gpuspend/billing/focus"
)

// BillFile reads the bill details that people download from Alibaba Cloud's expense centre: CSV in UTF-8 or GBK, some
// lines about the account above the column names, a total (合计) at the end, which is checked and not added. Days are of
// UTC+8. What vouchers and prepaid cards paid is a credit of its own, so that what was used shows whole.
type BillFile struct {
	name    string
	csv     *csv.Reader
	at      map[string]int // columns by our own name for them
	account string
	row     int
	due     []billing.Charge // credits of the row that was read last
	sum     map[billing.Currency]billing.Money
	classes focus.Classifier
	rounded int64
}

// fileColumns are the names that columns have had; the first that a file has counts.
func fileColumns() map[string][]string {
	return map[string][]string{
		"month":    {"账期", "账单月份"},
		"date":     {"账单日期", "日期", "消费时间"},
		"code":     {"产品代码", "产品Code", "产品code"},
		"product":  {"产品名称", "产品"},
		"detail":   {"产品明细", "商品名称", "消费类型"},
		"item":     {"计费项", "计费项名称"},
		"id":       {"实例ID", "资源ID"},
		"nickname": {"实例昵称", "资源昵称", "实例名称"},
		"region":   {"地域"},
		"list":     {"官网价", "目录总价"},
		"voucher":  {"代金券抵扣", "优惠券抵扣", "优惠券抵扣金额"},
		"card":     {"储值卡抵扣", "储值卡抵扣金额"},
		"payable":  {"应付金额", "应付金额（含税）", "应付金额(含税)"},
		"currency": {"币种"},
		"used":     {"用量"},
		"unit":     {"用量单位"},
		"tags":     {"标签", "实例标签"},
		"account":  {"账号", "账号ID", "账单所有者账号ID"},
		"type":     {"实例规格", "规格"},
	}
}

// neededColumns are those without which nothing can be said.
func neededColumns() []string { return []string{"month", "product", "payable", "currency"} }

// OpenBillFile reads down to the column names. name is what errors call the file; closing is the caller's.
func OpenBillFile(name string, r io.Reader) (*BillFile, error) {
	text, err := inUTF8(r)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	f := &BillFile{name: name, csv: csv.NewReader(text), sum: map[billing.Currency]billing.Money{}}
	f.csv.FieldsPerRecord = -1
	f.csv.LazyQuotes = true
	for range 20 { // lines about the account, then the names
		cells, err := f.csv.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		f.row++
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if len(cells) > 1 && cells[0] == "账号" && isNumber(cells[1]) {
			f.account = cells[1]
			continue
		}
		if f.begins(cells) {
			return f, f.lacks(cells)
		}
	}
	return nil, fmt.Errorf("read %s: no line of its first twenty has the column names of an Alibaba Cloud bill (账期, 应付金额, …); download the bill details as CSV, in Chinese", name)
}

// inUTF8 reads what is no UTF-8 as GBK: files from the console are either.
func inUTF8(r io.Reader) (io.Reader, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	head, err := b.Peek(1 << 16)
	if err != nil && err != io.EOF && !errors.Is(err, bufio.ErrBufferFull) {
		return nil, err
	}
	if bytes.HasPrefix(head, []byte("\ufeff")) {
		_, _ = b.Discard(3)
		return b, nil
	}
	for i := 0; i < 4 && len(head) > 0 && !utf8.Valid(head); i++ { // the last letter may be cut off
		if len(head) < 1<<16 {
			break
		}
		head = head[:len(head)-1]
	}
	if utf8.Valid(head) {
		return b, nil
	}
	return simplifiedchinese.GB18030.NewDecoder().Reader(b), nil
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// begins finds the columns in a line; false where it is not the line of names.
func (f *BillFile) begins(cells []string) bool {
	f.at = map[string]int{}
	for ours, names := range fileColumns() {
		for _, name := range names {
			if i := slices.Index(cells, name); i >= 0 {
				f.at[ours] = i
				break
			}
		}
	}
	_, month := f.at["month"]
	return month && len(f.at) > 3
}

// lacks refuses a file without what every Alibaba bill has.
func (f *BillFile) lacks(cells []string) error {
	var missing []string
	for _, ours := range neededColumns() {
		if _, ok := f.at[ours]; !ok {
			missing = append(missing, fileColumns()[ours][0])
		}
	}
	switch {
	case slices.Contains(cells, "费用时间") || slices.Contains(cells, "子产品"):
		return fmt.Errorf("read %s: this is a bill of Volcengine, not of Alibaba Cloud; it is not read yet", f.name)
	case missing != nil:
		return fmt.Errorf("read %s: the file has no column %s, which every bill of Alibaba Cloud has", f.name, strings.Join(missing, ", "))
	}
	return nil
}

func (f *BillFile) cell(cells []string, ours string) string {
	i, ok := f.at[ours]
	if !ok || i >= len(cells) {
		return ""
	}
	return strings.TrimSpace(cells[i])
}

// fault is an error about a cell.
func (f *BillFile) fault(cells []string, ours, want string) error {
	line, _ := f.csv.FieldPos(0)
	return &focus.RowError{File: f.name, Line: line, Column: f.column(ours), Value: f.cell(cells, ours), Want: want}
}

// column is the name that a column has in this file.
func (f *BillFile) column(ours string) string { return fileColumns()[ours][0] }

// Read fills c with the next charge, and returns io.EOF after the last. A row that cannot be read is a *focus.RowError.
func (f *BillFile) Read(c *billing.Charge) error {
	if len(f.due) > 0 {
		*c, f.due = f.due[0], f.due[1:]
		return nil
	}
	for {
		cells, err := f.csv.Read()
		if err == io.EOF {
			return io.EOF
		}
		if err != nil {
			return fmt.Errorf("read %s after %d rows: %w", f.name, f.row, err)
		}
		f.row++
		switch {
		case isTotal(cells):
			if err := f.checkTotal(cells); err != nil {
				return err
			}
			continue
		case strings.Join(cells, "") == "":
			continue
		}
		return f.charge(cells, c)
	}
}

// isTotal knows the line that adds the others up.
func isTotal(cells []string) bool {
	return slices.ContainsFunc(cells, func(s string) bool { s = strings.TrimSpace(s); return s == "合计" || s == "总计" })
}

// checkTotal compares the total with what was read. A file that was cut in the middle, or edited, does not add up.
func (f *BillFile) checkTotal(cells []string) error {
	if f.cell(cells, "payable") == "" || len(f.sum) > 1 {
		return nil
	}
	for c, sum := range f.sum {
		total, _, err := amountOf(f.cell(cells, "payable"), c)
		if err != nil {
			return f.fault(cells, "payable", "an amount; write it like 1234.56")
		}
		if total != sum {
			return fmt.Errorf("%s: the line 合计 says %s, but the lines above it add up to %s; fetch the bill again", f.name, total.Amount(), sum.Amount())
		}
	}
	return nil
}

// amountOf reads an amount, with commas or without. Nothing is zero of nothing: an empty cell is unknown.
func amountOf(s string, c billing.Currency) (billing.Money, bool, error) {
	if s == "" || s == "-" || s == "--" {
		return billing.Money{}, false, nil
	}
	return billing.ParseMoney(strings.ReplaceAll(s, ",", ""), c)
}

// currencies are the words for them.
func currencyOf(s string) (billing.Currency, error) {
	switch s {
	case "人民币", "元", "人民币元":
		return cny, nil
	case "美元":
		return "USD", nil
	}
	return billing.ParseCurrency(s)
}

// charge reads a row: what was used, and as credits what vouchers and cards paid of it.
func (f *BillFile) charge(cells []string, c *billing.Charge) error {
	currency, err := currencyOf(f.cell(cells, "currency"))
	if err != nil {
		return f.fault(cells, "currency", "a currency; it is 人民币 or an ISO 4217 code")
	}
	month, err := time.ParseInLocation("2006-01", f.cell(cells, "month"), zone())
	if err != nil {
		return f.fault(cells, "month", "a month; it is written like 2026-08")
	}
	period := billing.Period{Start: month.UTC(), End: month.AddDate(0, 1, 0).UTC()}
	on, err := f.dayOf(cells, period)
	if err != nil {
		return err
	}
	paid, err := f.amount(cells, "payable", currency)
	if err != nil || !paid.Known() {
		return f.fault(cells, "payable", "an amount; write it like 1234.56")
	}
	if f.sum[currency], err = plus(f.sum[currency], paid); err != nil {
		return f.fault(cells, "payable", "an amount that fits")
	}
	list, err := f.amount(cells, "list", currency)
	if err != nil {
		return f.fault(cells, "list", "an amount; write it like 1234.56")
	}
	*c = billing.Charge{
		Provider: "Alibaba Cloud", Publisher: "Alibaba Cloud", InvoiceIssuer: "Alibaba Cloud",
		BillingAccountID: orID(f.account, orID(f.cell(cells, "account"), "alibaba")), BillingPeriod: period, ChargePeriod: on,
		BilledCost: paid, ListCost: list, PricingCurrency: string(currency),
		ChargeDescription: strings.TrimSpace(f.cell(cells, "detail") + " " + f.cell(cells, "item")),
		ResourceID:        f.cell(cells, "id"), ResourceName: f.cell(cells, "nickname"), ResourceType: f.cell(cells, "type"),
		RegionName: f.cell(cells, "region"), ServiceName: orID(f.cell(cells, "product"), f.cell(cells, "code")), SkuMeter: f.cell(cells, "item"),
		ChargeCategory: "Usage", ChargeFrequency: "Usage-Based", Tags: fileTags(f.cell(cells, "tags")),
	}
	if used, err := billing.ParseDecimal(strings.ReplaceAll(f.cell(cells, "used"), ",", "")); err == nil && f.cell(cells, "used") != "" {
		c.ConsumedQuantity, c.ConsumedUnit = used, f.cell(cells, "unit")
	}
	f.classes.Classify(c)
	if strings.Contains(c.ChargeDescription, "包年包月") || strings.Contains(c.ChargeDescription, "预付费") {
		c.ChargeCategory, c.ChargeFrequency, c.PricingCategory, c.Mode = "Purchase", "One-Time", "Committed", billing.ModeMonthly
	}
	return f.credits(cells, c)
}

// effective says that what was billed was used: the bill spreads nothing over a term.
func effective(c *billing.Charge) { c.EffectiveCost = c.BilledCost }

// credits takes off the charge what vouchers and cards paid, as credits that follow it.
func (f *BillFile) credits(cells []string, c *billing.Charge) error {
	defer effective(c)
	for _, ours := range []string{"voucher", "card"} {
		off, err := f.amount(cells, ours, c.BilledCost.Currency())
		if err != nil {
			return f.fault(cells, ours, "an amount; write it like 1234.56")
		}
		if !off.Known() || off.Sign() <= 0 {
			continue
		}
		if c.BilledCost, err = c.BilledCost.Add(off); err != nil {
			return f.fault(cells, ours, "an amount that fits")
		}
		credit := *c
		credit.ChargeCategory, credit.ChargeFrequency, credit.ChargeDescription = "Credit", "One-Time", f.column(ours)
		credit.ListCost, credit.ConsumedQuantity = billing.Money{}, billing.Decimal{}
		if credit.BilledCost, err = billing.ZeroMoney(off.Currency()).Sub(off); err != nil {
			return f.fault(cells, ours, "an amount that fits")
		}
		effective(&credit)
		f.due = append(f.due, credit)
	}
	return nil
}

func (f *BillFile) amount(cells []string, ours string, c billing.Currency) (billing.Money, error) {
	m, rounded, err := amountOf(f.cell(cells, ours), c)
	if rounded {
		f.rounded++
	}
	return m, err
}

// Rounded is how many amounts had more than 18 decimals.
func (f *BillFile) Rounded() int64 { return f.rounded }

// dayOf is the day of a row; without one the whole month.
func (f *BillFile) dayOf(cells []string, month billing.Period) (billing.Period, error) {
	text := f.cell(cells, "date")
	if text == "" {
		return month, nil
	}
	for _, form := range []string{time.DateOnly, "2006/01/02", "20060102", time.DateTime} {
		if at, err := time.ParseInLocation(form, text, zone()); err == nil {
			at = midnight(at)
			return billing.Period{Start: at.UTC(), End: at.AddDate(0, 0, 1).UTC()}, nil
		}
	}
	return month, f.fault(cells, "date", "a day; it is written like 2026-08-09")
}

func plus(a, b billing.Money) (billing.Money, error) {
	if !a.Known() {
		return b, nil
	}
	return a.Add(b)
}

// fileTags reads "env:prod; team:sft", and what the API writes: "key:env value:prod; key:team value:sft".
func fileTags(s string) string {
	if strings.HasPrefix(s, "key:") {
		return tagsJSON(item{Tag: s}.tags())
	}
	tags := map[string]string{}
	for pair := range strings.SplitSeq(s, ";") {
		if k, v, ok := strings.Cut(strings.TrimSpace(pair), ":"); ok {
			tags[k] = v
		}
	}
	return tagsJSON(tags)
}
