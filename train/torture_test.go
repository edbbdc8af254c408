package train_test

import (
	"bytes"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/disk/disktest"
	"tiro/env"
	"tiro/internal/effort"
	"tiro/train"
)

// TestTortureEveryOperation lets each disaster strike each operation of a new run, and of a run
// that was interrupted during the games of its second generation, and then resumes the run.
func TestTortureEveryOperation(t *testing.T) {
	want, ops := uninterrupted(t, crashOptions)
	starts := map[string]*crashRun{"from the beginning": newCrashRun(t, crashOptions), "interrupted": interrupted(t, ops)}
	for name, start := range starts {
		for i, d := range disasters {
			t.Run(name+"/"+d.name, func(t *testing.T) {
				for at, k := 0, i; at >= 0; k = at + effort.Of(97, 97, 1) {
					r := start.copy(t, uint64(k))
					at = r.strike(k, d)
					r.finish(want)
				}
			})
		}
	}
}

// TestTortureUnflushed kills a run right after it has renamed files, and cuts the power during
// the next process, which must not have relied on unflushed names.
func TestTortureUnflushed(t *testing.T) {
	want, ops := uninterrupted(t, crashOptions)
	for _, op := range ops {
		if !slices.Contains([]disktest.Kind{disktest.Rename, disktest.Mkdir, disktest.Remove}, op.Kind) {
			continue
		}
		for seed := range uint64(effort.Of(1, 1, 20)) {
			r := newCrashRun(t, crashOptions, uint64(op.N), seed)
			r.strike(op.N+1, killed)
			r.strike(r.rng.IntN(len(ops)-op.N+40), powerCut)
			r.finish(want)
		}
	}
}

// TestTortureSchedules lets random disasters strike a run one after another until it is done,
// each time with another number of workers.
func TestTortureSchedules(t *testing.T) {
	want, _ := uninterrupted(t, crashOptions)
	for seed := range uint64(effort.Of(10, 12, 1000)) {
		r := newCrashRun(t, crashOptions, seed)
		for !r.done {
			r.workers = 1 + r.rng.IntN(4)
			// Each disaster comes later than the previous one, so that the run ends.
			d, op := disasters[r.rng.IntN(len(disasters))], r.rng.IntN(50+20*len(r.story))
			r.strike(op, d)
		}
		r.finish(want)
	}
}

// TestTortureAsynchronous lets disasters strike a run that plays and learns at the same time.
func TestTortureAsynchronous(t *testing.T) {
	want, ops := uninterrupted(t, asynchronousCrashOptions)
	for round := range uint64(effort.Of(10, 15, 1000)) {
		r := newCrashRun(t, asynchronousCrashOptions, round)
		d := disasters[r.rng.IntN(len(disasters))]
		r.strike(r.rng.IntN(len(ops)), d)
		r.strike(r.rng.IntN(len(ops)/2), killed)
		r.finish(want)
	}
}

// TestTortureLies cuts the power at each operation of a run on a disk that lies about flushing.
// No program can prevent the loss of data on such a disk, but the resumed run must end with the
// right result, warn of missing games, or refuse with an error that names the damaged file.
func TestTortureLies(t *testing.T) {
	want, ops := uninterrupted(t, crashOptions)
	for lie, ignored := range map[string][]disktest.Kind{
		"of files":   {disktest.Sync},
		"of folders": {disktest.SyncDir},
		"of both":    {disktest.Sync, disktest.SyncDir},
	} {
		t.Run(lie, func(t *testing.T) {
			outcomes := map[string]int{}
			for k := 0; k < len(ops); k += effort.Of(29, 29, 1) {
				for seed := range uint64(effort.Of(2, 2, 5)) {
					outcomes[afterLies(t, k, seed, ignored, want)]++
				}
			}
			t.Log(outcomes)
			require.Positive(t, outcomes["exact"])
			require.Positive(t, outcomes["refused"])
		})
	}
}

// afterLies returns the outcome of resuming a run whose disk ignores operations of some kinds and
// loses power at operation k.
func afterLies(t *testing.T, k int, seed uint64, ignored []disktest.Kind, want map[string]string) string {
	fsys := disktest.New()
	fsys.Hook = func(op disktest.Op) disktest.Verdict {
		switch {
		case op.N == k:
			return disktest.Verdict{Crash: true}
		case slices.Contains(ignored, op.Kind):
			return disktest.Verdict{Do: disktest.None}
		}
		return disktest.Verdict{}
	}
	if train.Run(context.Background(), crashOptions(fsys)) == nil {
		return "done" // workers in another order may need fewer operations
	}
	fsys = fsys.Crash(env.NewRand(uint64(k), seed))
	var log bytes.Buffer
	o := crashOptions(fsys)
	o.Events = logTo(&log)
	if err := train.Run(context.Background(), o); err != nil {
		require.Regexp(t, "run/(config.yaml|metrics.jsonl|checkpoints|episodes)", err, "operation %d", k)
		return "refused"
	}
	if got := filesOf(t, fsys, "run"); !maps.Equal(needed(want), needed(got)) {
		require.Contains(t, log.String(), "are missing", "operation %d: %s", k, differences(want, got))
		return "warned"
	}
	return "exact"
}

// needed returns the files of a completed run without files that a run does not read: older
// checkpoints and the checksum of the configuration. Their loss may go unreported by the run;
// tiro verify reports it.
func needed(files map[string]string) map[string]string {
	kept := map[string]string{}
	for name, text := range files {
		if strings.Contains(name, "checkpoints") && !strings.Contains(name, "000003") {
			continue
		}
		if filepath.Base(name) == "config.yaml" {
			text, _, _ = strings.Cut(text, "\n#")
			text = strings.TrimSpace(text)
		}
		kept[name] = text
	}
	return kept
}

// uninterrupted returns the files and the operations of a run without disasters. During the run,
// games and, for lack of room, checkpoints are removed.
func uninterrupted(t testing.TB, options func(disk.FS) train.Options) (want map[string]string, ops []disktest.Op) {
	fsys := disktest.New()
	fsys.Hook = func(op disktest.Op) disktest.Verdict {
		ops = append(ops, op)
		return disktest.Verdict{}
	}
	require.NoError(t, train.Run(context.Background(), options(fsys)))
	fsys.Hook = nil
	want = filesOf(t, fsys, "run")
	require.NotContains(t, want, filepath.FromSlash("run/episodes/000001.jsonl.zst"))
	require.NotContains(t, want, filepath.FromSlash("run/checkpoints/000002/info.json"))
	require.Contains(t, want, filepath.FromSlash("run/checkpoints/000000/info.json"))
	return want, ops
}

// interrupted returns a run that lost power while it wrote the third game of its second
// generation, and that kept the first two.
func interrupted(t testing.TB, ops []disktest.Op) *crashRun {
	var games []int
	for _, op := range ops {
		if writes(op) && strings.HasSuffix(op.Path, "000002.part") {
			games = append(games, op.N)
		}
	}
	for at := games[2]; at < len(ops); at++ { // workers may write in another order this time
		killed := newCrashRun(t, crashOptions, 1)
		killed.strike(at, killedWithin)
		for seed := range uint64(100) {
			r := killed.copy(t, seed)
			r.checkNothingLost(true)
			if r.written == 2 && strings.HasSuffix(r.partial, "000002.part") {
				return r
			}
		}
	}
	require.Fail(t, "no run was killed after two games of its second generation")
	return nil
}
