package train_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk/disktest"
	"tiro/env"
	"tiro/train"
)

// uninterrupted returns the files and the operations of a run that no disaster
// strikes.
func uninterrupted(t testing.TB) (want map[string]string, ops []disktest.Op) {
	fsys := disktest.New()
	fsys.Hook = func(op disktest.Op) disktest.Verdict {
		ops = append(ops, op)
		return disktest.Verdict{}
	}
	require.NoError(t, train.Run(context.Background(), crashOptions(fsys)))
	fsys.Hook = nil
	return filesOf(t, fsys, "run"), ops
}

// long reports whether the tests are to take their time, as in make torture.
func long() bool { return os.Getenv("TIRO_TORTURE") == "long" }

// interrupted returns a run that lost power in the middle of writing the third
// game of its second generation and has kept the first two.
func interrupted(t testing.TB, ops []disktest.Op) crashRun {
	var games []int
	for _, op := range ops {
		if writes(op) && strings.HasSuffix(op.Path, "000002.part") {
			games = append(games, op.N)
		}
	}
	for at := games[2]; at < len(ops); at++ { // the workers may write in another order this time
		killed := crashRun{fsys: disktest.New(), rng: env.NewRand(1)}
		_, err := killed.resume(at, killedWithin)
		require.NoError(t, err)
		for range 100 {
			r := killed
			r.fsys = killed.fsys.Crash(r.rng)
			require.NoError(t, r.checkNothingLost(true))
			if r.written == 2 && strings.HasSuffix(r.partial, "000002.part") {
				return r
			}
		}
	}
	require.Fail(t, "no run was killed after two games of its second generation")
	return crashRun{}
}

// TestTortureEveryOperation lets every disaster strike every operation of a run,
// of a new one and of one that was interrupted among the games of its second
// generation, and then resumes it.
func TestTortureEveryOperation(t *testing.T) {
	want, ops := uninterrupted(t)
	for name, there := range map[string]bool{
		"episodes/000001.jsonl.zst":    false,
		"episodes/000002.jsonl.zst":    true,
		"checkpoints/000000/info.json": true,
		"checkpoints/000001/info.json": false,
		"checkpoints/000002/info.json": false,
		"checkpoints/000003/info.json": true,
	} {
		_, found := want[filepath.Join("run", filepath.FromSlash(name))]
		require.Equal(t, there, found, name)
	}

	starts := []struct {
		name string
		from crashRun
	}{
		{"from the beginning", crashRun{fsys: disktest.New()}},
		{"interrupted", interrupted(t, ops)},
	}
	stride, rounds := 17, 1
	switch {
	case testing.Short():
		stride = 41
	case long():
		stride, rounds = 1, 3
	}
	for _, start := range starts {
		for i, d := range disasters {
			t.Run(start.name+"/"+d.name, func(t *testing.T) {
				for at, k := 0, i; at >= 0; k = at + stride {
					for round := range rounds {
						rng := env.NewRand(uint64(k), uint64(round))
						r := start.from
						r.fsys, r.rng = r.fsys.Crash(rng), rng // a copy: everything is flushed
						var err error
						at, err = r.crashAt(k, d)
						require.NoError(t, err, "operation %d: %s", at, d.story)
						require.NoError(t, r.checkDone(t, want), "operation %d: %s", at, d.story)
					}
				}
			})
		}
	}
}

// TestTortureUnflushed kills a run right after it has changed names, and cuts the
// power to the next one, which must not have relied on names that are not flushed.
func TestTortureUnflushed(t *testing.T) {
	want, ops := uninterrupted(t)
	cuts := 4
	switch {
	case testing.Short():
		cuts = 1
	case long():
		cuts = 100
	}
	for _, op := range ops {
		if !slices.Contains([]disktest.Kind{disktest.Rename, disktest.Mkdir, disktest.Remove}, op.Kind) {
			continue
		}
		for seed := range uint64(cuts) {
			rng := env.NewRand(uint64(op.N), seed)
			r := &crashRun{fsys: disktest.New(), rng: rng}
			_, err := r.resume(op.N+1, killed)
			require.NoError(t, err, "after operation %d", op.N)
			at, err := r.crashAt(rng.IntN(len(ops)-op.N+40), powerCut)
			require.NoError(t, err, "after operation %d, then %d", op.N, at)
			require.NoError(t, r.checkDone(t, want), "after operation %d, then %d", op.N, at)
		}
	}
}

