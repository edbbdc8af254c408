//go:build linux || darwin

package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/internal/effort"
	"tiro/rundir"
)

// attackedConfig configures a run of tic-tac-toe whose generations take about 50 ms.
const attackedConfig = `
game: mnk
seed: 7
games_per_generation: 16
net: {channels: 8, blocks: 1, outcome_channels: 1, hidden: 0}
selfplay: {concurrent_games: 8, search: {simulations: 16}}
replay: {window: 500, alpha: 0.5, sample_reuse: 4}
learner: {batch_size: 32}
checkpoints: {last: 2, every: 5}
`

// The attacked run starts with attackedFrom generations and ends with attackedTo.
const attackedFrom, attackedTo = 2, 4

// campaign runs the program repeatedly in hostile surroundings and counts the endings. The
// program must never panic, never hang, and never report success after a failure.
type campaign struct {
	t      *testing.T
	rng    *rand.Rand
	full   bool              // the long form of the test
	config string            // path of attackedConfig
	begun  string            // folder of the undisturbed run after attackedFrom generations
	want   map[string]string // contents of the undisturbed run after attackedTo generations, by path

	mu     sync.Mutex
	counts map[string]map[string]int
}

// attack is one case of a campaign.
type attack struct {
	*campaign
	t    *testing.T
	rng  *rand.Rand
	name string
}

// newCampaign trains the undisturbed run. It skips the test where training would take too long,
// and prints a table of the counts when the test ends.
func newCampaign(t *testing.T) *campaign {
	if testing.Short() || raceDetector {
		t.Skip("takes several seconds")
	}
	dir := t.TempDir()
	c := &campaign{
		t: t, rng: env.NewRand(14), full: effort.Long(),
		config: filepath.Join(dir, "attacked.yaml"), begun: filepath.Join(dir, "run"),
		counts: map[string]map[string]int{},
	}
	require.NoError(t, os.WriteFile(c.config, []byte(attackedConfig), 0o600))
	a := attack{c, t, c.rng, "undisturbed"}
	a.requireDone(a.train(c.begun, attackedFrom))
	done := filepath.Join(dir, "done")
	a.requireDone(a.train(done, attackedTo))
	c.want = runContents(t, done)
	t.Cleanup(func() {
		if !t.Failed() {
			t.Log(c.table())
		}
	})
	return c
}

// attack runs a case as a parallel subtest.
func (c *campaign) attack(name string, f func(a *attack)) {
	a := &attack{campaign: c, rng: env.NewRand(c.rng.Uint64()), name: name}
	c.t.Run(strings.ReplaceAll(name, "/", "|"), func(t *testing.T) {
		t.Parallel()
		a.t = t
		f(a)
	})
}

// pick returns n random cases in their original order, or all cases in the full form.
func pick[T any](c *campaign, n int, cases []T) []T {
	if c.full || n >= len(cases) {
		return cases
	}
	chosen := c.rng.Perm(len(cases))[:n]
	slices.Sort(chosen)
	some := make([]T, n)
	for i, at := range chosen {
		some[i] = cases[at]
	}
	return some
}

// ending describes how the program ended.
type ending struct {
	args           []string
	code           int // -1 if a signal ended it
	stdout, stderr string
}

func (e ending) String() string {
	return fmt.Sprintf("%q ended with code %d\n%s%s", e.args, e.code, e.stdout, e.stderr)
}

// crashed matches the messages of Go's runtime when a program crashes.
var crashed = regexp.MustCompile(`(?m)^(panic: |fatal error: |runtime: |goroutine [0-9]+ )|SIGSEGV`)

// tiro returns the command tiro with the given arguments.
func tiro(args ...string) *exec.Cmd { return exec.Command("tiro", args...) }

