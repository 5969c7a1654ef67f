package storage

import (
	"time"

	"gpuspend/billing"
)

// storedTime is Unix milliseconds in JSON; 0 is none.
type storedTime int64

func keepTime(t time.Time) storedTime {
	if t.IsZero() {
		return 0
	}
	return storedTime(t.UnixMilli())
}

func (s storedTime) time() time.Time {
	if s == 0 {
		return time.Time{}
	}
	return fromMillis(int64(s))
}

// description is what of a billing.Resource has no column of its own. A test holds that no field is forgotten.
type description struct {
	Zone          string             `json:"zone,omitempty"`
	Type          string             `json:"type,omitempty"`
	StoppedHourly storedMoney        `json:"stopped_hourly,omitzero"`
	StoppedSource billing.RateSource `json:"stopped_source,omitempty"`
	SizeGiB       string             `json:"size_gib,omitempty"`
	CreatedAt     storedTime         `json:"created_at,omitempty"`
	StartedAt     storedTime         `json:"started_at,omitempty"`
	ExpiresAt     storedTime         `json:"expires_at,omitempty"`
	RenewsItself  billing.Tri        `json:"renews_itself,omitempty"`
	AttachedTo    []string           `json:"attached_to,omitempty"`
	Sources       []string           `json:"sources,omitempty"`
	GoesWith      bool               `json:"goes_with,omitempty"`
	HoldsData     billing.Tri        `json:"holds_data,omitempty"`
	AtZero        billing.Fate       `json:"at_zero,omitempty"`
	SafeOn        string             `json:"safe_on,omitempty"`
	Protected     bool               `json:"protected,omitempty"`
	Managed       string             `json:"managed,omitempty"`
	NotReleasable storedText         `json:"not_releasable,omitzero"`
	Tags          map[string]string  `json:"tags,omitempty"`
}

func describe(r billing.Resource) description {
	return description{
		Zone:          r.Zone,
		Type:          r.Type,
		StoppedHourly: keepMoney(r.StoppedRate.Hourly),
		StoppedSource: r.StoppedRate.Source,
		SizeGiB:       r.SizeGiB.String(),
		CreatedAt:     keepTime(r.CreatedAt),
		StartedAt:     keepTime(r.StartedAt),
		ExpiresAt:     keepTime(r.ExpiresAt),
		RenewsItself:  r.RenewsItself,
		AttachedTo:    r.AttachedTo,
		Sources:       r.Sources,
		GoesWith:      r.GoesWith,
		HoldsData:     r.HoldsData,
		AtZero:        r.AtZero,
		SafeOn:        r.SafeOn,
		Protected:     r.Protected,
		Managed:       r.Managed,
		NotReleasable: keepText(r.NotReleasable),
		Tags:          r.Tags,
	}
}

// into fills what it holds into a resource.
func (d description) into(r *billing.Resource) (err error) {
	r.Zone, r.Type = d.Zone, d.Type
	r.CreatedAt, r.StartedAt, r.ExpiresAt = d.CreatedAt.time(), d.StartedAt.time(), d.ExpiresAt.time()
	r.RenewsItself, r.HoldsData, r.AtZero, r.SafeOn = d.RenewsItself, d.HoldsData, d.AtZero, d.SafeOn
	r.AttachedTo, r.Sources, r.GoesWith = d.AttachedTo, d.Sources, d.GoesWith
	r.Protected, r.Managed, r.Tags = d.Protected, d.Managed, d.Tags
	r.StoppedRate.Source = d.StoppedSource
	if r.StoppedRate.Hourly, err = d.StoppedHourly.money(); err != nil {
		return err
	}
	if r.SizeGiB, err = parseDecimal(d.SizeGiB); err != nil {
		return err
	}
	r.NotReleasable, err = d.NotReleasable.text()
	return err
}
