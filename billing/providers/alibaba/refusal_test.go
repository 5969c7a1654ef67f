package alibaba

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gpuspend/billing"
)

func TestRefusalsHaveTheirKind(t *testing.T) {
	for code, want := range map[string]billing.ErrorKind{
		"InvalidAccessKeyId.NotFound": billing.Auth, "InvalidAccessKeyId.Inactive": billing.Auth, "SignatureDoesNotMatch": billing.Auth,
		"InvalidTimeStamp.Expired": billing.Auth, "InvalidSecurityToken.Expired": billing.Auth, "Forbidden.RAM": billing.Denied,
		"NoPermission": billing.Denied, "NotAuthorized": billing.Denied, "NotApplicable": billing.Invalid,
		"Throttling": billing.Limited, "Throttling.User": billing.Limited, "Throttling.Api": billing.Limited,
		"ServiceUnavailable": billing.Upstream, "InternalError": billing.Upstream, "SystemBusy": billing.Upstream,
		"LastTokenProcessing": billing.Upstream, "SignatureNonceUsed": billing.Upstream,
		"IncorrectInstanceStatus": billing.Conflict, "IncorrectInstanceStatus.Initializing": billing.Conflict,
		"ChargeTypeViolation": billing.Conflict, "InvalidOperation.DeletionProtection": billing.Conflict,
		"DependencyViolation.RouteEntry": billing.Conflict, "SnapshotCreatedImage": billing.Conflict, "SnapshotCreatedDisk": billing.Conflict,
		"DiskCreatingSnapshot": billing.Conflict, "IncorrectEipStatus": billing.Conflict, "Forbidden.ChargeTypeIsPrepaid": billing.Conflict,
		"Forbidden.ReleaseSegmentEip": billing.Conflict, "InstanceLockedForSecurity": billing.Conflict, "OperationConflict": billing.Conflict,
		"InvalidInstanceId.NotFound": billing.Missing, "InvalidAllocationId.NotFound": billing.Missing, "InvalidParameter": billing.Invalid,
		"MissingParameter": billing.Invalid, "NobodyKnowsThisOne": billing.Invalid,
	} {
		if got := kindOf(code, 400); got != want {
			t.Errorf("%s is %s, want %s", code, got, want)
		}
	}
}

// Everything below 500 is a refusal that Alibaba may send as 400 or 200, the balance's as both.
func TestNotAuthorizedInASuccess(t *testing.T) {
	for _, file := range []string{"QueryAccountBalance.not-authorized.json", "400 QueryAccountBalance.not-authorized.json"} {
		_, err := overFake(t, files{"QueryAccountBalance": file}).Balance(context.Background())
		if billing.KindOf(err) != billing.Denied {
			t.Errorf("%s: %v, want Denied", file, err)
		}
	}
}

func TestPermissionIsNamed(t *testing.T) {
	_, err := overFake(t, files{"DescribeDisks": "403 error.forbidden.json"}).findDisk(context.Background(), hangzhou(billing.KindDisk, "d-1"))
	if got := billing.SayOf(err); got.Key != "error.alibaba.permission" || got.Args["permission"] != "ecs:DeleteDisk" {
		t.Errorf("%v says %+v", err, got)
	}
	if strings.Contains(err.Error(), "User not authorized") {
		t.Errorf("the message of the answer goes up: %v", err)
	}
}

func TestThrottlingIsWaitedOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, n, began := newFake(testNow), 0, time.Now()
		a := overFake(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if n++; n == 1 {
				w.Header().Set("x-ratelimit-user-api", "Limit:10,Remain:0,TimeLeft:3000,Reset:1234")
				w.WriteHeader(400)
				body, _ := os.ReadFile("testdata/error.throttling.json")
				_, _ = w.Write(body)
				return
			}
			f.ServeHTTP(w, r) // takes a nonce once
		}))
		if _, err := a.Identify(context.Background()); err != nil || n != 2 || time.Since(began) < 3*time.Second {
			t.Errorf("%d requests in %v, %v; want a second one after the time left", n, time.Since(began), err)
		}
	})
}

func TestThrottlingThatStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, err := overFake(t, files{"GetCallerIdentity": "400 error.throttling.json"}).Identify(context.Background())
		if billing.KindOf(err) != billing.Limited {
			t.Errorf("%v, want Limited", err)
		}
	})
}

func TestKindsOfErrorUnwrap(t *testing.T) {
	_, err := overFake(t, files{"GetCallerIdentity": "403 error.forbidden.json"}).Identify(context.Background())
	var said refusal
	if !errors.As(err, &said) || said.code != "Forbidden.RAM" {
		t.Errorf("%v holds no code", err)
	}
}

func TestSuccessDecides(t *testing.T) {
	yes, no := true, false
	for _, tt := range []struct {
		success *bool
		code    rawCode
		want    billing.ErrorKind
	}{
		{&yes, "200", ""}, {&yes, "Success", ""}, {&yes, "", ""}, {&no, "NotAuthorized", billing.Denied}, {&no, "Throttling", billing.Limited},
		{&no, "Success", billing.Upstream}, {&no, "200", billing.Upstream}, {nil, "", ""}, {nil, "200", ""}, {nil, "InternalError", billing.Upstream},
	} {
		if err := (&envelope{Success: tt.success, Code: tt.code}).failed("x"); billing.KindOf(err) != tt.want {
			t.Errorf("success %v, code %q: %v, want %q", tt.success, tt.code, err, tt.want)
		}
	}
}
