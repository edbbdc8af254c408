//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/env"
	"tiro/env/games"
	"tiro/models"
	"tiro/selfplay"
	"tiro/train"
)

// tortured is a run whose generations take a tenth of a second, with
// checkpoints and games that are thinned from the third generation on.
const tortured = `
game: mnk
seed: 7
games_per_generation: 60
net: {channels: 32, blocks: 1, outcome_channels: 2, hidden: 16}
selfplay: {concurrent_games: 8, search: {simulations: 64}}
replay: {window: 500, alpha: 0.5, reuse: 12}
learner: {batch: 32}
checkpoints: {last: 2, every: 5}
`

// TestTorture trains under a driver that ends the program at random moments,
// also in the middle of a write, and has it go on each time, until the run is
// done. On the way the newest checkpoint always loads and nothing that was
// finished is lost; in the end the run folder is, byte by byte, that of a run
// which nobody disturbed.
func TestTorture(t *testing.T) {
	if testing.Short() || raceDetector {
		t.Skip("takes half a minute")
	}
	kills, generations := 16, 8
	if os.Getenv("TIRO_TORTURE") == "long" {
		kills, generations = 200, 120
	}
	d := newTorturer(t, generations)
	for round := 0; d.kills < kills; round++ {
		d.torture(filepath.Join(t.TempDir(), "run"), kills)
	}
	t.Log(d.summary())
}

// torturer disturbs runs and keeps count.
type torturer struct {
	t           *testing.T
	rng         *rand.Rand
	config      string // file
	generations int
	want        map[string]string // contents of the undisturbed run folder
	generation  time.Duration     // what one takes undisturbed

	kills, stops, resumes, same int
	seen                        map[string]int // operations of one process on the disk, at most
	hit                         map[string]int // moments and operations that were hit
}

func newTorturer(t *testing.T, generations int) *torturer {
	d := &torturer{
		t: t, rng: env.NewRand(uint64(generations)), generations: generations,
		config: filepath.Join(t.TempDir(), "tortured.yaml"), seen: map[string]int{}, hit: map[string]int{},
	}
	require.NoError(t, os.WriteFile(d.config, []byte(tortured), 0o600))
	whole := filepath.Join(t.TempDir(), "whole")
	began := time.Now()
	require.True(t, d.train(whole, stop{}).finished)
	d.generation = time.Since(began) / time.Duration(generations)
	d.want = runContents(t, whole)
	return d
}

// torture trains in dir, stopping and going on until the run is done. After
// that many kills in all it is left in peace.
func (d *torturer) torture(dir string, kills int) {
	before := progress{generation: -1}
	for {
		s := stop{}
		if d.kills < kills {
			s = d.draw()
		}
		now := d.train(dir, s)
		if now.finished {
			break
		}
		d.resumes++
		after := inspect(d.t, dir)
		require.False(d.t, after.less(before, s), "%v lost what was finished: %+v, then %+v\n%s", s, before, after, now.said)
		before = after
		d.hit[now.moment(dir, after)]++
	}
	requireSameRun(d.t, d.want, dir)
	verify(d.t, dir, d.generations)
	d.same++
}

// stop is how the program is to be ended. Without any it is not.
type stop struct {
	signal syscall.Signal
	after  time.Duration // when it comes
	twice  bool          // it comes again at once
	fault  fault         // of the disk; may come before the signal
}

// draw returns a stop at random, within the time of a generation.
func (d *torturer) draw() stop {
	s := stop{signal: syscall.SIGKILL, after: time.Duration(d.rng.Int64N(int64(d.generation + 50*time.Millisecond)))}
	switch n := d.rng.IntN(10); {
	case n < 7:
		s.fault = drawFault(d.rng, d.seen, d.generations)
		s.after += 2 * d.generation
	case n == 7:
		s.signal = []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}[d.rng.IntN(2)]
		s.twice = d.rng.IntN(2) == 0
	}
	return s
}

// outcome is what became of the program.
type outcome struct {
	finished bool   // the run has all its generations
	said     string // on standard error
}

// train has the program train in dir, on one to three workers, until it is
// done or stopped. Any other end is a fault.
func (d *torturer) train(dir string, s stop) outcome {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, faultyTiro, "train", "--config", d.config, "--run", dir,
		"--generations", fmt.Sprint(d.generations), "--workers", fmt.Sprint(1+d.rng.IntN(3)))
	cmd.Env = append(os.Environ(), s.fault.environ())
	var said bytes.Buffer
	cmd.Stderr = &said
	require.NoError(d.t, cmd.Start())
	if s.signal != 0 {
		timer := time.AfterFunc(s.after, func() {
			_ = cmd.Process.Signal(s.signal) // it may have ended
			if s.twice {
				_ = cmd.Process.Signal(s.signal)
			}
		})
		defer timer.Stop()
	}
	err := cmd.Wait()
	require.NoError(d.t, ctx.Err(), "the program hangs: %s", said.String())
	require.NotRegexp(d.t, `WRN .*(are gone|played again|left out)`, said.String(), "%v", s)
	if _, seen, ok := strings.Cut(said.String(), seenMark); ok {
		d.see(seen)
	}
	if err == nil {
		return outcome{finished: true, said: said.String()}
	}
	d.count(s, err, said.String())
	return outcome{said: said.String()}
}

