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
	"unicode"

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
		b, err := smallFile(s.File)
		if err != nil {
			return billing.Secret{}, err
		}
		return trimmed(b, "the file "+s.File)
	case s.Exec != "":
		ctx, cancel := context.WithTimeout(ctx, execPatience)
		defer cancel()
		c := exec.CommandContext(ctx, "/bin/sh", "-c", s.Exec)
		c.WaitDelay = time.Second // what the shell started may hold its output open
		out, err := c.Output()
		if ctx.Err() != nil {
			return billing.Secret{}, fmt.Errorf("the command %q printed nothing within %s", s.Exec, execPatience)
		}
		if err != nil {
			return billing.Secret{}, fmt.Errorf("the command %q failed: %w", s.Exec, err)
		}
		return trimmed(out, fmt.Sprintf("the command %q", s.Exec))
	}
	return billing.Secret{}, nil
}

// secretMost is how long a secret may be; a private key is a few thousand bytes.
const secretMost = 64 << 10

// smallFile reads a file that can hold a secret: a regular one, and no longer than that.
func smallFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the file %s can't be read: %w", path, errors.Unwrap(err))
	case !info.Mode().IsRegular() || info.Size() > secretMost:
		return nil, fmt.Errorf("%s is no file that holds a secret: a regular one of at most %d bytes is", path, secretMost)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("the file %s can't be read: %w", path, errors.Unwrap(err))
	}
	return b, nil
}

// trimmed takes what was found for a secret: one line of printable text.
func trimmed(b []byte, place string) (billing.Secret, error) {
	b = bytes.TrimSpace(b)
	if len(b) == 0 {
		return billing.Secret{}, fmt.Errorf("%s holds nothing", place)
	}
	if bytes.ContainsFunc(b, unicode.IsControl) {
		return billing.Secret{}, fmt.Errorf("%s holds more than one line; a key is one", place)
	}
	return billing.NewSecret(string(b)), nil
}
