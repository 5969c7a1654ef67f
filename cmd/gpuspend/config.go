package main

import (
	"fmt"
	"time"

	"gpuspend/billing"
)

// Config is the one YAML file. Unknown keys are refused; every error is reported with its path.
type Config struct {
	Zone      string                    `yaml:"zone" doc:"IANA zone of reports, working hours and messages; default UTC"`
	Language  string                    `yaml:"language" doc:"language of shared messages and of people whose locale is not known: en or zh; default en"`
	Currency  billing.Currency          `yaml:"currency" doc:"currency that is shown first; default the account's own"`
	Rates     map[string]RateEntry      `yaml:"rates" doc:"exchange rates into the currency above, by currency code; without one, totals stay apart"`
	Store     string                    `yaml:"store" doc:"path of the SQLite file; default gpuspend.db"`
	Hours     HoursConfig               `yaml:"hours" doc:"working hours"`
	Accounts  []AccountConfig           `yaml:"accounts" doc:"the accounts to watch"`
	Owners    OwnersConfig              `yaml:"owners" doc:"whose a thing is: its tag first, then these names, then who claimed it, then its account's default"`
	Slack     SlackConfig               `yaml:"slack" doc:"the Slack app; without it nothing is sent there"`
	Receivers map[string]ReceiverConfig `yaml:"receivers" doc:"other ways to be warned than the Slack app, by a name of your choice"`
	Routes    []RouteConfig             `yaml:"routes" doc:"where warnings go"`
	Viewers   ViewersConfig             `yaml:"viewers" doc:"who may ask; nobody when empty"`
	Releases  ReleasesConfig            `yaml:"releases" doc:"who may release, and how carefully"`
	Rules     RulesConfig               `yaml:"rules" doc:"thresholds of warnings"`
	Budgets   []BudgetConfig            `yaml:"budgets" doc:"what may be spent in a month"`
	Prices    []PriceConfig             `yaml:"prices" doc:"what was negotiated with clouds, for estimates; trusted before anything they publish"`
	PaidCalls PaidCallsConfig           `yaml:"paid_calls" doc:"requests for which a cloud charges; none is sent until an account asks for it"`
	Listen    string                    `yaml:"listen" doc:"address for /healthz, /metrics and, with slack.signing_secret, /slack; default none"`
}

// OwnersConfig is how things get their owners.
type OwnersConfig struct {
	Pattern  string            `yaml:"pattern" doc:"regular expression for names; its first group is the owner, such as '^(\\w+)-'"`
	Table    map[string]string `yaml:"table" doc:"owner by pattern of names, such as train-*: team-train; comes before pattern"`
	Accounts map[string]string `yaml:"accounts" doc:"owner of what is nobody's, by account"`
	People   map[string]string `yaml:"people" doc:"owner by Slack user id, for who presses Mine, and who may stop what that owner has; default the person's name, who may not"`
}

// PriceConfig is what was negotiated with one cloud. Empty fields are for everything there.
type PriceConfig struct {
	Provider  string           `yaml:"provider" doc:"the cloud, as price lists name it"`
	Region    string           `yaml:"region" doc:"only there"`
	Type      string           `yaml:"type" doc:"only this instance type"`
	GPU       string           `yaml:"gpu" doc:"only this card, such as A100-80G"`
	Mode      string           `yaml:"mode" doc:"only on_demand, spot, card_hour, weekly, monthly, quarterly or yearly"`
	Price     billing.Decimal  `yaml:"price" doc:"of one card for an hour, or for a term of what is paid ahead"`
	Currency  billing.Currency `yaml:"currency" doc:"of price, coupon and renewal"`
	Discount  billing.Decimal  `yaml:"discount" doc:"percent off the machine's price"`
	Coupon    billing.Decimal  `yaml:"coupon" doc:"then off the machine's cost, once"`
	Until     string           `yaml:"until" doc:"the last day that it holds, YYYY-MM-DD; default for good"`
	Renewal   billing.Decimal  `yaml:"renewal" doc:"of one card for every further term of what is paid ahead"`
	RefundFee billing.Decimal  `yaml:"refund_fee" doc:"percent kept of what comes back when a plan is ended"`
	Source    string           `yaml:"source" doc:"where it stands: a contract, a mail; shown"`
}

// RateEntry is a dated exchange rate with its source.
type RateEntry struct {
	Rate   billing.Decimal `yaml:"rate" doc:"units of the shown currency for one unit of this one"`
	Source string          `yaml:"source" doc:"where the rate is from; shown"`
	Date   string          `yaml:"date" doc:"its day, YYYY-MM-DD; shown"`
}

