package models_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/models"
)

// faults returns what is wrong with a checkpoint, nil if it is intact.
func faults(c models.Checked) error {
	var all []error
	for _, f := range c.Files {
		all = append(all, f.Err)
	}
	return errors.Join(all...)
}

// TestCheckFindsBits: no bit of a checkpoint may flip without notice but
// those of its metrics, which their owner checks.
func TestCheckFindsBits(t *testing.T) {
	_, store := filled(t, 3)
	dir := store.Dir(3)
	intact := models.Check(disk.OS{}, dir, find)
	require.NoError(t, faults(intact))
	require.Len(t, intact.Files, 4)
	require.Equal(t, 3, intact.Info.Generation)
	want, err := store.Load(3)
	require.NoError(t, err)
	require.Equal(t, want, intact.Checkpoint)

	for _, file := range intact.Files {
		path := filepath.Join(dir, file.Name)
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		require.EqualValues(t, len(data), file.Bytes)
		step := 7 // every position in a byte in turn
		if file.Name != "info.json" {
			step = 997
		}
		for bit := 0; bit < 8*len(data); bit += step {
			data[bit/8] ^= 1 << (bit % 8)
			require.NoError(t, os.WriteFile(path, data, 0o666))
			got := models.Check(disk.OS{}, dir, find)
			if faults(got) == nil {
				// Which generation it is, is for the name of the folder to say.
				elsewhere := got.Info.Generation != 3 || string(got.Info.Metrics) != string(intact.Info.Metrics)
				require.True(t, elsewhere, "%s: bit %d", file.Name, bit)
			}
			data[bit/8] ^= 1 << (bit % 8)
		}
		require.NoError(t, os.WriteFile(path, data, 0o666))
	}
	got := models.Check(disk.OS{}, dir, find)
	require.NoError(t, faults(got))
}

// TestCheckLooksAtEveryFile: one that is damaged does not hide another.
func TestCheckLooksAtEveryFile(t *testing.T) {
	_, store := filled(t, 3)
	dir := store.Dir(3)
	require.NoError(t, os.Truncate(filepath.Join(dir, "weights.safetensors"), 0))
	require.NoError(t, os.Remove(filepath.Join(dir, "state.json")))
	got := models.Check(disk.OS{}, dir, find)
	require.NoError(t, got.Files[0].Err)
	require.ErrorContains(t, got.Files[1].Err, "0 bytes, but")
	require.NoError(t, got.Files[2].Err)
	require.ErrorIs(t, got.Files[3].Err, os.ErrNotExist)

	require.NoError(t, os.Remove(filepath.Join(dir, "info.json")))
	got = models.Check(disk.OS{}, dir, find)
	require.Len(t, got.Files, 1)
	require.ErrorIs(t, faults(got), os.ErrNotExist)
}