// see learns of operations to draw from.
func (d *torturer) see(said string) {
	var seen map[string]int
	require.NoError(d.t, json.Unmarshal([]byte(said), &seen))
	for op, many := range seen {
		d.seen[op] = max(d.seen[op], many)
	}
}

// count keeps count of a stop, which ended the program with err.
func (d *torturer) count(s stop, err error, said string) {
	exit := (*exec.ExitError)(nil)
	require.ErrorAs(d.t, err, &exit)
	status := exit.Sys().(syscall.WaitStatus)
	_, told, struck := strings.Cut(said, faultMark)
	told, _, _ = strings.Cut(told, "\n")
	switch {
	case status.Signaled() && status.Signal() == syscall.SIGKILL && s.signal == syscall.SIGKILL:
		d.kills++
	case struck && s.fault.errno() != 0:
		require.Equal(d.t, exitFailed, status.ExitStatus(), said)
		require.Contains(d.t, said, "\ntiro: ")
		require.Contains(d.t, said, s.fault.errno().Error(), "after %s", told)
		d.stops++
	case s.signal != syscall.SIGKILL && (status.ExitStatus() == exitInterrupted || status.Signaled() && status.Signal() == s.signal):
		d.stops++
	default:
		d.t.Fatalf("%+v: %v\n%s", s, err, said)
	}
	if struck {
		d.hit[told]++
	}
}

// moment tells in which part of its life the program ended, and left dir with
// that progress.
func (o outcome) moment(dir string, p progress) string {
	unfinished, err := filepath.Glob(filepath.Join(dir, "*", "*"+".unfinished"))
	switch {
	case err != nil:
		return err.Error()
	case p.generation < 0:
		return "moment: the beginning"
	case !strings.Contains(o.said, "goes on") && p.generation > 0 && !strings.Contains(o.said, "generation "):
		return "moment: start"
	case len(unfinished) > 0:
		return "moment: saving"
	case p.whole:
		return "moment: learning"
	case p.part:
		return "moment: self-play"
	}
	return "moment: between generations"
}

// progress is what a run folder holds for good.
type progress struct {
	generation  int // of the newest checkpoint; -1: none
	games       int // of the next generation
	whole, part bool
}

// less reports whether p is behind before, which s does not excuse: a power cut
// may take the newest games.
func (p progress) less(before progress, s stop) bool {
	if p.generation != before.generation {
		return p.generation < before.generation
	}
	return p.games < before.games && s.fault.Kind != faultPower
}

// inspect loads what is in a run folder.
func inspect(t *testing.T, dir string) progress {
	game, err := newGame("mnk")
	require.NoError(t, err)
	store := models.NewStore(disk.OS{}, filepath.Join(dir, "checkpoints"), game.Spec())
	generations, err := store.List()
	require.NoError(t, err)
	p := progress{generation: -1}
	if len(generations) > 0 {
		p.generation = slices.Max(generations)
		_, err := store.Load(p.generation)
		require.NoError(t, err)
		verify(t, dir, p.generation)
	}
	name := filepath.Join(dir, "episodes", fmt.Sprintf("%06d.", p.generation+1))
	if p.games, p.whole, err = countGames(name+"jsonl.zst", game); !p.whole {
		p.games, p.part, _ = countGames(name+"part", game)
		return p // the end of a part may be torn
	}
	require.NoError(t, err)
	return p
}

// verify checks that the run in dir is whole and goes on from its newest
// checkpoint.
func verify(t *testing.T, dir string, newest int) {
	report, err := train.Verify(context.Background(), train.VerifyOptions{Path: dir, Find: games.New, Disk: disk.OS{}, Workers: 1})
	require.NoError(t, err)
	require.True(t, report.Whole(), "%+v", report.Files)
	require.Equal(t, newest, report.Outlook.From)
}

// countGames returns how many games are in an episode file before its first
// fault, and whether there is such a file.
func countGames(path string, game env.Game) (games int, there bool, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, !errors.Is(err, fs.ErrNotExist), err
	}
	defer file.Close()
	_, episodes, err := selfplay.Read(file, game)
	return len(episodes), true, err
}

// runContents returns what is in a run folder by path: metrics without what
// they say of the machine, and no log, which tells of every start.
func runContents(t *testing.T, dir string) map[string]string {
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		switch name {
		case logFile:
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

// withoutMachine leaves out the last field of each line, if it is there.
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

// summary tells what was done in a few lines.
func (d *torturer) summary() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d kills, %d other stops, %d resumes, %d runs of %d generations: 0 losses, 0 differences", d.kills, d.stops, d.resumes, d.same, d.generations)
	for _, key := range slices.Sorted(maps.Keys(d.hit)) {
		fmt.Fprintf(&b, "\n  %4d  %s", d.hit[key], key)
	}
	return b.String()
}
