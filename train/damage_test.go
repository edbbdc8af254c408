package train_test

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/env"
	"tiro/fsck"
	"tiro/internal/effort"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/train"
)

// bad lists the faults in a report.
func bad(r fsck.Report) (all []string) {
	for _, f := range r.Parts {
		if f.Status != fsck.OK {
			all = append(all, fmt.Sprintf("%s %s: %s", f.Status, f.Path, f.Detail))
		}
	}
	return all
}

func requireBad(t *testing.T, want []string, r fsck.Report) {
	t.Helper()
	got := bad(r)
	require.Len(t, got, len(want), "%q", got)
	for i := range want {
		require.Contains(t, got[i], want[i]+": ")
	}
}

// notAside returns the files of a run folder except those that Repair has moved.
func notAside(t *testing.T, dir string) map[string]string {
	files := contents(t, dir)
	maps.DeleteFunc(files, func(name, _ string) bool {
		return strings.HasPrefix(name, "damaged"+string(filepath.Separator))
	})
	return files
}

// TestDamage applies every kind of damage to a run. Verify finds exactly this damage, Run reports
// it or continues without the damaged file, and Repair moves it away without losing a byte. Then
// the run continues and, unless games or metrics were lost, produces the same bytes as an
// undamaged run.
func TestDamage(t *testing.T) {
	if testing.Short() {
		t.Skip("some hundred runs of tic-tac-toe")
	}
	intact, other := t.TempDir(), t.TempDir()
	run(t, lasting(intact, 6))
	require.True(t, verify(t, intact).OK())
	end := copyOf(t, intact)
	run(t, lasting(end, 7))
	want := contents(t, end)
	foreign := lasting(other, 6)
	foreign.Config.Seed = 4
	run(t, foreign)

	for _, test := range damages {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			copyRun := func() {
				require.NoError(t, os.RemoveAll(dir))
				require.NoError(t, os.CopyFS(dir, os.DirFS(intact)))
				test.do(folder{t, dir}, other)
			}

			copyRun()
			before := tree(t, dir)
			r := verify(t, dir)
			requireBad(t, test.bad, r)
			require.False(t, r.OK())
			require.Equal(t, before, tree(t, dir), "Verify writes nothing")
			if test.runs != "" {
				err := train.Run(context.Background(), lasting(dir, 7))
				require.ErrorContains(t, err, test.runs)
			} else {
				run(t, lasting(dir, 7))
			}

			copyRun()
			r, err := fsck.Repair(context.Background(), fsck.Options{Path: dir, Find: findGame})
			switch test.name {
			case "a file for the checkpoints":
				require.ErrorIs(t, err, fsck.ErrNoneIntact)
				return
			case "a folder for the lock":
				require.ErrorContains(t, err, "lock")
				require.Equal(t, before, tree(t, dir))
				return
			}
			require.NoError(t, err)
			requireBad(t, test.bad, r)
			requireNothingLost(t, before, tree(t, dir))
			requireBad(t, test.left, verify(t, dir))
			run(t, lasting(dir, 7))
			require.True(t, verify(t, dir).OK())
			if !test.lost {
				require.GreaterOrEqual(t, r.Checkpoint, 0)
				require.Empty(t, r.Lost)
				requireSameFiles(t, want, notAside(t, dir), test.name == "an old checkpoint")
			}
		})
	}
}

// requireSameFiles compares run folders. Files that Repair has moved permanently may be missing.
func requireSameFiles(t *testing.T, want, got map[string]string, fewer bool) {
	t.Helper()
	for name := range want {
		if _, ok := got[name]; !ok && fewer {
			continue
		}
		require.True(t, got[name] == want[name], "%s differs", name)
	}
	for name := range got {
		require.Contains(t, want, name)
	}
}

// tree returns the content of every file and folder in dir.
func tree(t *testing.T, dir string) map[string]string {
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil || d.IsDir() {
			all[name+"/"] = ""
			return err
		}
		data, err := os.ReadFile(path)
		all[name] = string(data)
		return err
	}))
	return all
}

// requireNothingLost checks that every file is in its place or moved away.
func requireNothingLost(t *testing.T, before, after map[string]string) {
	t.Helper()
	kept := map[string]bool{}
	for _, text := range after {
		kept[text] = true
	}
	for name, text := range before {
		require.True(t, kept[text], "%s is lost", name)
	}
}

// TestTortureFlippedBits: if any bit of any file flips, Verify reports that file or its
// checkpoint and no other, unless the bit has no meaning.
func TestTortureFlippedBits(t *testing.T) {
	if testing.Short() {
		t.Skip("a hundred verifications")
	}
	o := lasting(t.TempDir(), 2)
	o.Config.GamesPerGeneration = 4
	run(t, o)
	f := folder{t, o.Dir}
	config, err := recipe.Read(rundir.At(disk.OS{}, o.Dir))
	require.NoError(t, err)
	before := withoutMachine(t, f.read(metrics))
	rng := env.NewRand(1)
	for name, text := range tree(t, o.Dir) {
		if text == "" {
			continue // a folder, or the lock
		}
		name = filepath.ToSlash(name)
		for range effort.Of(0, 4, 100) {
			bit := rng.IntN(8 * len(text))
			data := []byte(text)
			data[bit/8] ^= 1 << (bit % 8)
			f.write(name, data)
			switch got := bad(verify(t, o.Dir)); {
			case len(got) > 0:
				require.Len(t, got, 1)
				where := name + ": "
				if strings.HasPrefix(name, "checkpoints/") {
					where = path.Dir(name) + ": "
				}
				require.Contains(t, got[0], " "+where, "bit %d", bit)
			case name == metrics:
				require.Equal(t, before, withoutMachine(t, data), "bit %d", bit)
			case name == "config.yaml":
				same, err := recipe.Read(rundir.At(disk.OS{}, o.Dir))
				require.NoError(t, err)
				require.Equal(t, config, same, "bit %d", bit)
			case strings.HasPrefix(name, "episodes/"): // zstd ignores some bits of a frame's header
				got := unpacked(t, f.path(name))
				f.write(name, []byte(text))
				require.Equal(t, unpacked(t, f.path(name)), got, "bit %d", bit)
			default:
				t.Errorf("%s: bit %d: not detected", name, bit)
			}
		}
		f.write(name, []byte(text))
	}
}
