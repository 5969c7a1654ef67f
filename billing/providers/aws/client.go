package aws

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"golang.org/x/time/rate"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/httpx"
	"gpuspend/billing/providers/internal/sieve"
)

// settings are what the configuration says of an account beside its credentials.
type settings struct {
	region  string
	regions []string
	watched *sieve.Sieve
	charges bool
	export  exportSettings
	members billing.MemberDetail
}

// readSettings refuses what is no setting, before anything is sent.
func readSettings(c billing.Config) (s settings, err error) {
	text := func(name string) string { return strings.TrimSpace(c.Fields[name].Reveal()) }
	wrong := func(field, why string) error {
		return &billing.Error{Kind: billing.Invalid, Op: "aws: open", Say: billing.Say("error.aws.field", "field", field), Err: errors.New(why)}
	}
	s.region = text("region")
	if s.region == "" {
		s.region = home
	}
	if !regionName(s.region) {
		return s, wrong("region", "region is not one of AWS's form")
	}
	for r := range strings.SplitSeq(text("regions"), ",") {
		if r = strings.TrimSpace(r); r == "" {
			continue
		}
		if !regionName(r) {
			return s, wrong("regions", "a region is not one of AWS's form")
		}
		s.regions = append(s.regions, r)
	}
	scope, ok := oneOf(text("scope"), sieve.GPU, sieve.All)
	if !ok {
		return s, wrong("scope", "scope is neither gpu nor all")
	}
	s.watched = sieve.New(scope, text("tag"))
	on, ok := oneOf(text("cost_explorer"), "off", "on", "false", "true")
	if !ok {
		return s, wrong("cost_explorer", "cost_explorer is neither on nor off")
	}
	s.members = c.Members
	s.charges = on == "on" || on == "true"
	if s.export, err = readExport(c, s.region); err != nil {
		return s, err
	}
	if s.charges && s.export.bucket != "" {
		return s, wrong("focus_bucket", "both an export and Cost Explorer; one bill counts")
	}
	switch {
	case c.Fields["access_key_id"].Empty() != c.Fields["secret_access_key"].Empty():
		return s, &billing.Error{Kind: billing.Invalid, Op: "aws: open", Say: billing.Say("error.no_credential", "field", missingHalf(c)),
			Err: errors.New("half of an access key")}
	case text("external_id") != "" && text("role_arn") == "":
		return s, wrong("external_id", "an external ID without a role")
	}
	return s, nil
}

func missingHalf(c billing.Config) string {
	if c.Fields["access_key_id"].Empty() {
		return "access_key_id"
	}
	return "secret_access_key"
}

// oneOf reads a setting; the first value is the default.
func oneOf(s string, values ...string) (string, bool) {
	if s == "" {
		return values[0], true
	}
	for _, v := range values {
		if strings.EqualFold(s, v) {
			return v, true
		}
	}
	return "", false
}

// configure builds what every client of the SDK is made from. The SDK signs and decodes; sending, repeating and refusing
// are the door's.
func configure(c billing.Config, e billing.Env, s settings) (aws.Config, error) {
	d := newDoor(c, e)
	cfg := aws.Config{Region: s.region, HTTPClient: d, Retryer: func() aws.Retryer { return aws.NopRetryer{} }}
	if key := c.Fields["access_key_id"]; !key.Empty() {
		cfg.Credentials = aws.NewCredentialsCache(credentials.NewStaticCredentialsProvider(
			key.Reveal(), c.Fields["secret_access_key"].Reveal(), c.Fields["session_token"].Reveal()))
	} else {
		var err error
		cfg, err = config.LoadDefaultConfig(context.Background(), config.WithRegion(s.region), config.WithHTTPClient(d),
			config.WithRetryer(func() aws.Retryer { return aws.NopRetryer{} }),
			config.WithSharedConfigProfile(c.Fields["profile"].Reveal()))
		if err != nil {
			return cfg, err
		}
	}
	if base := endpoint(c); base != "" {
		cfg.BaseEndpoint = aws.String(base)
	}
	if role := c.Fields["role_arn"]; !role.Empty() {
		cfg.Credentials = aws.NewCredentialsCache(stscreds.NewAssumeRoleProvider(sts.NewFromConfig(cfg), role.Reveal(),
			func(o *stscreds.AssumeRoleOptions) {
				o.RoleSessionName = "gpuspend"
				if c.Write && c.Actor != "" { // CloudTrail then names who clicked
					o.SourceIdentity = aws.String(c.Actor)
				}
				if id := c.Fields["external_id"]; !id.Empty() {
					o.ExternalID = aws.String(id.Reveal())
				}
			}))
	}
	return cfg, nil
}

// endpoint is where requests go in place of AWS's own hosts: the configuration's word, else the variable that AWS's tools
// know, whichever way the keys came.
func endpoint(c billing.Config) string {
	if c.BaseURL != "" || strings.EqualFold(os.Getenv("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"), "true") {
		return c.BaseURL
	}
	return os.Getenv("AWS_ENDPOINT_URL")
}

func newDoor(c billing.Config, e billing.Env) *door {
	return &door{http: httpx.New(httpx.Options{
		Write: c.Write,
		Purse: e.Purse,
		// EC2 counts by account, region and action; fifty at once and ten a second stay below the smallest bucket known
		Pace:      rate.NewLimiter(rate.Every(100*time.Millisecond), 50),
		Secrets:   []billing.Secret{c.Fields["access_key_id"], c.Fields["secret_access_key"], c.Fields["session_token"]},
		Log:       e.Log,
		Now:       e.Now,
		Transport: recording{httpx.Restate(e.Transport, meaning)},
	})}
}
