package alibaba

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"gpuspend/billing"
)

// refusal is Alibaba's code for an answer that is no success. It is all of the answer that goes up: the message may quote
// what was sent.
type refusal struct{ code string }

func (r refusal) Error() string { return "Alibaba answered " + r.code }

// dryRunPassed are the codes of errors that are none: the dry run of a request that would have been taken.
func dryRunPassed(code string) bool { return code == "DryRunOperation" || code == "DRYRUN.SUCCESS" }

// plainCode matches what Alibaba's codes are made of.
var plainCode = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._-]{0,99}$`)

// plainAction matches the name of a permission.
var plainAction = regexp.MustCompile(`^[a-z0-9-]+:[A-Za-z0-9*]+$`)

// translate reads the codes of refused requests. Alibaba answers 400 and 403 to nearly everything, throttling too, so that
// the status alone tells neither what went wrong nor whether to try again. What may pass later gets the status under
// which the chain above tries again; every other known code becomes an error of its kind.
func translate(next http.RoundTripper) http.RoundTripper {
	return tripper(func(r *http.Request) (*http.Response, error) {
		resp, err := next.RoundTrip(r)
		if err != nil || resp.StatusCode < 400 {
			return resp, err
		}
		body, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
		var a struct {
			Code   rawCode `json:"Code"`
			Detail struct {
				AuthAction string `json:"AuthAction"`
			} `json:"AccessDeniedDetail"`
		}
		if json.Unmarshal(body, &a) != nil || a.Code == "" {
			resp.Body = rest{io.MultiReader(bytes.NewReader(body), resp.Body), resp.Body}
			return resp, nil
		}
		e := refused(string(a.Code), resp.StatusCode, a.Detail.AuthAction)
		if e.Kind != billing.Limited && e.Kind != billing.Upstream {
			_ = resp.Body.Close()
			return nil, e
		}
		resp.StatusCode = http.StatusServiceUnavailable
		if e.Kind == billing.Limited {
			resp.StatusCode = http.StatusTooManyRequests
			if d := timeLeft(resp.Header); d > 0 && resp.Header.Get("Retry-After") == "" {
				resp.Header.Set("Retry-After", strconv.FormatFloat(d.Seconds(), 'f', -1, 64))
			}
		}
		resp.Body = rest{io.MultiReader(bytes.NewReader(body), resp.Body), resp.Body}
		return resp, nil
	})
}

type tripper func(*http.Request) (*http.Response, error)

// RoundTrip passes the request on.
func (f tripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

type rest struct {
	io.Reader
	io.Closer
}

// timeLeft reads how long a throttled caller has to wait, from "Limit:1,Remain:0,TimeLeft:2000,Reset:1234" (ms).
func timeLeft(h http.Header) time.Duration {
	var longest time.Duration
	for _, name := range []string{"x-ratelimit-user-api", "x-ratelimit-user"} {
		for pair := range strings.SplitSeq(h.Get(name), ",") {
			v, ok := strings.CutPrefix(strings.TrimSpace(pair), "TimeLeft:")
			if ms, err := strconv.Atoi(v); ok && err == nil && ms > 0 {
				longest = max(longest, time.Duration(min(ms, 86_400_000))*time.Millisecond)
			}
		}
	}
	return longest
}

// refused makes the error of a code; the client adds the operation. permission is "" where Alibaba names none.
func refused(code string, status int, permission string) *billing.Error {
	if !plainCode.MatchString(code) {
		code = "an unreadable code"
	}
	e := &billing.Error{Kind: kindOf(code, status), Err: refusal{code}}
	switch {
	case e.Kind == billing.Denied && plainAction.MatchString(permission):
		e.Say = billing.Say("error.alibaba.permission", "permission", permission)
	case strings.HasPrefix(code, "InvalidTimeStamp"):
		e.Say = billing.Say("error.alibaba.clock")
	case code == "NotApplicable":
		e.Say = billing.Say("error.alibaba.site")
	}
	return e
}

// codes sorts Alibaba's codes by their beginnings; the first that fits counts.
func codes() []struct {
	kind   billing.ErrorKind
	begins []string
} {
	return []struct {
		kind   billing.ErrorKind
		begins []string
	}{
		{billing.Auth, []string{"InvalidAccessKeyId", "SignatureDoesNotMatch", "IncompleteSignature", "InvalidSecurityToken",
			"MissingSecurityToken", "InvalidTimeStamp"}},
		{billing.Conflict, []string{"Forbidden.ChargeTypeIsPrepaid", "Forbidden.ReleaseSegmentEip", "IncorrectInstanceStatus",
			"IncorrectDiskStatus", "IncorrectEipStatus", "IncorrectImageStatus", "ChargeTypeViolation", "InvalidOperation.",
			"DependencyViolation", "DiskCreatingSnapshot", "DiskTypeViolation", "DiskNotPortable", "SnapshotCreated",
			"Operation.Conflict", "OperationConflict", "TaskConflict", "InstanceLockedForSecurity", "OperationDenied",
			"ResourceInUse", "ImageUsingByInstance", "DryRunOperation", "DRYRUN.SUCCESS"}},
		{billing.Denied, []string{"Forbidden", "NoPermission", "NotAuthorized", "AccessDenied"}},
		{billing.Limited, []string{"Throttling"}},
		{billing.Upstream, []string{"ServiceUnavailable", "InternalError", "SystemBusy", "LastTokenProcessing", "SignatureNonceUsed"}},
		{billing.Invalid, []string{"NotApplicable", "MissingParameter", "InvalidParameter", "InvalidOwner", "InvalidRegionId"}},
	}
}

// kindOf sorts a code; one that is not known goes by the status of its answer.
func kindOf(code string, status int) billing.ErrorKind {
	for _, c := range codes() {
		for _, begin := range c.begins {
			if strings.HasPrefix(code, begin) {
				return c.kind
			}
		}
	}
	switch {
	case strings.HasSuffix(code, ".NotFound"):
		return billing.Missing
	case strings.HasPrefix(code, "Invalid"): // of a parameter, with whatever status
		return billing.Invalid
	case status == http.StatusNotFound:
		return billing.Missing
	case status == http.StatusUnauthorized:
		return billing.Auth
	case status == http.StatusForbidden:
		return billing.Denied
	case status == http.StatusConflict:
		return billing.Conflict
	case status == http.StatusTooManyRequests:
		return billing.Limited
	case status >= 400 && status < 500:
		return billing.Invalid
	}
	return billing.Upstream
}

// failed gives the error that a success holds inside; nil for none.
func (e *envelope) failed(op string) error {
	code := string(e.Code)
	good := code == "" || code == "200" || code == "Success" || code == "OK"
	if e.Success != nil {
		if *e.Success {
			return nil
		}
		if good {
			code = "no success"
		}
	} else if good {
		return nil
	}
	err := refused(code, http.StatusInternalServerError, "")
	err.Op = op
	return err
}
