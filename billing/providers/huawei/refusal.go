package huawei

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"

	"gpuspend/billing"
)

// envelope is what Huawei's services put around a failure; they have four ways to do so, and BSS one inside a success.
type envelope struct {
	ErrorCode json.RawMessage `json:"error_code"` // the gateway, BSS
	Code      json.RawMessage `json:"code"`       // EIP
	Error     *struct {
		Code json.RawMessage `json:"code"` // ECS, EVS, IMS
	} `json:"error"`
	ItemNotFound *struct{} `json:"itemNotFound"` // paths that are OpenStack's own
	BadRequest   *struct{} `json:"badRequest"`
	Forbidden    *struct{} `json:"forbidden"`
	Conflicting  *struct{} `json:"conflictingRequest"`
	OverLimit    *struct{} `json:"overLimit"`
}

// code gives the failure's code, "" for none.
func (e *envelope) code() string {
	switch {
	case e.ItemNotFound != nil:
		return "itemNotFound"
	case e.BadRequest != nil:
		return "badRequest"
	case e.Forbidden != nil:
		return "forbidden"
	case e.Conflicting != nil:
		return "conflictingRequest"
	case e.OverLimit != nil:
		return "overLimit"
	}
	raw := []json.RawMessage{e.ErrorCode, e.Code}
	if e.Error != nil {
		raw = append(raw, e.Error.Code)
	}
	for _, r := range raw {
		if code := strings.Trim(string(r), `" `); code != "" && code != "null" && code != "0" && code != "CBC.0000" {
			return code
		}
	}
	return ""
}

// failed gives the error that a success holds inside; nil for none.
func (e *envelope) failed(op string) error {
	code := e.code()
	if code == "" {
		return nil
	}
	err := refused(code, http.StatusInternalServerError)
	err.Op = op
	return err
}

// answer is a decoded answer that may hold a failure.
type answer interface{ failed(op string) error }

// refusal is Huawei's code for an answer that is no success. It is all of the answer that goes up: the message may quote
// what was sent.
type refusal struct{ code string }

func (r refusal) Error() string { return "Huawei Cloud answered " + r.code }

// plainCode matches what Huawei's codes are made of.
var plainCode = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,39}(\.[A-Za-z0-9_]{1,20}){0,3}$`)

// translate reads the codes of refused requests, for the status alone does not tell what went wrong: a bound EIP is
// refused with 500 where a load balancer has it. What may pass later gets the status under which the chain above tries
// again; every other known code becomes an error of its kind.
func translate(resp *http.Response) (*http.Response, error) {
	if resp.StatusCode < 400 {
		return resp, nil
	}
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	var e envelope
	code := ""
	if json.Unmarshal(body, &e) == nil {
		code = e.code()
	}
	if code != "" || resp.StatusCode == http.StatusUnauthorized {
		err := refused(code, resp.StatusCode)
		if err.Kind != billing.Limited && err.Kind != billing.Upstream {
			_ = resp.Body.Close()
			return nil, err
		}
		resp.StatusCode = http.StatusServiceUnavailable
		if err.Kind == billing.Limited {
			resp.StatusCode = http.StatusTooManyRequests
		}
	}
	resp.Body = rest{io.MultiReader(bytes.NewReader(body), resp.Body), resp.Body}
	return resp, nil
}

type rest struct {
	io.Reader
	io.Closer
}

// refused makes the error of a code; the client adds the operation.
func refused(code string, status int) *billing.Error {
	if !plainCode.MatchString(code) {
		code = "without a code"
	}
	e := &billing.Error{Kind: kindOf(code, status), Err: refusal{code}}
	switch {
	case e.Kind == billing.Auth:
		e.Say = billing.Say("error.huawei.auth")
	case code == "Ecs.0003", code == "Ecs.0071", code == "Ecs.0067":
		e.Say = billing.Say("error.huawei.restricted")
	}
	return e
}

// codes sorts Huawei's codes by their beginnings; the first that fits counts. The gateway's come with two prefixes.
func codes() []struct {
	kind   billing.ErrorKind
	begins []string
} {
	return []struct {
		kind   billing.ErrorKind
		begins []string
	}{
		{billing.Auth, []string{"APIGW.0301", "APIG.0301"}},
		{billing.Denied, []string{"CBC.0151", "APIGW.0302", "APIG.0302", "APIGW.0303", "APIG.0303", "Ecs.0110", "Ecs.0003", "Ecs.0067", "Ecs.0071", "forbidden"}},
		{billing.Limited, []string{"APIGW.0308", "APIG.0308", "overLimit"}},
		{billing.Absent, []string{"APIGW.0101", "APIG.0101"}},
		{billing.Missing, []string{"Ecs.0114", "Ecs.0614", "itemNotFound", "VPC.0504", "IMG.0027"}},
		{billing.Conflict, []string{"Ecs.0100", "EVS.1046", "EVS.1047", "EVS.2409", "VPC.0512", "VPC.0516", "VPC.0517", "conflictingRequest"}},
		{billing.Invalid, []string{"APIGW.0106", "APIG.0106", "Ecs.0005", "Ecs.0118", "badRequest"}},
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
	switch status {
	case http.StatusUnauthorized:
		return billing.Auth
	case http.StatusForbidden, http.StatusPaymentRequired:
		return billing.Denied
	case http.StatusNotFound, http.StatusGone:
		return billing.Missing
	case http.StatusConflict, http.StatusPreconditionFailed, http.StatusLocked:
		return billing.Conflict
	case http.StatusTooManyRequests:
		return billing.Limited
	case http.StatusRequestTimeout:
		return billing.Upstream
	}
	if status >= 400 && status < 500 {
		return billing.Invalid
	}
	return billing.Upstream
}

func garbled(op, why string) error {
	return &billing.Error{Kind: billing.Invalid, Op: op, Say: billing.Say("error.garbled"), Err: errors.New(why)}
}

func conflict(op string, say billing.Text) error {
	return &billing.Error{Kind: billing.Conflict, Op: op, Say: say, Err: errors.New("refused before sending: " + say.Key)}
}

func missing(op string) error {
	return &billing.Error{Kind: billing.Missing, Op: op, Err: errors.New("in none of the projects looked at")}
}

func absent(op string, kind billing.Kind) error {
	return &billing.Error{Kind: billing.Absent, Op: op, Err: errors.New("Huawei Cloud offers this for no " + string(kind))}
}
