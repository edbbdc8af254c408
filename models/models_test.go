package models_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/env"
	"tiro/env/mnk"
	"tiro/internal/leaks"
	"tiro/models"
	"tiro/net"
)

func TestMain(m *testing.M) { leaks.Main(m) }

func find(name string) (env.Game, error) {
	name, options, err := env.ParseName(name)
	if err != nil {
		return nil, err
	}
	if name != "mnk" {
		return nil, fmt.Errorf("unknown game %q", name)
	}
	return mnk.New(options)
}

func specOf(t testing.TB, name string) env.Spec {
	game, err := find(name)
	require.NoError(t, err)
	return game.Spec()
}

// checkpoint returns a checkpoint of a small network whose parameters depend on the generation.
func checkpoint(spec env.Spec, generation int) models.Checkpoint {
	c := net.Config{Channels: 4, Blocks: 1, OutcomeChannels: 1}
	return models.Checkpoint{
		Generation: generation,
		Weights:    net.NewWeights(spec, c, env.NewRand(uint64(generation))),
		Optimizer:  []net.Tensor{{Name: "steps", Shape: []int{2}, Data: []float32{1, float32(generation)}}},
		State:      json.RawMessage(fmt.Sprintf(`{"steps":%d}`, generation)),
		Metrics:    json.RawMessage(`{"games":7}`),
	}
}

// filled returns a run folder with checkpoints of the given generations.
func filled(t testing.TB, generations ...int) (run string, store *models.Store) {
	run = t.TempDir()
	store = models.NewStore(disk.OS{}, filepath.Join(run, "checkpoints"), specOf(t, "mnk"))
	for _, g := range generations {
		require.NoError(t, store.Save(checkpoint(specOf(t, "mnk"), g)))
	}
	return run, store
}

func TestCheckpointsReadBack(t *testing.T) {
	_, store := filled(t, 0, 12, 1000000)
	generations, err := store.List()
	require.NoError(t, err)
	require.Equal(t, []int{0, 12, 1000000}, generations)
	for _, g := range generations {
		want := checkpoint(specOf(t, "mnk"), g)
		got, err := store.Load(g)
		require.NoError(t, err)
		require.Equal(t, g, got.Generation)
		require.Equal(t, want.Weights, got.Weights)
		require.Equal(t, want.Optimizer, got.Optimizer)
		require.JSONEq(t, string(want.State), string(got.State))
		require.JSONEq(t, string(want.Metrics), string(got.Metrics))
	}
}

func TestEmptyStore(t *testing.T) {
	store := models.NewStore(disk.OS{}, filepath.Join(t.TempDir(), "none"), specOf(t, "mnk"))
	generations, err := store.List()
	require.NoError(t, err)
	require.Empty(t, generations)
	require.NoError(t, store.Remove(nil))
	_, err = store.Load(3)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestSaveNeverOverwrites(t *testing.T) {
	_, store := filled(t, 3)
	require.ErrorContains(t, store.Save(checkpoint(specOf(t, "mnk"), 3)), "already exists")
}

// TestSaveLeavesNothingBehind: a checkpoint that cannot be written leaves no files.
func TestSaveLeavesNothingBehind(t *testing.T) {
	run, store := filled(t, 3)
	bad := checkpoint(specOf(t, "mnk"), 4)
	bad.Optimizer[0].Data = bad.Optimizer[0].Data[:1]
	require.ErrorContains(t, store.Save(bad), "models: save checkpoint 4: ")
	entries, err := os.ReadDir(filepath.Join(run, "checkpoints"))
	require.NoError(t, err)
	require.Len(t, entries, 1)
}

// TestUnfinishedCheckpointsAreNotSeen: checkpoints cut off by a kill are not listed.
func TestUnfinishedCheckpointsAreNotSeen(t *testing.T) {
	run, store := filled(t, 3)
	half := filepath.Join(run, "checkpoints", "000004.unfinished")
	require.NoError(t, os.MkdirAll(half, 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(half, "weights.safetensors"), []byte("half"), 0o666))
	generations, err := store.List()
	require.NoError(t, err)
	require.Equal(t, []int{3}, generations)
	require.NoError(t, store.Save(checkpoint(specOf(t, "mnk"), 4)))
	_, err = store.Load(4)
	require.NoError(t, err)
}

// TestLinkedCheckpoints: a checkpoint may be a link to a folder on another disk. Removing the
// checkpoint removes the link only.
func TestLinkedCheckpoints(t *testing.T) {
	_, store := filled(t, 3, 4)
	moved := filepath.Join(t.TempDir(), "moved")
	require.NoError(t, os.Rename(store.Dir(4), moved))
	if err := os.Symlink(moved, store.Dir(4)); err != nil {
		t.Skip("no links here:", err)
	}
	require.NoError(t, os.Symlink("000005", store.Dir(5))) // a loop
	generations, err := store.List()
	require.NoError(t, err)
	require.Equal(t, []int{3, 4}, generations)
	_, err = store.Load(4)
	require.NoError(t, err)
	require.NoError(t, store.Remove([]int{4}))
	require.NoFileExists(t, store.Dir(4))
	require.FileExists(t, filepath.Join(moved, "weights.safetensors"))
}

func TestRemove(t *testing.T) {
	run, store := filled(t, 0, 1, 2, 3)
	require.NoError(t, os.Mkdir(filepath.Join(run, "checkpoints", "000004.unfinished"), 0o777))
	require.NoError(t, store.Remove([]int{2, 0}))
	generations, err := store.List()
	require.NoError(t, err)
	require.Equal(t, []int{1, 3}, generations)
	entries, err := os.ReadDir(filepath.Join(run, "checkpoints"))
	require.NoError(t, err)
	require.Len(t, entries, 2, "nothing unfinished is left")
	require.ErrorIs(t, store.Remove([]int{2}), os.ErrNotExist)
}

func TestBytes(t *testing.T) {
	_, store := filled(t, 3)
	want := int64(0)
	require.NoError(t, filepath.WalkDir(store.Dir(3), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			data, err := os.ReadFile(path)
			want += int64(len(data))
			return err
		}
		return err
	}))
	got, err := store.Bytes(3)
	require.NoError(t, err)
	require.Equal(t, want, got)
	_, err = store.Bytes(4)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestOpen(t *testing.T) {
	_, store := filled(t, 0, 12)
	for _, test := range []struct {
		path       string
		generation int
	}{
		{store.Dir(0), 0},
		{store.Dir(12), 12},
		{filepath.Join(store.Dir(12), "weights.safetensors"), -1},
	} {
		w, info, err := models.Open(disk.OS{}, test.path, find)
		require.NoError(t, err)
		require.Equal(t, test.generation, info.Generation)
		require.Equal(t, "mnk", info.Game)
		require.Equal(t, w.Parameters(), info.Parameters)
		require.Equal(t, 4, info.Net.Channels)
	}
}

