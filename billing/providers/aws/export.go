package aws

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"gpuspend/billing"
	"gpuspend/billing/focus"
)

// exported is an account whose bill is read from a FOCUS export in S3, which costs nothing beyond S3.
type exported struct {
	*account
	in     bucket
	prefix string // of the export's folder, with a slash at its end

	mu   sync.Mutex
	read map[time.Time]month // what was read, by the month's first instant
}

// month is one billing period as its manifest has it.
type month struct {
	start    time.Time
	manifest object
	lines    []billing.Charge // kept while they are few
	kept     bool
}

// keptLines is how many lines of a month are kept, so that a month that was not delivered anew is not read anew.
const keptLines = 20000

var _ billing.Charger = (*exported)(nil)

// manifestForm finds the billing period of a manifest's key. The case of the partition's name differs between exports;
// exports that overwrite nothing have a folder for each run below it.
var manifestForm = regexp.MustCompile(`(?i)/metadata/billing_period=([0-9]{4}-[0-9]{2})/(?:[^/]+/)?[^/]*manifest\.json$`)

const exportOp = "aws: read the export"

// months are the billing periods that were delivered, oldest first, each with its newest manifest: it is written when
// a delivery is whole, and names what belongs to it. Files beside it are older deliveries, which would count twice.
func (x *exported) months(ctx context.Context) ([]month, error) {
	all, err := x.in.list(ctx, exportOp, x.prefix+"metadata/")
	if err != nil {
		return nil, err
	}
	newest := map[time.Time]object{}
	for _, o := range all {
		m := manifestForm.FindStringSubmatch(o.Key)
		if m == nil {
			continue
		}
		start, err := time.Parse("2006-01", m[1])
		if err != nil || o.LastModified.IsZero() {
			return nil, garbled(exportOp, "a manifest's period or time is none")
		}
		if had, ok := newest[start]; !ok || o.LastModified.After(had.LastModified) {
			newest[start] = o
		}
	}
	var list []month
	for start, o := range newest {
		list = append(list, month{start: start, manifest: o})
	}
	slices.SortFunc(list, func(x, y month) int { return x.start.Compare(y.start) })
	if len(list) == 0 {
		return nil, &billing.Error{Kind: billing.Missing, Op: exportOp, Say: billing.Say("error.aws.no_export"), Err: errors.New("no manifest is there")}
	}
	return list[gap(list):], nil
}

// gap is where the months begin that follow each other to the newest: a hole before them is not a month of nothing.
func gap(list []month) int {
	i := len(list) - 1
	for i > 0 && list[i-1].start.AddDate(0, 1, 0).Equal(list[i].start) {
		i--
	}
	return i
}

// Billed says how far the export reaches. A delivery may lack the day before it, and a month that has no manifest yet,
// as on its first morning, is not delivered. What was delivered anew since it was read is to be read again.
func (x *exported) Billed(ctx context.Context, of billing.Period) (billing.Coverage, error) {
	list, err := x.months(ctx)
	if err != nil {
		return billing.Coverage{}, err
	}
	last := list[len(list)-1]
	c := billing.Coverage{From: list[0].start, Through: last.manifest.LastModified.UTC().Truncate(aDay).Add(-aDay)}
	for _, end := range []time.Time{last.start.AddDate(0, 1, 0), of.End.UTC()} {
		if end.Before(c.Through) {
			c.Through = end
		}
	}
	closed := x.now().UTC().AddDate(0, 0, -7)
	c.Provisional = time.Date(closed.Year(), closed.Month(), 1, 0, 0, 0, 0, time.UTC)
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, m := range list {
		if had, ok := x.read[m.start]; ok && had.manifest.ETag != m.manifest.ETag && m.start.Before(c.Provisional) {
			c.Provisional = m.start
		}
	}
	if c.Provisional.After(c.Through) {
		c.Provisional = c.Through
	}
	return c, nil
}

// Charges reads the months of a period, whole.
func (x *exported) Charges(ctx context.Context, of billing.Period) iter.Seq2[billing.Charge, error] {
	return func(yield func(billing.Charge, error) bool) {
		list, err := x.months(ctx)
		if err != nil {
			yield(billing.Charge{}, err)
			return
		}
		for _, m := range list {
			if !m.start.Before(of.End) || !m.start.AddDate(0, 1, 0).After(of.Start) {
				continue
			}
			lines, err := x.lines(ctx, m)
			if err != nil {
				yield(billing.Charge{}, err)
				return
			}
			for _, l := range lines {
				if of.Contains(l.ChargePeriod.Start) && !yield(l, nil) {
					return
				}
			}
		}
	}
}

