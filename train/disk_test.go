package train_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/configs"
	"tiro/disk"
	"tiro/disk/disktest"
	"tiro/rundir"
	"tiro/train"
)

// sizeOf returns the bytes of all files below a folder.
func sizeOf(t *testing.T, fsys disk.FS, dir string) (n int64) {
	entries, err := fsys.ReadDir(dir)
	if err != nil {
		return 0 // not there yet
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if e.IsDir() {
			n += sizeOf(t, fsys, path)
			continue
		}
		stat, err := fsys.Stat(path)
		require.NoError(t, err)
		n += stat.Size()
	}
	return n
}

// TestDiskBoundHoldsAlways: after no operation of a run the folder has more bytes
// than it may have, less what is kept free for logs; also when the run is resumed.
func TestDiskBoundHoldsAlways(t *testing.T) {
	for _, bound := range []configs.Bytes{86_000, 90_000, 93_000, 97_000, 102_000, 108_000, 113_000, 116_000, 130_000} {
		fsys := disktest.New()
		most := int64(0)
		o := crashOptions(disktest.Over(fsys, func(disktest.Op) disktest.Verdict {
			most = max(most, sizeOf(t, fsys, "run"))
			return disktest.Verdict{}
		}))
		o.Config.Disk = bound
		var err error
		for o.Generations = 1; err == nil && o.Generations <= 5; o.Generations++ {
			err = train.Run(context.Background(), o)
		}
		require.LessOrEqual(t, most, int64(bound)-2*rundir.MaxLog(o.Config.Disk), "%v", bound)
		if err != nil {
			require.ErrorContains(t, err, "disk is ")
		}
		t.Logf("%v: %d bytes at most, %v", bound, most, err)
	}
}

// TestDiskBoundsTheWindow: with little disk for games the window is short. That is
// reported once, and the same however the run was stopped; and the run goes on.
func TestDiskBoundsTheWindow(t *testing.T) {
	bound := func(dir string, generations int) train.Options {
		o := options(dir, generations)
		c := &o.Config
		c.GamesPerGeneration, c.Selfplay.Search.Simulations, c.Replay.Window, c.Replay.SampleReuse = 200, 2, 1_000_000, 0.1
		c.Checkpoints = rundir.Retention{Last: 2}
		c.Disk = 410_000
		return o
	}
	o := bound(t.TempDir(), 8)
	warned, last := 0, rundir.Metrics{}
	o.Events.Warn = func(text string, _ ...any) {
		if text == "disk has no room for the whole window of games" {
			warned++
		}
	}
	o.Events.Generation = func(m rundir.Metrics) { last = m }
	run(t, o)
	require.Equal(t, 1, warned)
	require.Greater(t, last.Window, last.Samples)
	require.Less(t, last.Window, last.TotalSamples/2)
	require.LessOrEqual(t, size(t, o.Dir), int64(o.Config.Disk))

	want := contents(t, o.Dir)
	pieces := bound(t.TempDir(), 0)
	for pieces.Generations = 1; pieces.Generations <= 8; pieces.Generations++ {
		run(t, pieces)
	}
	requireSame(t, want, pieces.Dir)
}

// TestDiskOfOneGeneration: games that will not fit end the run soon, and not when
// all are played; the same command goes on with more.
func TestDiskOfOneGeneration(t *testing.T) {
	o := options(t.TempDir(), 1)
	c := &o.Config
	c.GamesPerGeneration, c.Selfplay.Search.Simulations, c.Checkpoints, c.Disk = 1000, 2, rundir.Retention{Last: 1}, 300_000
	c.Duels.Share = 0
	phase, played := "", 0
	o.Events.PhaseStart = func(p train.Phase) { phase = p.Name }
	o.Events.Progress = func(steps, _ int) {
		if phase == train.PhaseSelfplay {
			played += steps
		}
	}
	err := train.Run(context.Background(), o)
	require.ErrorContains(t, err, "disk is 300KB, but what the run needs to go on takes ")
	require.Less(t, played, 100)
	c.Disk = 0
	run(t, o)
	require.Equal(t, 1001, played, "the game that had no room is played again")
}
