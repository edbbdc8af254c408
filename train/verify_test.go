package train_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/fsck"
	"tiro/rundir"
	"tiro/train"
)

func verify(t *testing.T, path string) fsck.Report {
	t.Helper()
	var done, total int
	r, err := fsck.Verify(context.Background(), fsck.Options{
		Path: path, Find: findGame, Disk: readOnly{},
		Progress: func(d, n int) {
			if d < done || d > n {
				t.Errorf("%d of %d parts after %d", d, n, done)
			}
			done, total = d, n
		},
	})
	require.NoError(t, err)
	require.Equal(t, total, done)
	return r
}

// readOnly is a disk that refuses writes.
type readOnly struct{ disk.OS }

var errReadOnly = errors.New("read-only")

func (readOnly) Create(string) (disk.File, error) { return nil, errReadOnly }
func (readOnly) Append(string) (disk.File, error) { return nil, errReadOnly }
func (readOnly) Rename(string, string) error      { return errReadOnly }
func (readOnly) Remove(string) error              { return errReadOnly }
func (readOnly) RemoveAll(string) error           { return errReadOnly }
func (readOnly) MkdirAll(string) error            { return errReadOnly }
func (readOnly) SyncDir(string) error             { return errReadOnly }
func (readOnly) Lock(string) (disk.Lock, error)   { return nil, errReadOnly }

// statuses returns the status of each file in a report.
func statuses(r fsck.Report) map[string]fsck.Status {
	all := map[string]fsck.Status{}
	for _, f := range r.Parts {
		all[f.Path] = f.Status
	}
	return all
}

func TestVerifyIntactRun(t *testing.T) {
	o := lasting(t.TempDir(), 6)
	run(t, o)
	f := folder{t, o.Dir}
	f.write("notes.txt", []byte("mine"))
	f.write("log.jsonl", []byte("{}"))
	f.write("episodes/12.jsonl.zst", []byte("an unknown name"))
	f.write("checkpoints/000006/more", nil)
	f.write("config.yaml.unfinished", []byte("game"))
	require.NoError(t, os.MkdirAll(f.path("checkpoints/000007.unfinished"), 0o777))
	before := tree(t, o.Dir)
	r := verify(t, o.Dir)
	require.True(t, r.OK())
	require.Equal(t, map[string]fsck.Status{
		"config.yaml": fsck.OK, "metrics.jsonl": fsck.OK,
		"checkpoints/000000": fsck.OK, "checkpoints/000004": fsck.OK, "checkpoints/000005": fsck.OK, "checkpoints/000006": fsck.OK,
		"episodes/000002.jsonl.zst": fsck.OK, "episodes/000003.jsonl.zst": fsck.OK, "episodes/000004.jsonl.zst": fsck.OK,
		"episodes/000005.jsonl.zst": fsck.OK, "episodes/000006.jsonl.zst": fsck.OK,
	}, statuses(r))
	require.Equal(t, []int{6, 6}, []int{r.Checkpoint, r.Newest})
	require.Empty(t, r.Lost)

	// There is nothing to repair.
	r, err := fsck.Repair(context.Background(), fsck.Options{Path: o.Dir, Find: findGame})
	require.NoError(t, err)
	require.True(t, r.OK())
	require.Equal(t, before, tree(t, o.Dir))
	run(t, lasting(o.Dir, 7))
	require.Contains(t, tree(t, o.Dir), filepath.FromSlash("episodes/12.jsonl.zst"), "a foreign file is kept")
}

