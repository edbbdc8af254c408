//go:build unix

package cli

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
	"tiro/fsck"
	"tiro/internal/effort"
	"tiro/models"
	"tiro/rundir"
	"tiro/selfplay"
)

// tortured is a run whose generations take a tenth of a second, with
// checkpoints and games that are thinned from the third generation on.
const tortured = `
game: mnk
seed: 7
games_per_generation: 60
net: {channels: 32, blocks: 1, outcome_channels: 2, hidden: 16}
selfplay: {concurrent_games: 8, search: {simulations: 64}}
replay: {window: 500, alpha: 0.5, sample_reuse: 12}
learner: {batch_size: 32}
checkpoints: {last: 2, every: 5}
duels: {share: 0.5, every: 2}
`

// TestTorture trains under a driver that ends the program at random moments,
// also in the middle of a write, and resumes it each time until the run is done.
// Meanwhile others look at the run and try to train it, and the program is
// stopped for a while. In between the newest checkpoint always loads and nothing
// that was finished is lost. In the end the run folder is, byte by byte, that of
// an undisturbed run.
func TestTorture(t *testing.T) {
	if testing.Short() || raceDetector {
		t.Skip("takes half a minute")
	}
	kills, generations := effort.Of(0, 12, 200), effort.Of(0, 6, 120)
	d := newCrashDriver(t, generations)
	for d.kills < kills {
		d.trainToTheEnd(filepath.Join(t.TempDir(), "run"), kills)
	}
	t.Log(d.summary())
}

// crashDriver interrupts runs and keeps count.
type crashDriver struct {
	t           *testing.T
	rng         *rand.Rand
	config      string // path
	generations int
	want        map[string]string // contents of the undisturbed run folder
	generation  time.Duration     // time that a generation takes undisturbed

	kills, stops, resumes, same int
	seen                        map[string]int // disk operations of one process, at most
	hit                         map[string]int // interruptions by moment and by operation, and visits
}

func newCrashDriver(t *testing.T, generations int) *crashDriver {
	d := &crashDriver{
		t: t, rng: env.NewRand(uint64(generations)), generations: generations,
		config: filepath.Join(t.TempDir(), "tortured.yaml"), seen: map[string]int{}, hit: map[string]int{},
	}
	require.NoError(t, os.WriteFile(d.config, []byte(tortured), 0o600))
	dir := filepath.Join(t.TempDir(), "undisturbed")
	began := time.Now()
	require.True(t, d.train(dir, interruption{}).finished)
	d.generation = time.Since(began) / time.Duration(generations)
	d.want = runContents(t, dir)
	return d
}

// trainToTheEnd trains in dir, interrupts and resumes until the run is done. It
// interrupts no more after that many kills in all.
func (d *crashDriver) trainToTheEnd(dir string, kills int) {
	before := lasting{generation: -1}
	for {
		i := interruption{}
		if d.kills < kills {
			i = d.drawInterruption()
		}
		now := d.train(dir, i)
		if now.finished {
			break
		}
		d.resumes++
		after := loadProgress(d.t, dir)
		require.False(d.t, after.less(before, i), "%v lost what was finished: %+v, then %+v\n%s", i, before, after, now.stderr)
		before = after
		d.hit[now.moment(dir, after)]++
	}
	requireSameRun(d.t, d.want, dir)
	verify(d.t, dir, d.generations)
	d.same++
}

// interruption is how the program is to be ended. The zero interruption lets it
// end by itself.
type interruption struct {
	signal syscall.Signal
	after  time.Duration // when it comes
	twice  bool          // it comes again at once
	fault  fault         // of the disk; may come before the signal
	visit  string        // what comes before all that, see visits
	pause  bool          // the program is stopped during the visit
}

// drawInterruption returns an interruption at random: a signal within the time
// of a generation, or a fault of the disk, after which the signal is a fallback.
func (d *crashDriver) drawInterruption() interruption {
	i := interruption{signal: syscall.SIGKILL, after: time.Duration(d.rng.Int64N(int64(d.generation + 50*time.Millisecond)))}
	switch n := d.rng.IntN(12); {
	case n < 7:
		i.fault = drawFault(d.rng, d.seen, d.generations)
		i.after += 2 * d.generation
	case n == 7:
		i.signal = []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}[d.rng.IntN(3)]
		i.twice = d.rng.IntN(2) == 0
	case n < 11:
		i.visit = visits[d.rng.IntN(len(visits))]
		i.pause = d.rng.IntN(2) == 0
	}
	return i
}

// outcome is what became of the program.
type outcome struct {
	finished bool // the run has all its generations
	stderr   string
}

// train has the program train in dir, on one to three workers, until it is
// done or interrupted. Any other end fails the test.
func (d *crashDriver) train(dir string, i interruption) outcome {
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, faultyTiro, "train", "--config", d.config, "--run", dir,
		"--generations", fmt.Sprint(d.generations), "--workers", fmt.Sprint(1+d.rng.IntN(3)))
	cmd.Env = append(os.Environ(), i.fault.environ())
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	require.NoError(d.t, cmd.Start())
	ended, visited := make(chan struct{}), make(chan outcome, 1)
	go func() { visited <- d.disturb(cmd.Process, dir, i, ended) }()
	err := cmd.Wait()
	close(ended)
	d.checkVisit(i, <-visited, err)
	require.NoError(d.t, ctx.Err(), "the program hangs: %s", stderr.String())
	require.NotRegexp(d.t, `WRN .*(are missing|replaying|left out)`, stderr.String(), "%v", i)
	if _, seen, ok := strings.Cut(stderr.String(), seenMark); ok {
		d.learnOperations(seen)
	}
	if err != nil {
		d.count(i, err, stderr.String())
	}
	return outcome{finished: err == nil, stderr: stderr.String()}
}

