package aws

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/aws/smithy-go/middleware"

	"gpuspend/billing"
	"gpuspend/billing/providers/internal/httpx"
)

// door is the SDK's way out. Every request of every AWS service passes it, is marked by what it does, and comes back as
// a whole, checked answer or as an error with its kind: the SDK itself would take a proxy's web page for an empty list.
type door struct{ http *http.Client }

// Do sends a request of the SDK.
func (d *door) Do(r *http.Request) (*http.Response, error) {
	service, action := middleware.GetServiceID(r.Context()), middleware.GetOperationName(r.Context())
	op := "aws: " + service + " " + action
	sent, err := again(r)
	if err != nil {
		return nil, &billing.Error{Kind: billing.Invalid, Op: op, Err: err}
	}
	code := new(string)
	sent = mark(sent.WithContext(context.WithValue(sent.Context(), codeKey{}, code)), service, action)
	answer, head, err := httpx.Do(d.http, op, sent)
	if err != nil {
		return nil, explain(err, service, action, *code)
	}
	if *code == dryRunCode {
		return nil, errWouldPass
	}
	if err := check(op, service, action, head, answer); err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: head,
		Body: io.NopCloser(bytes.NewReader(answer)), ContentLength: int64(len(answer)), Request: r}, nil
}

// errWouldPass is AWS's answer to a dry run of what it would do.
var errWouldPass = errors.New("the dry run passed")

// again makes a request that can be sent more than once.
func again(r *http.Request) (*http.Request, error) {
	sent := r.Clone(r.Context())
	if r.Body == nil {
		return sent, nil
	}
	body, err := io.ReadAll(r.Body)
	_ = r.Body.Close()
	if err != nil {
		return nil, errors.New("the request's body cannot be read")
	}
	sent.Body, sent.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	sent.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	return sent, nil
}

// mark says what a request does, by its action: what is not known to read is a write. A dry run is one too: should AWS
// ever overlook the flag, nothing that may only read has sent it.
func mark(r *http.Request, service, action string) *http.Request {
	switch {
	case service == costExplorer:
		return httpx.Paid(r, pagePrice())
	case strings.HasPrefix(action, "Describe"), strings.HasPrefix(action, "Get"), strings.HasPrefix(action, "List"),
		strings.HasPrefix(action, "AssumeRole"), service == "SSO OIDC" && action == "CreateToken":
		return httpx.Read(r)
	case service == "ec2imds", service == "SSO", service == "Signin": // credentials of the standard chain
		return httpx.Read(r)
	}
	return httpx.Write(r)
}

// The services whose answers are JSON, as the SDK names them.
const (
	costExplorer   = "Cost Explorer"
	billingService = "Billing"
	budgetService  = "Budgets"
	plansService   = "savingsplans"
	organizations  = "Organizations"
	watchService   = "CloudWatch" // its answers are XML
	bucketService  = "S3"         // its answers are XML for listings, and anything for objects
)

func spokenInJSON(service string) bool {
	return service == costExplorer || service == billingService || service == budgetService || service == plansService || service == organizations
}

type codeKey struct{}

// recording hands the code of a refusal up to the door, past all links that know status codes only.
type recording struct{ next http.RoundTripper }

// RoundTrip passes a request on.
func (t recording) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(r)
	if code, ok := r.Context().Value(codeKey{}).(*string); ok {
		*code = ""
		if err == nil {
			*code = resp.Header.Get(codeHeader)
		}
	}
	return resp, err
}

// check makes sure that a success is the documented answer, whole, with its list. Where the list is missing the SDK
// would see an empty one, and everything would look gone.
func check(op, service, action string, head http.Header, body []byte) error {
	text := bytes.TrimLeft(body, " \t\r\n\ufeff")
	page := bytes.HasPrefix(text, []byte("<!")) || len(text) > 5 && strings.EqualFold(string(text[:5]), "<html") ||
		strings.HasPrefix(head.Get("Content-Type"), "text/html")
	switch {
	case page:
		return &billing.Error{Kind: billing.Upstream, Op: op, Say: billing.Say("error.web_page"), Err: errors.New("the answer is a web page")}
	case service == "EC2" || service == "STS" || service == watchService:
		return checkXML(op, action, text)
	case spokenInJSON(service) && !json.Valid(text):
		var v any
		if err := json.NewDecoder(bytes.NewReader(text)).Decode(&v); errors.Is(err, io.ErrUnexpectedEOF) {
			return cutOff(op)
		}
		return garbled(op, "the answer is no JSON")
	}
	return nil
}

func checkXML(op, action string, text []byte) error {
	if !bytes.HasPrefix(text, []byte("<")) {
		return garbled(op, "the answer is no XML")
	}
	d := xml.NewDecoder(bytes.NewReader(text))
	want, listed, depth := listOf(action), false, 0
	for {
		t, err := d.RawToken()
		if err == io.EOF && depth == 0 {
			break
		}
		var syntax *xml.SyntaxError
		switch {
		case err == io.EOF, errors.As(err, &syntax) && strings.Contains(syntax.Msg, "EOF"):
			return cutOff(op)
		case err != nil:
			return garbled(op, "the answer is no XML")
		}
		switch t := t.(type) {
		case xml.StartElement:
			if depth == 0 && t.Name.Local != action+"Response" {
				return garbled(op, "the answer is to another question")
			}
			listed = listed || depth == 1 && t.Name.Local == want
			depth++
		case xml.EndElement:
			depth--
		}
	}
	if want != "" && !listed {
		return garbled(op, "the answer lacks its list")
	}
	return nil
}

// listOf names the element that holds an action's list; "" where none is needed.
func listOf(action string) string {
	switch action {
	case "DescribeInstances":
		return "reservationSet"
	case "DescribeVolumes":
		return "volumeSet"
	case "DescribeSnapshots":
		return "snapshotSet"
	case "DescribeImages":
		return "imagesSet"
	case "DescribeAddresses":
		return "addressesSet"
	case "DescribeRegions":
		return "regionInfo"
	case "DescribeReservedInstances":
		return "reservedInstancesSet"
	case "DescribeCapacityReservations":
		return "capacityReservationSet"
	case "DescribeSpotPriceHistory":
		return "spotPriceHistorySet"
	case "ListMetrics", "GetMetricStatistics":
		return action + "Result"
	}
	return ""
}

func garbled(op, why string) error {
	return &billing.Error{Kind: billing.Invalid, Op: op, Say: billing.Say("error.garbled"), Err: errors.New(why)}
}

func cutOff(op string) error {
	return &billing.Error{Kind: billing.Upstream, Op: op, Say: billing.Say("error.cut_off"), Err: errors.New("the answer ends in the middle")}
}
