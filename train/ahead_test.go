package train_test

import (
	"context"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/disk/disktest"
	"tiro/env"
	"tiro/rundir"
	"tiro/selfplay"
	"tiro/train"
)

// asynchronous returns options of a run that plays and learns at the same time.
func asynchronous(dir string, generations int) train.Options {
	o := options(dir, generations)
	o.Config.Selfplay.Asynchronous = true
	o.Config.Checkpoints = rundir.Retention{Last: 9}
	return o
}

// TestAsynchronousLag: from the third generation on, the network before the newest one plays the
// games.
func TestAsynchronousLag(t *testing.T) {
	o := asynchronous(t.TempDir(), 5)
	run(t, o)
	f := rundir.At(disk.OS{}, o.Dir)
	metrics, err := f.Metrics()
	require.NoError(t, err)
	for i, lag := range []int{0, 1, 1, 1, 1} {
		g := i + 1
		require.Equal(t, lag, metrics[i].NetworkLag, "generation %d", g)
		h, _, err := f.ReadEpisodes(f.Generation(g).Episodes(), env.Variants(o.Game, nil))
		require.NoError(t, err)
		c, err := f.Store(o.Game.Spec()).Load(max(0, g-2))
		require.NoError(t, err)
		player, err := rundir.Fingerprint(c.Weights)
		require.NoError(t, err)
		require.Equal(t, player, h.Net, "generation %d", g)
	}
}

// playFunc is a Selfplayer that calls a function.
type playFunc func(context.Context, train.Games) ([]selfplay.Episode, selfplay.Stats, []rundir.Contribution, error)

func (f playFunc) Play(ctx context.Context, games train.Games) ([]selfplay.Episode, selfplay.Stats, []rundir.Contribution, error) {
	return f(ctx, games)
}

// TestAsynchronousOverlap: a generation is learned while the next one is played, and the files do
// not depend on the overlap.
func TestAsynchronousOverlap(t *testing.T) {
	o := asynchronous(t.TempDir(), 4)
	second, first := make(chan struct{}), make(chan struct{}) // the second generation has begun; the first is complete
	wait := func(c chan struct{}) {
		select {
		case <-c:
		case <-time.After(10 * time.Minute):
			t.Error("playing and learning do not overlap")
		}
	}
	o.Selfplayer = playFunc(func(ctx context.Context, games train.Games) ([]selfplay.Episode, selfplay.Stats, []rundir.Contribution, error) {
		if games.Job.Generation == 2 {
			close(second)
			wait(first)
		}
		episodes, stats, err := selfplay.Play(ctx, games.Job)
		return episodes, stats, nil, err
	})
	o.Usage = func() rundir.Usage { // at the end of a generation, and not while an event is received, for which others wait
		wait(second)
		return rundir.Usage{}
	}
	o.Events = on(func(m train.Completed) {
		if m.Generation == 1 {
			close(first)
		}
	})
	run(t, o)
	alone := asynchronous(t.TempDir(), 4)
	alone.Workers = 3
	run(t, alone)
	require.Equal(t, contents(t, alone.Dir), contents(t, o.Dir))
}

// TestAsynchronousEnds: however the run ends, self-play of a generation that will not be
// completed is cancelled.
func TestAsynchronousEnds(t *testing.T) {
	o := asynchronous(t.TempDir(), 0)
	ctx, cancel := context.WithCancel(context.Background())
	o.Events = on(func(m train.Completed) {
		if m.Generation == 2 {
			cancel()
		}
	})
	require.ErrorIs(t, train.Run(ctx, o), train.ErrInterrupted)
	resumed := asynchronous(o.Dir, 4)
	run(t, resumed)
	straight := asynchronous(t.TempDir(), 4)
	run(t, straight)
	require.Equal(t, contents(t, straight.Dir), contents(t, o.Dir))
}

// stuck is a Selfplayer that finishes only the first generation.
type stuck struct{ began func() } // called when the second generation begins

func (s stuck) Play(ctx context.Context, games train.Games) ([]selfplay.Episode, selfplay.Stats, []rundir.Contribution, error) {
	if games.Job.Generation > 1 {
		s.began()
		<-ctx.Done()
		return nil, selfplay.Stats{}, nil, ctx.Err()
	}
	episodes, stats, err := selfplay.Play(ctx, games.Job)
	return episodes, stats, nil, err
}

// TestAsynchronousStopFault: cancellation does not hide a fault that may have lost games played
// ahead.
func TestAsynchronousStopFault(t *testing.T) {
	fsys := disktest.New()
	var stopped atomic.Bool
	fsys.Hook = func(op disktest.Op) disktest.Verdict {
		if stopped.Load() && op.Kind == disktest.Close && strings.HasSuffix(op.Path, ".part") {
			return disktest.Verdict{Err: syscall.EIO}
		}
		return disktest.Verdict{}
	}
	o := asynchronousCrashOptions(fsys)
	ctx, cancel := context.WithCancel(t.Context())
	o.Selfplayer = stuck{func() {
		stopped.Store(true)
		cancel()
	}}
	err := train.Run(ctx, o)
	require.ErrorIs(t, err, syscall.EIO)
	require.NotErrorIs(t, err, train.ErrInterrupted)
}

// TestAsynchronousSetBack: a run set back to an earlier checkpoint uses the existing games of
// later generations and produces the same bytes.
func TestAsynchronousSetBack(t *testing.T) {
	o := asynchronous(t.TempDir(), 6)
	run(t, o)
	want, f := contents(t, o.Dir), folder{t, o.Dir}
	for _, checkpoint := range []string{"4", "5", "6"} {
		f.remove("checkpoints/00000" + checkpoint)
	}
	run(t, o)
	require.Equal(t, want, contents(t, o.Dir))
}

// TestAsynchronousReads: the games of a generation in progress are not looked for on disk, where
// a fault could end the run.
func TestAsynchronousReads(t *testing.T) {
	fsys := disktest.New()
	fsys.Hook = func(op disktest.Op) disktest.Verdict {
		if op.Kind == disktest.Open && strings.HasSuffix(op.Path, ".jsonl.zst") && !strings.HasSuffix(op.Path, "000001.jsonl.zst") {
			return disktest.Verdict{Do: disktest.None, Err: syscall.EIO}
		}
		return disktest.Verdict{}
	}
	require.NoError(t, train.Run(t.Context(), asynchronousCrashOptions(fsys)))
}

// TestAsynchronousSwitched: the setting may change while a run is stopped, and the lag of each
// generation is recorded.
func TestAsynchronousSwitched(t *testing.T) {
	dir := t.TempDir()
	run(t, asynchronous(dir, 3))
	o := asynchronous(dir, 5)
	o.Config.Selfplay.Asynchronous = false
	run(t, o)
	run(t, asynchronous(dir, 7))
	metrics, err := rundir.At(disk.OS{}, o.Dir).Metrics()
	require.NoError(t, err)
	for i, lag := range []int{0, 1, 1, 0, 0, 1, 1} {
		require.Equal(t, lag, metrics[i].NetworkLag, "generation %d", i+1)
	}
	require.Empty(t, bad(verify(t, dir)))

	// A missing network is reported.
	f := folder{t, dir}
	f.remove("checkpoints/000006")
	o = asynchronous(dir, 8)
	var warned []string
	o.Events = onWarning(func(text string, _ ...any) { warned = append(warned, text) })
	run(t, o)
	require.Contains(t, warned[0], "the network for the next generation is missing")
	metrics, err = rundir.At(disk.OS{}, o.Dir).Metrics()
	require.NoError(t, err)
	require.Zero(t, metrics[7].NetworkLag)
}