// run runs a command, possibly a wrapper of tiro, until it exits. It fails the test if the
// program hangs or panics.
func (a *attack) run(cmd *exec.Cmd) ending {
	a.t.Helper()
	var stdout, stderr bytes.Buffer
	if cmd.Stdout == nil {
		cmd.Stdout = &stdout
	}
	if cmd.Stderr == nil {
		cmd.Stderr = &stderr
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = 5 * time.Minute
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	require.NoError(a.t, cmd.Start())
	stop := context.AfterFunc(ctx, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	err := cmd.Wait()
	e := ending{args: cmd.Args, code: cmd.ProcessState.ExitCode(), stdout: stdout.String(), stderr: stderr.String()}
	require.True(a.t, stop(), "the program hangs: %v", e)
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) {
		require.NoError(a.t, err)
	}
	require.NotRegexp(a.t, crashed, e.stderr, "%v", e)
	return e
}

// train starts or resumes the run in dir and trains it up to the given number of generations.
func (a *attack) train(dir string, generations int) ending {
	a.t.Helper()
	return a.run(a.trainer(dir, generations))
}

func (a *attack) trainer(dir string, generations int) *exec.Cmd {
	return tiro("train", "--config", a.config, "--run="+dir, "--generations", fmt.Sprint(generations), "--workers", "1")
}

// copyOfRun copies the run with attackedFrom generations into a new folder and returns the
// copy's path.
func (a *attack) copyOfRun() string {
	dir := filepath.Join(a.t.TempDir(), "run")
	require.NoError(a.t, os.CopyFS(dir, os.DirFS(a.begun)))
	return dir
}

// requireDone requires that the program succeeded.
func (a *attack) requireDone(e ending) {
	a.t.Helper()
	require.Zero(a.t, e.code, "%v", e)
}

// requireRefused requires that the program failed with an error message.
func (a *attack) requireRefused(e ending) {
	a.t.Helper()
	require.Contains(a.t, []int{exitFailed, exitUsage}, e.code, "%v", e)
	require.Contains(a.t, e.stderr, "tiro: ", "%v", e)
}

// requireResumes requires that the run in dir resumes, ends with the same bytes as the
// undisturbed run, and passes verify.
func (a *attack) requireResumes(dir string) {
	a.t.Helper()
	e := a.train(dir, attackedTo)
	require.Zero(a.t, e.code, "%s: %v", a.name, e)
	got := runContents(a.t, dir)
	require.ElementsMatch(a.t, slices.Collect(maps.Keys(a.want)), slices.Collect(maps.Keys(got)), a.name)
	for name := range a.want {
		require.True(a.t, got[name] == a.want[name], "%s: %s differs", a.name, name)
	}
	a.requireDone(a.run(tiro("verify", "--", dir)))
}

// requireSameEnd requires that the newest checkpoint in dir equals the last checkpoint of the
// undisturbed run.
func (a *attack) requireSameEnd(dir string) {
	a.t.Helper()
	last := filepath.Join("checkpoints", fmt.Sprintf("%06d", attackedTo))
	compared := 0
	for name, want := range a.want {
		if filepath.Dir(name) == last {
			got, err := os.ReadFile(filepath.Join(dir, name))
			require.NoError(a.t, err, a.name)
			require.True(a.t, string(got) == want, "%s: %s differs", a.name, name)
			compared++
		}
	}
	require.NotZero(a.t, compared)
}

// count adds one to the number of attacks of this kind with this ending.
func (a *attack) count(name, end string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.counts[name] == nil {
		a.counts[name] = map[string]int{}
	}
	a.counts[name][end]++
}

// countEnding counts an attack as done or refused, depending on the exit code.
func (a *attack) countEnding(name string, e ending) {
	if e.code == exitDone {
		a.count(name, "done")
		return
	}
	a.count(name, "refused")
}

// table returns the counts, with a row for each kind of attack and a column for each ending.
func (c *campaign) table() string {
	ends := map[string]bool{}
	total := 0
	for _, row := range c.counts {
		for end, n := range row {
			ends[end] = true
			total += n
		}
	}
	columns := slices.Sorted(maps.Keys(ends))
	var b strings.Builder
	fmt.Fprintf(&b, "%d attacks: no panic, no hang, nothing lost\n", total)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "attack\t%s\n", strings.Join(columns, "\t"))
	for _, name := range slices.Sorted(maps.Keys(c.counts)) {
		fmt.Fprint(w, name)
		for _, end := range columns {
			fmt.Fprintf(w, "\t%d", c.counts[name][end])
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush() // writing to a Builder never fails
	return b.String()
}

// snapshot returns the mode of each path below dir, with the content of a regular file or the
// target of a link. It opens regular files only.
func snapshot(t *testing.T, dir string) map[string]string {
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		content := ""
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			content = string(data)
		case info.Mode()&fs.ModeSymlink != 0:
			if content, err = os.Readlink(path); err != nil {
				return err
			}
		}
		all[path] = info.Mode().String() + " " + content
		return nil
	})
	require.NoError(t, err)
	return all
}

// runContents returns the contents of a run folder by path. It omits the log, which records
// every start, and the fields about the machine in the metrics.
func runContents(t *testing.T, dir string) map[string]string {
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		switch name {
		case rundir.LogFile:
			return err
		case "metrics.jsonl":
			data = withoutMachine(data)
		}
		files[name] = string(data)
		return err
	})
	require.NoError(t, err)
	return files
}

// withoutMachine removes the last field of each line if it is the machine field.
func withoutMachine(data []byte) []byte {
	var all []byte
	for line := range bytes.Lines(data) {
		rest, _, _ := bytes.Cut(line, []byte(`,"machine":{`))
		all = append(all, bytes.TrimSuffix(rest, []byte("}\n"))...)
		all = append(all, '\n')
	}
	return all
}

// requireSameRun compares run folders byte by byte.
func requireSameRun(t *testing.T, want map[string]string, dir string) {
	t.Helper()
	got := runContents(t, dir)
	require.ElementsMatch(t, slices.Collect(maps.Keys(want)), slices.Collect(maps.Keys(got)))
	for name := range want {
		require.True(t, got[name] == want[name], "%s differs", name)
	}
}
