// Package effort is for tests: it decides how much they do, and what happens where a
// program that they need is missing.
package effort

import (
	"fmt"
	"os"
	"testing"
)

// Long reports whether tests run at full length, as make torture, make attack and make
// chaos ask for.
func Long() bool { return os.Getenv("TIRO_TORTURE") == "long" }

// Of returns the effort of a test with -short, of make test, and of a long test.
func Of(short, usual, long int) int {
	switch {
	case testing.Short():
		return short
	case Long():
		return long
	}
	return usual
}

// NotChecked skips a test that lacks something on this machine. With CI=true, where
// everything is installed, it fails the test instead.
func NotChecked(t testing.TB, format string, values ...any) {
	t.Helper()
	why := "NOT CHECKED: " + fmt.Sprintf(format, values...)
	if os.Getenv("CI") == "true" {
		t.Fatal(why)
	}
	t.Skip(why)
}
