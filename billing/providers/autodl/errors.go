package autodl

import (
	"errors"
	"regexp"
	"strings"

	"gpuspend/billing"
)

// failed makes the error of an answer whose code is not success.
func failed(op string, e envelope) error {
	kind, say := verdict(e.Code, e.Msg)
	return &billing.Error{Kind: kind, Op: op, Say: say, Err: errors.New("answered with code " + harmless(e.Code))}
}

// verdict sorts codes, and where a code covers several cases the texts that were seen with it. A code that nobody has
// seen is Unknown, with AutoDL's own words: there is no list of codes.
func verdict(code, msg string) (billing.ErrorKind, billing.Text) {
	says := billing.Say("error.autodl.says", "message", harmless(msg), "code", harmless(code))
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(msg, w) {
				return true
			}
		}
		return false
	}
	switch {
	case code == codeMissing:
		return billing.Missing, billing.Text{}
	case code == codeParameter:
		return billing.Invalid, says
	case code == codeRealName:
		return billing.Denied, billing.Say("error.autodl.real_name")
	case code == codeRefused && has("权限", "认证"):
		return billing.Denied, billing.Say("error.autodl.verification")
	case code == codeRefused:
		return billing.Invalid, says
	case code == codeInternal && has("请确保", "请先", "暂无库存", "状态"):
		return billing.Conflict, says
	case code == codeInternal:
		return billing.Upstream, says
	case strings.Contains(code, "Auth"), strings.Contains(code, "Token"), has("登录", "鉴权", "token", "Token"):
		return billing.Auth, billing.Text{} // inferred: what a refused token is answered with is not documented
	case strings.Contains(code, "Limit"), strings.Contains(code, "TooMany"), has("频繁"):
		return billing.Limited, billing.Text{}
	}
	return billing.Unknown, says
}

// token matches a run of letters, digits and signs, as words and secrets are made of.
var token = regexp.MustCompile(`[!-~]+`)

// word matches what is a word and no secret.
var word = regexp.MustCompile(`^[A-Za-z]{1,24}[.,:;!?]?$`)

// harmless leaves of a cloud's text what may be shown: Chinese, and single words of Latin letters.
func harmless(s string) string {
	s = token.ReplaceAllStringFunc(s, func(t string) string {
		if word.MatchString(t) || len(t) <= 2 {
			return t
		}
		return "…"
	})
	if r := []rune(s); len(r) > 120 {
		return string(r[:119]) + "…"
	}
	return s
}

func garbled(op, why string) error {
	return &billing.Error{Kind: billing.Invalid, Op: op, Say: billing.Say("error.garbled"), Err: errors.New(why)}
}

func conflict(op string, say billing.Text) error {
	return &billing.Error{Kind: billing.Conflict, Op: op, Say: say, Err: errors.New("refused before sending: " + say.Key)}
}

func missing(op string) error {
	return &billing.Error{Kind: billing.Missing, Op: op, Err: errors.New("not in the list")}
}

func absent(op string, kind billing.Kind) error {
	e := &billing.Error{Kind: billing.Absent, Op: op, Err: errors.New("AutoDL's API offers this for no " + string(kind))}
	if kind == billing.KindImage {
		e.Say = billing.Say("error.autodl.image")
	}
	return e
}