// lines reads a month, or gives what was read of the same delivery.
func (x *exported) lines(ctx context.Context, m month) ([]billing.Charge, error) {
	x.mu.Lock()
	had, ok := x.read[m.start]
	x.mu.Unlock()
	if ok && had.kept && had.manifest.ETag == m.manifest.ETag {
		return had.lines, nil
	}
	parts, err := x.parts(ctx, m)
	if err != nil {
		return nil, err
	}
	var all []billing.Charge
	for _, p := range parts {
		if all, err = x.part(ctx, p, all); err != nil {
			return nil, err
		}
	}
	if m.kept = len(all) <= keptLines; m.kept {
		m.lines = all
	}
	x.mu.Lock()
	x.read[m.start] = m
	x.mu.Unlock()
	return all, nil
}

// parts are the files that a manifest names. One that is not there makes the month incomplete, not smaller.
func (x *exported) parts(ctx context.Context, m month) ([]object, error) {
	text, err := io.ReadAll(x.in.read(ctx, m.manifest))
	if err != nil {
		return nil, failed(ctx, exportOp, err)
	}
	var manifest struct {
		Files []string `json:"dataFiles"`
	}
	if err := json.Unmarshal(text, &manifest); err != nil || len(manifest.Files) == 0 {
		return nil, garbled(exportOp, "the manifest names no files")
	}
	there, err := x.in.list(ctx, exportOp, x.prefix+"data/")
	if err != nil {
		return nil, err
	}
	var parts []object
	for _, address := range manifest.Files {
		key, ok := x.in.keyOf(address)
		i := slices.IndexFunc(there, func(o object) bool { return o.Key == key })
		switch {
		case !ok || i < 0:
			return nil, &billing.Error{Kind: billing.Upstream, Op: exportOp, Say: billing.Say("error.aws.export_part"), Err: errors.New("a file of the manifest is not there")}
		case strings.HasSuffix(strings.ToLower(key), ".parquet"):
			return nil, &billing.Error{Kind: billing.Invalid, Op: exportOp, Say: billing.Say("error.aws.export_parquet"), Err: errors.New("the export is Parquet")}
		}
		parts = append(parts, there[i])
	}
	return parts, nil
}

// part reads one file and adds its lines.
func (x *exported) part(ctx context.Context, o object, all []billing.Charge) ([]billing.Charge, error) {
	name := o.Key[strings.LastIndex(o.Key, "/")+1:]
	r, err := focus.NewReader(name, x.in.read(ctx, o))
	for err == nil {
		var c billing.Charge
		if err = r.Read(&c); err == nil {
			all = append(all, c)
		}
	}
	var own *billing.Error
	switch {
	case err == io.EOF:
		return all, nil
	case errors.As(err, &own), ctx.Err() != nil:
		return nil, failed(ctx, exportOp, err)
	}
	return nil, &billing.Error{Kind: billing.Invalid, Op: exportOp, Say: billing.Say("error.aws.export_form", "file", name), Err: err}
}

// exportSettings say where an export is; without a bucket there is none.
type exportSettings struct{ bucket, region, prefix string }

// bucketForm matches what S3's buckets are called, and folderForm the names of folders on the way to an export.
var (
	bucketForm = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)
	folderForm = regexp.MustCompile(`^[A-Za-z0-9!_.*'()/-]*$`)
)

func readExport(c billing.Config, region string) (s exportSettings, err error) {
	text := func(name string) string { return strings.Trim(strings.TrimSpace(c.Fields[name].Reveal()), "/") }
	s = exportSettings{bucket: text("focus_bucket"), region: text("focus_region")}
	if s.region == "" {
		s.region = region
	}
	name, folder := text("focus_export"), text("focus_prefix")
	field := ""
	switch {
	case s.bucket == "" && name+folder+text("focus_region") == "":
		return exportSettings{}, nil
	case !bucketForm.MatchString(s.bucket):
		field = "focus_bucket"
	case !regionName(s.region):
		field = "focus_region"
	case name == "" || strings.Contains(name, "/") || !folderForm.MatchString(name):
		field = "focus_export"
	case !folderForm.MatchString(folder):
		field = "focus_prefix"
	}
	if field != "" {
		return s, &billing.Error{Kind: billing.Invalid, Op: "aws: open", Say: billing.Say("error.aws.field", "field", field), Err: errors.New(field + " is not of S3's form")}
	}
	s.prefix = name + "/"
	if folder != "" {
		s.prefix = folder + "/" + s.prefix
	}
	return s, nil
}