// TestTortureSchedules lets random disasters strike a run, one after another until
// it is done, with another number of workers each time.
func TestTortureSchedules(t *testing.T) {
	want, _ := uninterrupted(t)
	schedules := 40
	switch {
	case testing.Short():
		schedules = 10
	case long():
		schedules = 2000
	}
	for seed := range uint64(schedules) {
		rng := env.NewRand(seed)
		r := &crashRun{fsys: disktest.New(), rng: rng}
		var story []string
		for done := false; !done; {
			r.workers = 1 + rng.IntN(4)
			// Each comes later than the one before, so that the run ends.
			d, op := disasters[rng.IntN(len(disasters))], rng.IntN(50+20*len(story))
			var err error
			done, err = r.resume(op, d)
			story = append(story, fmt.Sprintf("%s at %d", d.name, r.struck))
			require.NoError(t, err, "seed %d: %v", seed, story)
		}
		require.NoError(t, r.checkDone(t, want), "seed %d: %v", seed, story)
	}
}

// lies are what a disk claims to have flushed and has not.
var lies = []struct {
	name   string
	ignore []disktest.Kind
}{
	{"of files", []disktest.Kind{disktest.Sync}},
	{"of folders", []disktest.Kind{disktest.SyncDir}},
	{"of both", []disktest.Kind{disktest.Sync, disktest.SyncDir}},
}

// needed returns the files of a run that is done without those that a run does
// not read: older checkpoints and the checksum at the end of the configuration.
// It may have lost these without a word; tiro verify reports them.
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

// TestTortureLies cuts the power at every operation of a run on a disk that lies.
// No program can keep what such a disk loses, but it can say so: the run that is
// resumed there ends as it would have, or warns that games are gone, or refuses
// and names what is damaged.
func TestTortureLies(t *testing.T) {
	want, ops := uninterrupted(t)
	stride, draws := 13, 2
	if long() {
		stride, draws = 1, 20
	}
	for _, lie := range lies {
		t.Run(lie.name, func(t *testing.T) {
			var outcomes struct{ exact, warned, refused int }
			for k := 0; k < len(ops); k += stride {
				fsys, last := disktest.New(), 0
				fsys.Hook = func(op disktest.Op) disktest.Verdict {
					last = op.N
					if op.N == k {
						return disktest.Verdict{Crash: true}
					}
					if slices.Contains(lie.ignore, op.Kind) {
						return disktest.Verdict{Do: disktest.None}
					}
					return disktest.Verdict{}
				}
				err := train.Run(context.Background(), crashOptions(fsys))
				if err == nil { // workers that finish in another order may need fewer operations
					require.Less(t, last, k)
					break
				}
				require.ErrorIs(t, err, disktest.ErrCrashed)
				rng := env.NewRand(uint64(k))
				for range draws {
					var log bytes.Buffer
					r := &crashRun{fsys: fsys.Crash(rng)}
					o := crashOptions(r.fsys)
					o.Events = logTo(&log)
					err := train.Run(context.Background(), o)
					switch {
					case err != nil:
						outcomes.refused++
						require.Regexp(t, "run/(config.yaml|metrics.jsonl|checkpoints|episodes)", err, "operation %d", k)
					case !maps.Equal(needed(want), needed(filesOf(t, r.fsys, "run"))):
						outcomes.warned++
						require.Contains(t, log.String(), "are missing", "operation %d: %s", k, r.differences(t, want))
					default:
						outcomes.exact++
					}
				}
			}
			t.Logf("%+v", outcomes)
			require.Positive(t, outcomes.exact)
			require.Positive(t, outcomes.refused)
		})
	}
}