// HoursConfig are the working hours.
type HoursConfig struct {
	Start    string   `yaml:"start" doc:"start of work; default 10:00"`
	End      string   `yaml:"end" doc:"end of work; default 20:00"`
	Days     []string `yaml:"days" doc:"working days; default mon to fri"`
	Calendar string   `yaml:"calendar" doc:"holidays and worked weekends of a country: cn, or none; default none"`
	Off      []string `yaml:"off" doc:"further days off, YYYY-MM-DD"`
	On       []string `yaml:"on" doc:"further working days, YYYY-MM-DD"`
	Quiet    string   `yaml:"quiet" doc:"night in which only what can't wait is said: 22:00-08:00, or none; default 22:00-08:00"`
}

// AccountConfig is one account at one cloud.
type AccountConfig struct {
	Name        string            `yaml:"name" doc:"what people call it; unique"`
	Provider    string            `yaml:"provider" doc:"the cloud; see the table of clouds"`
	Credentials CredentialsConfig `yaml:"credentials" doc:"keys, apart for reading and for releasing"`
	Release     string            `yaml:"release" doc:"allow lets gpuspend stop and delete here; deny, or nothing, is read-only"`
	Roles       ActingConfig      `yaml:"roles" doc:"who may act here, where that is not who may everywhere"`
	BaseURL     string            `yaml:"base_url" doc:"another address of the same API"`
	Proxy       string            `yaml:"proxy" doc:"proxy for this account; default the environment's"`
	CAFile      string            `yaml:"ca_file" doc:"extra certificate authorities, PEM"`
	Poll        PollConfig        `yaml:"poll" doc:"how often to read"`

	payer        string                 // of a member: the account that lists it and pays for it
	Organization OrganizationConfig     `yaml:"organization" doc:"AWS: this account's key lists the accounts of an organisation; each is watched"`
	Sources      []billing.ChargeSource `yaml:"sources" doc:"which charges count where several sources have some of a day; default focus, native, api, counter"`
	Bill         []string               `yaml:"bill" doc:"what its bills lack: no_effective (EffectiveCost is unusable), no_invoice (BilledCost is no invoice amount); Huawei Cloud and Tencent Cloud are recognised"`
	Machines     []MachineConfig        `yaml:"machines" doc:"what runs here and no API shows, such as AutoDL's ordinary instances"`
}

// OrganizationConfig says how the accounts of an organisation are read.
type OrganizationConfig struct {
	Role        string       `yaml:"role" doc:"name of the role to take on in each member, such as gpuspend-read"`
	ReleaseRole string       `yaml:"release_role" doc:"name of the role to release with; without one members are read-only"`
	ExternalID  SecretConfig `yaml:"external_id" doc:"what the roles' trust policies ask for, where they ask"`
	Include     ChoiceConfig `yaml:"include" doc:"only these members; default all that are active"`
	Exclude     ChoiceConfig `yaml:"exclude" doc:"not these"`
}

// ChoiceConfig chooses members: one of these is enough.
type ChoiceConfig struct {
	IDs   []string          `yaml:"ids" doc:"account ids, of twelve digits"`
	Units []string          `yaml:"units" doc:"organisational units (ou-…), with all below them"`
	Tags  map[string]string `yaml:"tags" doc:"tags of the account; an empty value stands for any"`
}

// MachineConfig is something that costs and that no API shows. It is listed and reckoned as declared, and never released.
type MachineConfig struct {
	Name     string           `yaml:"name" doc:"what people call it; unique in the account"`
	GPU      string           `yaml:"gpu" doc:"model, such as RTX4090"`
	Count    billing.Decimal  `yaml:"count" doc:"number of GPUs; default 1 where gpu is given"`
	Rate     billing.Decimal  `yaml:"rate" doc:"price per hour, for all of it; without one it is unknown"`
	Currency billing.Currency `yaml:"currency" doc:"currency of the rate; default the cloud's"`
	From     string           `yaml:"from" doc:"since when it runs: 2026-12-01 or 2026-12-01 10:30, in the installation's zone"`
	Until    string           `yaml:"until" doc:"until when, the same way; default it goes on"`
	Kind     string           `yaml:"kind" doc:"instance, cluster, endpoint, disk, filesystem or reservation; default instance"`
	Region   string           `yaml:"region" doc:"where it is; shown"`
	Owner    string           `yaml:"owner" doc:"whose it is"`
	Project  string           `yaml:"project" doc:"what it is for"`
}

