package alibaba

import "encoding/json"

type priceAnswer struct {
	envelope
	PriceInfo struct {
		Price struct {
			TradePrice json.Number `json:"TradePrice"` // what is paid; DiscountPrice is the amount off
			Currency   string      `json:"Currency"`
			Details    struct {
				Detail []struct {
					Resource   string      `json:"Resource"`
					TradePrice json.Number `json:"TradePrice"`
				} `json:"DetailInfo"`
			} `json:"DetailInfos"`
		} `json:"Price"`
	} `json:"PriceInfo"`
}

type typesAnswer struct {
	envelope
	token
	Types struct {
		Type *[]instanceType `json:"InstanceType"`
	} `json:"InstanceTypes"`
}

type instanceType struct {
	ID        string      `json:"InstanceTypeId"`
	GPUAmount json.Number `json:"GPUAmount"`
	GPUSpec   string      `json:"GPUSpec"`
}

type spotAnswer struct {
	envelope
	Currency   string `json:"Currency"`
	NextOffset int    `json:"NextOffset"`
	Prices     struct {
		Price *[]spotPrice `json:"SpotPriceType"`
	} `json:"SpotPrices"`
}

type spotPrice struct {
	Zone        string      `json:"ZoneId"`
	SpotPrice   json.Number `json:"SpotPrice"`
	OriginPrice json.Number `json:"OriginPrice"` // on demand
	Timestamp   string      `json:"Timestamp"`
}

type balanceAnswer struct {
	envelope
	Data *struct {
		Cash         string `json:"AvailableCashAmount"`
		Credit       string `json:"CreditAmount"`
		MybankCredit string `json:"MybankCreditAmount"`
		Currency     string `json:"Currency"`
	} `json:"Data"`
}

type couponsAnswer struct {
	envelope
	Data *struct {
		CashCoupon  []coupon `json:"CashCoupon"`
		PrepaidCard []coupon `json:"PrepaidCard"`
	} `json:"Data"`
}

type coupon struct {
	CouponNo   string `json:"CashCouponNo"`
	CardNo     string `json:"PrepaidCardNo"`
	Balance    string `json:"Balance"`
	ExpiryTime string `json:"ExpiryTime"`
	Status     string `json:"Status"`
}

type billAnswer struct {
	envelope
	Data *struct {
		AccountID   string  `json:"AccountID"`
		AccountName string  `json:"AccountName"`
		NextToken   string  `json:"NextToken"`
		Items       *[]item `json:"Items"`
	} `json:"Data"`
}

// item is a line of the bill. Its Region is a name for people in their language, and no id.
type item struct {
	BillingDate       string      `json:"BillingDate"`
	ProductName       string      `json:"ProductName"`
	ProductCode       string      `json:"ProductCode"`
	CommodityCode     string      `json:"CommodityCode"`
	SubscriptionType  string      `json:"SubscriptionType"`
	Item              string      `json:"Item"`
	InstanceID        string      `json:"InstanceID"`
	InstanceSpec      string      `json:"InstanceSpec"`
	NickName          string      `json:"NickName"`
	Region            string      `json:"Region"`
	Zone              string      `json:"Zone"`
	Tag               string      `json:"Tag"`
	BillingItem       string      `json:"BillingItem"`
	BillingItemCode   string      `json:"BillingItemCode"`
	Usage             string      `json:"Usage"`
	UsageUnit         string      `json:"UsageUnit"`
	Currency          string      `json:"Currency"`
	PretaxGrossAmount json.Number `json:"PretaxGrossAmount"`
	PretaxAmount      json.Number `json:"PretaxAmount"` // after discounts, before vouchers: what it costs
	OwnerID           string      `json:"OwnerID"`
}

type subscriptionsAnswer struct {
	envelope
	Data *struct {
		total
		Instances *[]subscription `json:"InstanceList"`
	} `json:"Data"`
}

type subscription struct {
	ID          string `json:"InstanceID"`
	ProductCode string `json:"ProductCode"`
	Region      string `json:"Region"`
	EndTime     string `json:"EndTime"`
	RenewStatus string `json:"RenewStatus"`
	Status      string `json:"Status"`
}

// metricsAnswer holds its points as JSON inside a JSON string.
type metricsAnswer struct {
	envelope
	token
	Datapoints *string `json:"Datapoints"`
}

type datapoint struct {
	Timestamp  int64       `json:"timestamp"` // ms
	InstanceID string      `json:"instanceId"`
	GPU        string      `json:"gpuId"`
	Average    json.Number `json:"Average"`
}
