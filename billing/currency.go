package billing

import (
	"fmt"
	"strings"
)

// Currency is an ISO 4217 code such as "CNY". The zero Currency is none.
type Currency string

// The active codes of ISO 4217 list one by their number of minor units. Codes without minor units (gold, SDR, testing)
// are no currencies of a bill and are left out. ANG and BGN have been withdrawn since FOCUS came out, so that bills
// carry them still.
const (
	noMinorUnits  = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"
	twoMinorUnits = "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD " +
		"CAD CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD " +
		"GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD " +
		"MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD " +
		"RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD " +
		"USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG"
	threeMinorUnits = "BHD IQD JOD KWD LYD OMR TND"
	fourMinorUnits  = "CLF UYW"
)

// ParseCurrency reads an ISO 4217 code: three capital letters that the standard knows. Virtual currencies (credits,
// tokens) are refused.
func ParseCurrency(s string) (Currency, error) {
	c := Currency(s)
	if _, ok := c.minorUnits(); !ok {
		return "", fmt.Errorf("parse currency: %q is not an ISO 4217 code; write it like USD or CNY", s)
	}
	return c, nil
}

// MinorUnits is the number of decimals people write: CNY 2, JPY 0, KWD 3. It is 2 for a code that ISO 4217 lacks.
func (c Currency) MinorUnits() int {
	n, ok := c.minorUnits()
	if !ok {
		return 2
	}
	return n
}

func (c Currency) minorUnits() (digits int, ok bool) {
	s := string(c)
	if len(s) != 3 || strings.IndexByte(s, ' ') >= 0 {
		return 0, false
	}
	switch {
	case strings.Contains(twoMinorUnits, s):
		return 2, true
	case strings.Contains(noMinorUnits, s):
		return 0, true
	case strings.Contains(threeMinorUnits, s):
		return 3, true
	case strings.Contains(fourMinorUnits, s):
		return 4, true
	}
	return 0, false
}