// CredentialsConfig are an account's two sets of keys.
type CredentialsConfig struct {
	Read    map[string]SecretConfig `yaml:"read" doc:"keys for reading, by the cloud's field names"`
	Release map[string]SecretConfig `yaml:"release" doc:"keys for releasing; opened only for an act that a person asked for"`
}

// PollConfig is how often an account is read.
type PollConfig struct {
	Balance   Duration `yaml:"balance" doc:"default 5m"`
	Inventory Duration `yaml:"inventory" doc:"default 15m"`
	Charges   Duration `yaml:"charges" doc:"default 1h"`
	Offers    Duration `yaml:"offers" doc:"default 6h"`
}

// PaidCallsConfig bounds what requests may cost, over all accounts.
type PaidCallsConfig struct {
	Daily billing.Decimal `yaml:"daily" doc:"the most that they may cost in a UTC day, all accounts together, in USD; default 0.10; 0 for none"`
}

// SlackConfig is the Slack app.
type SlackConfig struct {
	BotToken      SecretConfig `yaml:"bot_token" doc:"xoxb-…"`
	AppToken      SecretConfig `yaml:"app_token" doc:"xapp-… for Socket Mode: no inbound port"`
	SigningSecret SecretConfig `yaml:"signing_secret" doc:"for HTTP instead of Socket Mode; needs listen"`
	Team          string       `yaml:"team" doc:"workspace (T…) or enterprise (E…) that people must belong to; default the bot's own"`
	APIURL        string       `yaml:"api_url" doc:"another Web API address, ending in a slash"`
}

// ReceiverConfig is a robot of another chat, a mail server, or a program of the team's own.
type ReceiverConfig struct {
	Kind     string       `yaml:"kind" doc:"slack_webhook, wecom, dingtalk, feishu, webhook or email"`
	URL      SecretConfig `yaml:"url" doc:"the robot's whole address, which holds its key"`
	Secret   SecretConfig `yaml:"secret" doc:"signs: needed by webhook, used by dingtalk (加签) and feishu where it is set there"`
	Server   string       `yaml:"server" doc:"email: smtp.example.com:587 (STARTTLS), or port 465 (TLS from the start)"`
	User     string       `yaml:"user" doc:"email: who logs in; nobody when empty"`
	Password SecretConfig `yaml:"password" doc:"email"`
	From     string       `yaml:"from" doc:"email: gpuspend <gpuspend@example.com>"`
	Proxy    string       `yaml:"proxy" doc:"proxy for this receiver; default the environment's"`
	CAFile   string       `yaml:"ca_file" doc:"extra certificate authorities, PEM"`
}

// RouteConfig is one place for warnings.
type RouteConfig struct {
	To       string   `yaml:"to" doc:"slack:C… (channel), slack:U… (person), the name of a receiver, or of a mail server with an address: mail:ops@example.com"`
	Language string   `yaml:"language" doc:"en or zh; default the installation's"`
	Accounts []string `yaml:"accounts" doc:"only what is about these accounts; default all"`
	Rules    []string `yaml:"rules" doc:"only these warnings, by the names of the table of warnings; default all"`
	Urgent   bool     `yaml:"urgent" doc:"only what can't wait"`
	Digest   string   `yaml:"digest" doc:"on or off: the morning's digest; default on where rules and urgent leave nothing out"`
	Fallback bool     `yaml:"fallback" doc:"hears what another route could not take, and nothing else; at most one"`
}

// ViewersConfig says who may ask. Operators may always.
type ViewersConfig struct {
	Users    []string `yaml:"users" doc:"Slack user ids (U…)"`
	Groups   []string `yaml:"groups" doc:"Slack user group ids (S…); needs usergroups:read"`
	Channels []string `yaml:"channels" doc:"channel ids (C…): members may ask there; needs users:read"`
}