// TestDamage: if a file of a checkpoint is damaged, the error of loading it names the file and
// the fault, on one line.
func TestDamage(t *testing.T) {
	edit := func(name, old, new string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			path := filepath.Join(dir, name)
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Contains(t, string(data), old)
			require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(data), old, new, 1)), 0o666))
		}
	}
	cut := func(name string, size int64) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) { require.NoError(t, os.Truncate(filepath.Join(dir, name), size)) }
	}
	remove := func(name string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) { require.NoError(t, os.Remove(filepath.Join(dir, name))) }
	}
	tests := []struct {
		name   string
		damage func(t *testing.T, dir string)
		want   string
		opens  bool // Open succeeds, because it reads the weights only
	}{
		{"weights cut", cut("weights.safetensors", 50), "weights.safetensors has 50 bytes", false},
		{"weights empty", cut("weights.safetensors", 0), "weights.safetensors has 0 bytes", false},
		{"weights missing", remove("weights.safetensors"), "weights.safetensors: no such file", false},
		{"weights changed", edit("weights.safetensors", "stem.bias", "stem.bios"), "weights.safetensors differs from its checksum", false},
		{"optimizer cut", cut("optimizer.safetensors", 9), "optimizer.safetensors has 9 bytes", true},
		{"optimizer missing", remove("optimizer.safetensors"), "optimizer.safetensors: no such file", true},
		{"state changed", edit("state.json", "3", "4"), "state.json differs from its checksum", true},
		{"info cut", cut("info.json", 60), "info.json: unexpected end of JSON input", false},
		{"info foreign", edit("info.json", `"parameters"`, `"more"`), `info.json: json: unknown field "more"`, false},
		{"info of something else", edit("info.json", "tiro checkpoint", "tiro state"), `info.json: wrong kind of file`, false},
		{"info without a format", edit("info.json", `"format": 3,`, ""), "info.json: format is 0", false},
		{"info newer", edit("info.json", `"format": 3`, `"format": 4, "more": 4`), "info.json: written by a newer tiro: format 4", false},
		{"info without a file", edit("info.json", "weights.safetensors", "x.safetensors"), "info.json does not list weights.safetensors", false},
		{"info huge", cut("info.json", 2<<20), "info.json: 2097152 bytes", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, store := filled(t, 3)
			test.damage(t, store.Dir(3))
			_, err := store.Load(3)
			require.ErrorContains(t, err, "models: load checkpoint 3: ")
			require.ErrorContains(t, err, test.want)
			require.NotContains(t, err.Error(), "\n")
			_, _, err = models.Open(disk.OS{}, store.Dir(3), find)
			if test.opens {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestForeign(t *testing.T) {
	_, small := filled(t, 3)
	wide := models.NewStore(disk.OS{}, filepath.Dir(small.Dir(0)), specOf(t, "mnk:m=4"))
	_, err := wide.Load(3)
	require.ErrorContains(t, err, `"mnk:m=4"`)

	dir := t.TempDir()
	_, _, err = models.Open(disk.OS{}, dir, find)
	require.ErrorContains(t, err, "info.json: no such file")
	_, _, err = models.Open(disk.OS{}, filepath.Join(dir, "none"), find)
	require.ErrorIs(t, err, os.ErrNotExist)
	letter := filepath.Join(dir, "letter.txt")
	require.NoError(t, os.WriteFile(letter, []byte("Dear friend, how are you?"), 0o666))
	_, _, err = models.Open(disk.OS{}, letter, find)
	require.ErrorContains(t, err, "letter.txt: net: read weights: ")
	unknown := func(name string) (env.Game, error) { return nil, errors.New("unknown game " + name) }
	_, _, err = models.Open(disk.OS{}, small.Dir(3), unknown)
	require.ErrorContains(t, err, "unknown game mnk")
	_, _, err = models.Open(disk.OS{}, filepath.Join(small.Dir(3), "weights.safetensors"), unknown)
	require.ErrorContains(t, err, "unknown game mnk")
}