// TestVerifyYoungRuns: young runs, and folders without a run.
func TestVerifyYoungRuns(t *testing.T) {
	o := lasting(t.TempDir(), 1)
	ctx, cancel := context.WithCancel(context.Background())
	o.Events = (&stopper{phase: train.PhaseSelfplay, generation: 1, step: 0, cancel: cancel}).events()
	require.ErrorIs(t, train.Run(ctx, o), train.ErrInterrupted)
	r := verify(t, o.Dir)
	require.Empty(t, bad(r))
	require.Equal(t, 0, r.Checkpoint)

	require.NoError(t, os.RemoveAll(filepath.Join(o.Dir, "checkpoints")))
	r = verify(t, o.Dir)
	require.Empty(t, bad(r))
	require.Equal(t, -1, r.Checkpoint)

	before := tree(t, o.Dir)
	for path, want := range map[string]string{
		t.TempDir():                      "neither config.yaml nor checkpoints",
		filepath.Join(o.Dir, "nowhere"):  "no such file",
		folder{t, o.Dir}.path("lock"):    "not a run folder",
		filepath.Join(o.Dir, "episodes"): "neither config.yaml nor checkpoints",
	} {
		_, err := fsck.Verify(context.Background(), fsck.Options{Path: path, Find: findGame})
		require.ErrorContains(t, err, "verify "+path)
		require.ErrorContains(t, err, want)
		_, err = fsck.Repair(context.Background(), fsck.Options{Path: path, Find: findGame})
		require.ErrorContains(t, err, "repair "+path)
		require.ErrorContains(t, err, want)
	}
	require.Equal(t, before, tree(t, o.Dir), "Repair leaves no lock in a folder that is no run")
}

// TestUnfinishedGenerations: games of an unfinished generation that Verify finds intact, or
// Repair keeps, are not played again.
func TestUnfinishedGenerations(t *testing.T) {
	const part = "episodes/000003.part"
	stopped := lasting(t.TempDir(), 2)
	run(t, stopped)
	ctx, cancel := context.WithCancel(context.Background())
	stopped.Generations = 3
	stopped.Events = (&stopper{phase: train.PhaseSelfplay, generation: 1, step: 17, cancel: cancel}).events()
	require.ErrorIs(t, train.Run(ctx, stopped), train.ErrInterrupted)
	end := t.TempDir()
	run(t, lasting(end, 3))
	want := contents(t, end)

	tests := []struct {
		name   string
		do     func(f folder)
		status fsck.Status
		kept   int // lower bound of the number of games
	}{
		{"intact", func(folder) {}, fsck.OK, 17},
		{"cut", func(f folder) { f.cut(part, len(f.read(part))-10) }, fsck.OK, 10},
		{"flipped", func(f folder) { f.flip(part) }, fsck.OK, 1},
		{"empty", func(f folder) { f.cut(part, 0) }, fsck.Damaged, 0},
		{"foreign", func(f folder) { f.write(part, f.read("episodes/000002.jsonl.zst")) }, fsck.Damaged, 0},
		{"a folder", func(f folder) { f.replace(part, true) }, fsck.Damaged, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := copyOf(t, stopped.Dir)
			test.do(folder{t, dir})
			before := tree(t, dir)
			r := verify(t, dir)
			require.Equal(t, test.status, statuses(r)[part])
			require.Equal(t, test.status == fsck.Damaged, !r.OK())

			r, err := fsck.Repair(context.Background(), fsck.Options{Path: dir, Find: findGame})
			require.NoError(t, err)
			requireNothingLost(t, before, tree(t, dir))
			for _, f := range r.Parts {
				if f.Path == part {
					require.Equal(t, test.status == fsck.Damaged, f.MovedTo == "damaged/"+part)
				}
			}
			r = verify(t, dir)
			require.True(t, r.OK())
			o := lasting(dir, 3)
			progress := &recorder{}
			o.Events = progress.events()
			run(t, o)
			require.GreaterOrEqual(t, progress.done, test.kept)
			requireSameFiles(t, want, notAside(t, dir), false)
		})
	}
}

