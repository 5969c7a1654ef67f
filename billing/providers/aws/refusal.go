package aws

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"

	"github.com/aws/smithy-go"

	"gpuspend/billing"
)

// codeHeader carries the code of a refusal from where its body is seen to the door; it never comes from the network.
const codeHeader = "X-Gpuspend-Code"

// dryRunCode is the refusal that says yes.
const dryRunCode = "DryRunOperation"

// codeForm finds the code of a refusal: EC2's and STS's XML, Cost Explorer's JSON.
var codeForm = regexp.MustCompile(`<Code>\s*([A-Za-z0-9.]+)\s*</Code>|"(?:__type|code)"\s*:\s*"(?:[^"#]*#)?([A-Za-z0-9.]+)"`)

// meaning gives a refusal the status that its code means: AWS sends most of them as 400, throttling as 503 and a passed
// dry run as 412.
func meaning(status int, head http.Header, body []byte) int {
	code := ""
	if m := codeForm.FindSubmatch(body); m != nil {
		code = string(m[1]) + string(m[2])
	}
	head.Del(codeHeader)
	if code == "" {
		return status
	}
	head.Set(codeHeader, code)
	if code == dryRunCode {
		return http.StatusOK
	}
	switch kindOf(code) {
	case billing.Auth:
		return http.StatusUnauthorized
	case billing.Denied:
		return http.StatusForbidden
	case billing.Missing:
		return http.StatusNotFound
	case billing.Conflict:
		return http.StatusConflict
	case billing.Limited:
		return http.StatusTooManyRequests
	case billing.Upstream:
		return http.StatusServiceUnavailable
	}
	return status
}

// kindOf sorts AWS's codes by what can be done about them; "" leaves it to the status.
func kindOf(code string) billing.ErrorKind {
	switch code {
	case "AuthFailure", "InvalidClientTokenId", "SignatureDoesNotMatch", "ExpiredToken", "ExpiredTokenException", "RequestExpired",
		"UnrecognizedClientException", "IncompleteSignature", "MissingAuthenticationToken", "InvalidSignatureException":
		return billing.Auth
	case "UnauthorizedOperation", "AccessDenied", "AccessDeniedException", "OptInRequired", "Blocked", "PendingVerification":
		return billing.Denied
	case "RequestLimitExceeded", "EC2ThrottledException", "LimitExceededException", "SlowDown", "TooManyRequestsException",
		"RequestThrottled", "RequestThrottledException":
		return billing.Limited
	case "VolumeInUse", "IncorrectState", "IncorrectInstanceState", "OperationNotPermitted", "DependencyViolation", "UnsupportedOperation":
		return billing.Conflict
	case "InternalError", "InternalFailure", "Unavailable", "ServiceUnavailable", "InternalServerError":
		return billing.Upstream
	}
	switch {
	case strings.HasPrefix(code, "Throttling"):
		return billing.Limited
	case strings.HasSuffix(code, ".NotFound"), strings.HasSuffix(code, ".Malformed"), code == "InvalidAMIID.Unavailable":
		return billing.Missing
	case strings.HasSuffix(code, ".InUse"):
		return billing.Conflict
	}
	return ""
}

// explain puts AWS's code and what it means into an error. An address that AWS no longer sees as ours is refused with
// the code of a wrong credential.
func explain(err error, service, action, code string) error {
	var own *billing.Error
	if code == "" || !errors.As(err, &own) {
		return err
	}
	e := *own
	if e.Say.Key == "error.web_page" { // XML under 403 looks like a proxy's page, which would have no code
		e.Kind = billing.Denied
	}
	e.Err, e.Say = errors.New(code), billing.Text{}
	if k := kindOf(code); k != "" {
		e.Kind = k
	}
	switch {
	case action == "ReleaseAddress" && code == "AuthFailure":
		e.Kind = billing.Missing
	case e.Kind == billing.Denied && action == "ListObjectsV2":
		e.Say = billing.Say("error.aws.permission", "permission", "s3:ListBucket")
	case e.Kind == billing.Denied && iamPrefix(service) != "":
		e.Say = billing.Say("error.aws.permission", "permission", iamPrefix(service)+action)
	case code == "OperationNotPermitted":
		e.Say = billing.Say("error.aws.protected")
	case e.Kind == billing.Conflict:
		e.Say = billing.Say("error.aws.conflict", "code", code)
	}
	return &e
}

func iamPrefix(service string) string {
	switch service {
	case "EC2":
		return "ec2:"
	case "STS":
		return "sts:"
	case costExplorer:
		return "ce:"
	case billingService:
		return "billing:"
	case bucketService:
		return "s3:"
	case budgetService:
		return "budgets:"
	case organizations:
		return "organizations:"
	case watchService:
		return "cloudwatch:"
	case plansService:
		return "savingsplans:"
	}
	return ""
}

// failed gives an error of the SDK its kind. What the door did not class comes from the SDK itself: no credentials to
// sign with, or an answer that it cannot decode.
func failed(ctx context.Context, op string, err error) error {
	var own *billing.Error
	var undecoded *smithy.DeserializationError
	switch {
	case err == nil, errors.Is(err, errWouldPass):
		return err
	case errors.As(err, &own):
		e := *own
		e.Op = op
		return &e
	case ctx.Err() != nil:
		return &billing.Error{Kind: billing.Upstream, Op: op, Err: ctx.Err()}
	case errors.As(err, &undecoded):
		return garbled(op, "the answer cannot be decoded")
	case strings.Contains(err.Error(), "credentials"):
		return &billing.Error{Kind: billing.Auth, Op: op, Say: billing.Say("error.aws.no_credentials"), Err: errors.New("no credentials to sign with")}
	}
	return &billing.Error{Kind: billing.Unknown, Op: op, Err: errors.New("the SDK failed before sending")}
}
