package train_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
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

// unbroken returns the files of a run from an empty disk that nothing
// befalls, and its operations.
func unbroken(t testing.TB) (want map[string]string, ops []disktest.Op) {
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

// interrupted returns a run to which the power was cut in the middle of writing
// the third game of its second generation, and which has kept the first two.
func interrupted(t testing.TB, ops []disktest.Op) voyage {
	var games []int
	for _, op := range ops {
		if writes(op) && strings.HasSuffix(op.Path, "000002.part") {
			games = append(games, op.N)
		}
	}
	v := voyage{fsys: disktest.New(), rng: env.NewRand(1)}
	_, err := v.sail(games[2], killedWithin)
	require.NoError(t, err)
	for begun := v; ; {
		v = begun
		v.fsys = begun.fsys.Crash(v.rng)
		require.NoError(t, v.inspect(true))
		if v.written == 2 {
			return v
		}
	}
}

// TestTortureEveryOperation lets every disaster befall every operation of a
// run, of one that begins and of one that was interrupted among the games of
// its second generation, and then lets it go on.
func TestTortureEveryOperation(t *testing.T) {
	want, ops := unbroken(t)
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
		from voyage
	}{
		{"from the beginning", voyage{fsys: disktest.New()}},
		{"interrupted", interrupted(t, ops)},
	}
	stride, rounds := 17, 1
	switch {
	case testing.Short():
		stride = 101
	case long():
		stride, rounds = 1, 3
	}
	for _, start := range starts {
		for i, d := range disasters {
			t.Run(start.name+"/"+d.name, func(t *testing.T) {
				for at, k := 0, i; at >= 0; k = at + stride {
					for round := range rounds {
						rng := env.NewRand(uint64(k), uint64(round))
						v := start.from
						v.fsys, v.rng = v.fsys.Crash(rng), rng // nothing is lost: all has been flushed
						var err error
						at, err = v.meet(k, d)
						require.NoError(t, err, "operation %d", at)
						require.NoError(t, v.finish(t, want), "operation %d", at)
					}
				}
			})
		}
	}
}

// TestTortureUnflushed kills a run right after it has changed names, and cuts
// the power to the next one, which must not have built on them as they were.
func TestTortureUnflushed(t *testing.T) {
	want, ops := unbroken(t)
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
			v := &voyage{fsys: disktest.New(), rng: rng}
			_, err := v.sail(op.N+1, killed)
			require.NoError(t, err, "after operation %d", op.N)
			at, err := v.meet(rng.IntN(len(ops)-op.N+40), powerCut)
			require.NoError(t, err, "after operation %d, then %d", op.N, at)
			require.NoError(t, v.finish(t, want), "after operation %d, then %d", op.N, at)
		}
	}
}

// TestTortureSchedules lets disasters drawn at random befall a run, one after
// another until it ends, with another number of workers each time.
func TestTortureSchedules(t *testing.T) {
	want, _ := unbroken(t)
	schedules := 40
	switch {
	case testing.Short():
		schedules = 10
	case long():
		schedules = 2000
	}
	for seed := range uint64(schedules) {
		rng := env.NewRand(seed)
		v := &voyage{fsys: disktest.New(), rng: rng}
		var met []string
		for ended := false; !ended; {
			v.workers = 1 + rng.IntN(4)
			// Later ones come later, so that the run ends.
			d, k := disasters[rng.IntN(len(disasters))], rng.IntN(50+20*len(met))
			var err error
			ended, err = v.sail(k, d)
			met = append(met, fmt.Sprintf("%s at %d", d.name, v.struck))
			require.NoError(t, err, "seed %d: %v", seed, met)
		}
		require.NoError(t, v.finish(t, want), "seed %d: %v", seed, met)
	}
}

// lies are disks that say that they have flushed what they have not.
var lies = []struct {
	name   string
	ignore []disktest.Kind
}{
	{"of files", []disktest.Kind{disktest.Sync}},
	{"of folders", []disktest.Kind{disktest.SyncDir}},
	{"of both", []disktest.Kind{disktest.Sync, disktest.SyncDir}},
}

// essence returns those files of a finished run that it came to stand on. Older
// checkpoints, and the checksum at the end of the configuration, it may have
// lost without a word; tiro verify tells.
func essence(files map[string]string) map[string]string {
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

// TestTortureLies lets the power go at every operation of a run on a disk that
// lies. No program can keep what such a disk loses, but it can tell: a run that
// goes on from there ends as it would have, or says that games are gone, or
// refuses and names what is damaged.
func TestTortureLies(t *testing.T) {
	want, ops := unbroken(t)
	stride, draws := 13, 2
	switch {
	case testing.Short():
		stride = 101
	case long():
		stride, draws = 1, 20
	}
	for _, lie := range lies {
		t.Run(lie.name, func(t *testing.T) {
			var fates struct{ exact, warned, refused int }
			for k := 0; k < len(ops); k += stride {
				fsys := disktest.New()
				fsys.Hook = func(op disktest.Op) disktest.Verdict {
					if op.N == k {
						return disktest.Verdict{Crash: true}
					}
					if slices.Contains(lie.ignore, op.Kind) {
						return disktest.Verdict{Do: disktest.None}
					}
					return disktest.Verdict{}
				}
				require.ErrorIs(t, train.Run(context.Background(), crashOptions(fsys)), disktest.ErrCrashed)
				rng := env.NewRand(uint64(k))
				for range draws {
					var log bytes.Buffer
					v := &voyage{fsys: fsys.Crash(rng)}
					o := crashOptions(v.fsys)
					o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))
					err := train.Run(context.Background(), o)
					switch {
					case err != nil:
						fates.refused++
						require.Regexp(t, "run/(config.yaml|metrics.jsonl|checkpoints|episodes)", err, "operation %d", k)
					case !maps.Equal(essence(want), essence(filesOf(t, v.fsys, "run"))):
						fates.warned++
						require.Contains(t, log.String(), "are gone", "operation %d: %s", k, v.differences(t, want))
					default:
						fates.exact++
					}
				}
			}
			t.Logf("%+v", fates)
			require.Positive(t, fates.exact)
			require.Positive(t, fates.refused)
		})
	}
}
