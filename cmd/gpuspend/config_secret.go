package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"gpuspend/billing"
)

// SecretConfig says where a secret is: ${ENV}, {file: PATH} or {exec: COMMAND}. The file itself never holds one; Plain is
// the value of a field that is none, such as regions.
type SecretConfig struct {
	Env, File, Exec, Plain string
}

// Given says that the configuration names a place.
func (s SecretConfig) Given() bool { return s != SecretConfig{} }

// envName is the only form in which a scalar may name a secret.
func envName(s string) (string, bool) {
	m := regexp.MustCompile(`^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$`).FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return "", false
	}
	return m[1], true
}

// execPatience bounds a command that fetches a secret.
const execPatience = 15 * time.Second

// Reveal fetches the secret. Errors name the place, never what was found there.
func (s SecretConfig) Reveal(ctx context.Context) (billing.Secret, error) {
	switch {
	case s.Plain != "":
		return billing.NewSecret(s.Plain), nil
	case s.Env != "":
		v := os.Getenv(s.Env)
		if v == "" {
			return billing.Secret{}, fmt.Errorf("the environment has no %s", s.Env)
		}
		return billing.NewSecret(v), nil
	case s.File != "":
		b, err := os.ReadFile(s.File)
		if err != nil {
			return billing.Secret{}, fmt.Errorf("the file %s can't be read: %w", s.File, errors.Unwrap(err))
		}
		return trimmed(b, "the file "+s.File+" is empty")
	case s.Exec != "":
		ctx, cancel := context.WithTimeout(ctx, execPatience)
		defer cancel()
		out, err := exec.CommandContext(ctx, "/bin/sh", "-c", s.Exec).Output()
		if err != nil {
			return billing.Secret{}, fmt.Errorf("the command %q failed: %w", s.Exec, err)
		}
		return trimmed(out, fmt.Sprintf("the command %q printed nothing", s.Exec))
	}
	return billing.Secret{}, nil
}

func trimmed(b []byte, empty string) (billing.Secret, error) {
	b = bytes.TrimSpace(b)
	if len(b) == 0 {
		return billing.Secret{}, errors.New(empty)
	}
	return billing.NewSecret(string(b)), nil
}
