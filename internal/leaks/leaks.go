// Package leaks fails tests that leave goroutines behind.
package leaks

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Main runs the tests of a package and exits, as the end of TestMain. It fails if a goroutine
// remains whose stack contains none of the functions to ignore.
func Main(m *testing.M, ignore ...string) {
	code := m.Run()
	if left := left(ignore); code == 0 && left != "" {
		fmt.Fprintf(os.Stderr, "the tests left goroutines behind:\n\n%s\n", left)
		code = 1
	}
	os.Exit(code)
}

// Check fails a test if a goroutine remains.
func Check(t testing.TB) {
	t.Helper()
	if left := left(nil); left != "" {
		t.Errorf("goroutines were left behind:\n\n%s", left)
	}
}

// patience is how long goroutines may take to end.
var patience = time.Minute

// foreign matches the stacks of goroutines of the Go runtime and of package testing.
var foreign = regexp.MustCompile(`(?m)^(created by )?(testing|os/signal|runtime)\.`)

// left returns the stacks of all goroutines but the caller's, after they have had time to end.
func left(ignore []string) string {
	for begun := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		text := make([]byte, 1<<22)
		text = text[:runtime.Stack(text, true)]
		var all []string
		for _, stack := range strings.Split(string(text), "\n\n")[1:] {
			known := foreign.MatchString(stack)
			for _, function := range ignore {
				known = known || strings.Contains(stack, function)
			}
			if !known {
				all = append(all, stack)
			}
		}
		if len(all) == 0 || time.Since(begun) > patience {
			return strings.Join(all, "\n\n")
		}
	}
}
