package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/internal/effort"
)

// attackedCalls are the system calls with which a program accesses files.
var attackedCalls = []string{
	"openat", "close", "read", "pread64", "write", "pwrite64", "lseek", "fsync", "fdatasync", "ftruncate",
	"renameat", "renameat2", "linkat", "symlinkat", "readlinkat", "unlinkat", "mkdirat", "getdents64",
	"newfstatat", "fstat", "statx", "fcntl", "flock", "fchmod", "fchmodat", "ioctl",
}

// TestAttackSyscalls uses strace to make system calls of a training fail: a single call, or all
// calls from one on. The program must report the error or recover from it, and the run must
// resume and end with the same bytes.
func TestAttackSyscalls(t *testing.T) {
	c := newCampaign(t)
	if err := exec.Command("strace", "-qq", "-o", os.DevNull, "true").Run(); err != nil {
		effort.NotChecked(t, "system calls: strace does not run: %v", err)
	}
	made := c.countCalls(t)
	type fault struct{ call, err string }
	var faults []fault
	for _, call := range attackedCalls {
		for _, err := range []string{"EIO", "ENOSPC", "EDQUOT", "EACCES", "EMFILE", "ESTALE", "EINTR"} {
			if made[call] > 0 {
				faults = append(faults, fault{call, err})
			}
		}
	}
	for _, f := range pick(c, 14, faults) {
		from := 1 + c.rng.IntN(made[f.call])
		if f.call == "fcntl" {
			from = max(from, 4) // Go's runtime makes the first three to check the standard streams, before main starts
		}
		when := fmt.Sprint(from)
		if f.err != "EINTR" && c.rng.IntN(2) == 0 { // a call that is always interrupted may be retried forever
			when += "+"
		}
		c.attack(fmt.Sprintf("%s with %s at %s", f.call, f.err, when), func(a *attack) { a.tryCall(f.call, f.err, when) })
	}
}

// countCalls returns the largest number of calls that one thread of a training makes, by system
// call.
func (c *campaign) countCalls(t *testing.T) map[string]int {
	a := &attack{campaign: c, t: t, rng: c.rng}
	log := filepath.Join(t.TempDir(), "calls")
	a.requireDone(a.run(traced(log, "trace="+optional(attackedCalls), a.trainer(a.copyOfRun(), attackedTo))))
	data, err := os.ReadFile(log)
	require.NoError(t, err)
	byThread, most := map[string]int{}, map[string]int{}
	for _, line := range regexp.MustCompile(`(?m)^([0-9]+) +([a-z0-9]+)\(`).FindAllStringSubmatch(string(data), -1) {
		byThread[line[0]]++
		most[line[2]] = max(most[line[2]], byThread[line[0]])
	}
	require.NotEmpty(t, most)
	return most
}

// optional returns a list of system calls for strace in which each may be missing on this
// machine.
func optional(calls []string) string { return "?" + strings.Join(calls, ",?") }

// traced returns cmd under strace, which writes its output to the file log.
func traced(log, expression string, cmd *exec.Cmd) *exec.Cmd {
	args := []string{"-f", "-qq", "-o", log, "-e", "signal=none", "-e", expression}
	return exec.Command("strace", slices.Concat(args, cmd.Args)...)
}

// tryCall trains while a system call fails.
func (a *attack) tryCall(call, errno, when string) {
	dir, log := a.copyOfRun(), filepath.Join(a.t.TempDir(), "calls")
	cmd := traced(log, "inject="+call+":error="+errno+":when="+when, a.trainer(dir, attackedTo))
	cmd.Args = slices.Insert(cmd.Args, 1, "-e", "trace="+call)
	e := a.run(cmd)
	data, err := os.ReadFile(log)
	require.NoError(a.t, err)
	switch {
	case !strings.Contains(string(data), "(INJECTED)"):
		a.count(call, "not struck")
	case strings.Contains(e.stderr, "loading shared libraries"):
		a.count(call, "not started")
	case e.code == exitDone:
		a.requireSameEnd(dir)
		a.count(call, "done all the same")
	default:
		require.Contains(a.t, []int{exitFailed, exitUsage}, e.code, "%v", e)
		if call != "write" { // the failed write may have been the error message
			require.Contains(a.t, e.stderr, "tiro: ", "%v", e)
		}
		a.count(call, "refused")
	}
	a.requireResumes(dir)
}