// learnOperations adds operations to draw faults from.
func (d *crashDriver) learnOperations(line string) {
	var seen map[string]int
	require.NoError(d.t, json.Unmarshal([]byte(line), &seen))
	for op, many := range seen {
		d.seen[op] = max(d.seen[op], many)
	}
}

// count keeps count of an interruption, which ended the program with err.
func (d *crashDriver) count(i interruption, err error, stderr string) {
	exit := (*exec.ExitError)(nil)
	require.ErrorAs(d.t, err, &exit)
	status := exit.Sys().(syscall.WaitStatus)
	_, struckAt, struck := strings.Cut(stderr, faultMark)
	struckAt, _, _ = strings.Cut(struckAt, "\n")
	switch {
	case status.Signaled() && status.Signal() == syscall.SIGKILL && i.signal == syscall.SIGKILL:
		d.kills++
	case struck && i.fault.err() != nil:
		require.Equal(d.t, exitFailed, status.ExitStatus(), stderr)
		require.Contains(d.t, stderr, "\ntiro: ")
		require.Contains(d.t, stderr, i.fault.err().Error(), "after %s", struckAt)
		d.stops++
	case i.signal != syscall.SIGKILL && (status.ExitStatus() == exitInterrupted || status.Signaled() && status.Signal() == i.signal):
		d.stops++
	default:
		d.t.Fatalf("%+v: %v\n%s", i, err, stderr)
	}
	if struck {
		d.hit[struckAt]++
	}
}

// moment names the part of the run in which the program ended and left dir with
// that progress.
func (o outcome) moment(dir string, p lasting) string {
	unfinished, err := filepath.Glob(filepath.Join(dir, "*", "*"+".unfinished"))
	switch {
	case err != nil:
		return err.Error()
	case p.generation < 0:
		return "moment: the beginning"
	case !strings.Contains(o.stderr, "resuming") && p.generation > 0 && !strings.Contains(o.stderr, "generation "):
		return "moment: start"
	case len(unfinished) > 0:
		return "moment: saving"
	case p.complete:
		return "moment: learning"
	case p.partial:
		return "moment: self-play"
	}
	return "moment: between generations"
}

// lasting is what a run folder holds that may not be lost any more.
type lasting struct {
	generation int  // of the newest checkpoint; -1: none
	games      int  // of the next generation
	complete   bool // the next generation has all its games
	partial    bool // it has some
}

// less reports whether p is behind before. Only a power cut may take games, those
// that were not synced.
func (p lasting) less(before lasting, i interruption) bool {
	if p.generation != before.generation {
		return p.generation < before.generation
	}
	return p.games < before.games && i.fault.Kind != faultPower
}

// loadProgress loads what is in a run folder.
func loadProgress(t *testing.T, dir string) lasting {
	game, err := shippedGames.newGame("mnk")
	require.NoError(t, err)
	store := models.NewStore(disk.OS{}, filepath.Join(dir, "checkpoints"), game.Spec())
	generations, err := store.List()
	require.NoError(t, err)
	p := lasting{generation: -1}
	if len(generations) > 0 {
		p.generation = slices.Max(generations)
		_, err := store.Load(p.generation)
		require.NoError(t, err)
		verify(t, dir, p.generation)
	}
	name := filepath.Join(dir, "episodes", fmt.Sprintf("%06d.", p.generation+1))
	if p.games, p.complete, err = countGames(name+"jsonl.zst", game); !p.complete {
		p.games, p.partial, _ = countGames(name+"part", game)
		return p // the end of a partial file may be torn
	}
	require.NoError(t, err)
	return p
}

// verify checks that the run in dir is intact and would be resumed from its newest
// checkpoint.
func verify(t *testing.T, dir string, newest int) {
	report, err := fsck.Verify(context.Background(), fsck.Options{Path: dir, Find: games.New, Disk: disk.OS{}})
	require.NoError(t, err)
	require.True(t, report.OK(), "%+v", report.Parts)
	require.Equal(t, newest, report.Checkpoint)
}

// countGames returns how many games are in an episode file before its first
// fault, and whether there is such a file.
func countGames(path string, game env.Game) (games int, there bool, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, !errors.Is(err, fs.ErrNotExist), err
	}
	defer file.Close()
	_, episodes, err := selfplay.Read(file, env.Variants(game, nil))
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

// summary returns the counts, a line for each moment and operation.
func (d *crashDriver) summary() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d kills, %d other stops, %d resumes, %d runs of %d generations: 0 losses, 0 differences", d.kills, d.stops, d.resumes, d.same, d.generations)
	for _, key := range slices.Sorted(maps.Keys(d.hit)) {
		fmt.Fprintf(&b, "\n  %4d  %s", d.hit[key], key)
	}
	return b.String()
}