// TestUnsupportedFiles: files of another version of tiro are not taken for damaged and are kept.
func TestUnsupportedFiles(t *testing.T) {
	o := lasting(t.TempDir(), 3)
	run(t, o)
	for version, text := range map[string]string{"1": "written by an older tiro", "9": "written by a newer tiro"} {
		for name, change := range map[string]func(f folder){
			"checkpoints/000003": func(f folder) { f.edit("checkpoints/000003/info.json", `"format": 3`, `"format": `+version) },
			"episodes/000003.jsonl.zst": func(f folder) {
				f.rezip("episodes/000003.jsonl.zst", func(text string) string {
					return strings.Replace(text, `"format":2`, `"format":`+version, 1)
				})
			},
			"metrics.jsonl": func(f folder) { f.edit("metrics.jsonl", `"format":3`, `"format":`+version) },
		} {
			dir := copyOf(t, o.Dir)
			change(folder{t, dir})
			before := tree(t, dir)
			r := verify(t, dir)
			require.Equal(t, fsck.Unchecked, statuses(r)[name])
			got := bad(r)
			require.Len(t, got, 1)
			require.Contains(t, got[0], text)
			require.ErrorContains(t, train.Run(context.Background(), lasting(dir, 4)), text)
			_, err := fsck.Repair(context.Background(), fsck.Options{Path: dir, Find: findGame})
			require.NoError(t, err)
			require.Equal(t, before, tree(t, dir))
		}
	}
}

// TestLostGames: the report names lost games, and the run learns without them.
func TestLostGames(t *testing.T) {
	dir := t.TempDir()
	run(t, lasting(dir, 6))
	folder{t, dir}.flip("episodes/000004.jsonl.zst")
	r, err := fsck.Repair(context.Background(), fsck.Options{Path: dir, Find: findGame})
	require.NoError(t, err)
	require.Equal(t, []int{4}, r.Lost)
	require.Equal(t, 6, r.Checkpoint)
	run(t, lasting(dir, 7))
	require.Empty(t, bad(verify(t, dir)))
}

// TestRepairNeverOverwrites: if a name is taken, a number is appended.
func TestRepairNeverOverwrites(t *testing.T) {
	o := lasting(t.TempDir(), 2)
	run(t, o)
	f := folder{t, o.Dir}
	for i, aside := range []string{"", "~2", "~3"} {
		f.write("checkpoints/000002/state.json", []byte{byte(i)})
		r, err := fsck.Repair(context.Background(), fsck.Options{Path: o.Dir, Find: findGame})
		require.NoError(t, err)
		require.NotEmpty(t, bad(r))
		require.False(t, verify(t, o.Dir).OK(), "checkpoint 2 is lost until the run repeats its generation")
		require.Equal(t, []byte{byte(i)}, f.read("damaged/checkpoints/000002"+aside+"/state.json"))
		run(t, o)
		r = verify(t, o.Dir)
		require.True(t, r.OK())
	}
}

// TestRepairKeepsTheLastCheckpoint: if no checkpoint is intact, nothing is moved.
func TestRepairKeepsTheLastCheckpoint(t *testing.T) {
	o := lasting(t.TempDir(), 1)
	run(t, o)
	f := folder{t, o.Dir}
	f.flip("checkpoints/000000/weights.safetensors")
	f.flip("checkpoints/000001/weights.safetensors")
	before := tree(t, o.Dir)
	r, err := fsck.Repair(context.Background(), fsck.Options{Path: o.Dir, Find: findGame})
	require.ErrorIs(t, err, fsck.ErrNoneIntact)
	require.Len(t, bad(r), 2)
	require.Equal(t, before, tree(t, o.Dir))
	require.Equal(t, -1, r.Checkpoint)
	require.Equal(t, 1, r.Newest)
}

// TestVerifyWhileTraining: a run can be neither verified nor repaired while it trains.
func TestVerifyWhileTraining(t *testing.T) {
	o := lasting(t.TempDir(), 2)
	looks := 0
	o.Events = afterEach(func() {
		looks++
		for _, look := range []func(context.Context, fsck.Options) (fsck.Report, error){fsck.Verify, fsck.Repair} {
			_, err := look(context.Background(), fsck.Options{Path: o.Dir, Find: findGame})
			require.ErrorIs(t, err, rundir.ErrInUse)
		}
	})
	run(t, o)
	require.Equal(t, 2, looks)
}

func TestVerifyIsInterrupted(t *testing.T) {
	o := lasting(t.TempDir(), 2)
	run(t, o)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := fsck.Verify(ctx, fsck.Options{Path: o.Dir, Find: findGame})
	require.ErrorIs(t, err, context.Canceled)
}
