// Package effort determines how much tests do, and handles missing programs that they need.
package effort

import (
	"fmt"
	"os"
	"testing"
)

// Long reports whether tests run at full length, as in make torture, make attack and make
// chaos.
func Long() bool { return os.Getenv("TIRO_TORTURE") == "long" }

// Of returns short with -short, long in long tests, and usual otherwise.
func Of(short, usual, long int) int {
	switch {
	case testing.Short():
		return short
	case Long():
		return long
	}
	return usual
}

// NotChecked skips a test because something is missing on this machine. With CI=true, where
// everything must be installed, it fails the test instead.
func NotChecked(t testing.TB, format string, values ...any) {
	t.Helper()
	why := "NOT CHECKED: " + fmt.Sprintf(format, values...)
	_ = os.Getenv("TIRO_MISSING") // so that go test runs the test again once make test has another value
	if os.Getenv("CI") == "true" {
		t.Fatal(why)
	}
	t.Skip(why)
}