// ReleasesConfig are the rules of the release engine.
type ReleasesConfig struct {
	Operators      []string            `yaml:"operators" doc:"Slack user ids that may release; empty means nobody"`
	OperatorGroups []string            `yaml:"operator_groups" doc:"Slack user groups (S…) that may release; needs usergroups:read"`
	Approvers      []string            `yaml:"approvers" doc:"Slack user ids that may approve what another person proposed, where approval asks for it"`
	ApproverGroups []string            `yaml:"approver_groups" doc:"Slack user groups (S…) that may approve"`
	Approval       ApprovalConfig      `yaml:"approval" doc:"what a second person has to approve; who proposed never counts"`
	Channel        string              `yaml:"channel" doc:"channel id (C…) where operators and approvers are asked; default where it came up"`
	Checklist      []string            `yaml:"checklist" doc:"what to tick as saved elsewhere before a delete; default weights, logs, curves, checkpoints; own words are shown as written"`
	Checklists     map[string][]string `yaml:"checklists" doc:"own checklists by owner, instead of that"`
	Patience       Duration            `yaml:"patience" doc:"how long to look for the effect before saying that it did not come; default 30m"`
	Settle         Duration            `yaml:"settle" doc:"pause between the two listings that verify; default 1m"`
}

// ApprovalConfig says what needs a second person. What costs nobody knows how much needs one, too.
type ApprovalConfig struct {
	Above  billing.Decimal `yaml:"above" doc:"cost of a month, in the configured currency, above which a second person approves; default never"`
	Labels []string        `yaml:"labels" doc:"labels whose bearers need a second person, such as env=prod, or env for every value"`
}

// ActingConfig are an account's own lists; one that is given takes the place of the general one.
type ActingConfig struct {
	Operators      []string `yaml:"operators" doc:"Slack user ids that may release here, instead of releases.operators"`
	OperatorGroups []string `yaml:"operator_groups" doc:"Slack user groups that may release here"`
	Approvers      []string `yaml:"approvers" doc:"Slack user ids that may approve here, instead of releases.approvers"`
	ApproverGroups []string `yaml:"approver_groups" doc:"Slack user groups that may approve here"`
}

// RulesConfig are the thresholds.
type RulesConfig struct {
	Balance     BalanceRule     `yaml:"balance" doc:"prepaid balances"`
	Forgotten   ForgottenRule   `yaml:"forgotten" doc:"disks, addresses and snapshots nobody uses"`
	Stopped     StoppedRule     `yaml:"stopped" doc:"stopped but billed"`
	Expiry      ExpiryRule      `yaml:"expiry" doc:"plans, vouchers and machines paid ahead that end"`
	Unreachable UnreachableRule `yaml:"unreachable" doc:"an account that can't be read"`
}

// BalanceRule warns of the end of a balance.
type BalanceRule struct {
	Steps  []Duration                 `yaml:"steps" doc:"runway at which to warn; default 24h, 6h (and before the next start of work)"`
	Floors map[string]billing.Decimal `yaml:"floors" doc:"absolute floors by account, in its currency"`
}

// ForgottenRule warns of unused things.
type ForgottenRule struct {
	Disk     Duration                   `yaml:"disk" doc:"default 7d"`
	Snapshot Duration                   `yaml:"snapshot" doc:"default 90d"`
	Push     map[string]billing.Decimal `yaml:"push" doc:"own message from so much a month, by currency; default CNY 100, USD 15"`
}

// StoppedRule warns of machines that are off and cost.
type StoppedRule struct {
	After Duration `yaml:"after" doc:"listed from here; default 1h"`
	Push  Duration `yaml:"push" doc:"said from here; default 24h"`
}

// ExpiryRule warns of ends.
type ExpiryRule struct {
	Steps []Duration `yaml:"steps" doc:"default 14d, 3d, 1d"`
}

// UnreachableRule warns of blindness.
type UnreachableRule struct {
	After Duration `yaml:"after" doc:"default 30m; refused credentials are said at once"`
}

// Duration is a span such as 90s, 15m, 24h or 7d. It must have a unit and be greater than zero.
type Duration time.Duration

// UnmarshalText reads a duration; days are 24 hours.
func (d *Duration) UnmarshalText(b []byte) error {
	s := string(b)
	var days int64
	if n, err := fmt.Sscanf(s, "%dd", &days); n == 1 && err == nil && s == fmt.Sprintf("%dd", days) {
		*d = Duration(time.Duration(days) * 24 * time.Hour)
	} else {
		v, err := time.ParseDuration(s)
		if err != nil {
			return fmt.Errorf("%q is no duration; write it like 15m, 24h or 7d", s)
		}
		*d = Duration(v)
	}
	if *d <= 0 {
		return fmt.Errorf("%q is not greater than zero", s)
	}
	return nil
}

// Or gives the duration, or the default where none was given.
func (d Duration) Or(def time.Duration) time.Duration {
	if d == 0 {
		return def
	}
	return time.Duration(d)
}
