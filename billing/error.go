package billing

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrorKind sorts failures by what can be done about them.
type ErrorKind string

// The kinds of failure a cloud can answer with.
const (
	Unknown  ErrorKind = "unknown"  // nobody can tell; treated like Upstream for reading, never retried for writing
	Auth     ErrorKind = "auth"     // the credential is refused: wrong, expired, revoked
	Denied   ErrorKind = "denied"   // the credential is good and lacks a permission
	Missing  ErrorKind = "missing"  // no such thing, or not visible: never a proof that it is gone
	Limited  ErrorKind = "limited"  // too many requests; RetryAfter says how long to wait, where the cloud said so
	Upstream ErrorKind = "upstream" // the cloud, or the way to it, failed
	Conflict ErrorKind = "conflict" // refused in this state: in use, protected, managed, not stopped
	Invalid  ErrorKind = "invalid"  // our request or our configuration is wrong, or the answer is not what the cloud documents
	Absent   ErrorKind = "absent"   // the cloud does not offer this at all
)

// Error is a failure with its kind and a sentence fit for a channel. Err is for the log only: it may quote the cloud.
type Error struct {
	Kind       ErrorKind
	Op         string        // what was being done, such as "runpod: list pods"
	Say        Text          // for people; empty means the sentence of the kind
	RetryAfter time.Duration // 0 where the cloud named none
	Err        error
}

func (e *Error) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("%s: %s", e.Op, e.Kind)
	}
	return fmt.Sprintf("%s: %s: %v", e.Op, e.Kind, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// Retryable says that the same read may succeed later without anybody doing anything.
func (k ErrorKind) Retryable() bool { return k == Limited || k == Upstream || k == Unknown }

// KindOf finds the kind of an error. An ended context is Upstream; an error nobody classed is Unknown; nil is "".
func KindOf(err error) ErrorKind {
	var e *Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &e):
		return e.Kind
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return Upstream
	}
	return Unknown
}

// SayOf finds the sentence for people: the error's own, else the one of its kind ("error.auth" and so on).
func SayOf(err error) Text {
	var e *Error
	if errors.As(err, &e) && !e.Say.IsZero() {
		return e.Say
	}
	return Say("error." + string(KindOf(err)))
}
