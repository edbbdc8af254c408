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

// faults returns what is wrong with a checkpoint, nil if it is whole.
func faults(c models.Checked) error {
	var all []error
	for _, p := range c.Parts {
		all = append(all, p.Err)
	}
	return errors.Join(all...)
}

// TestCheckFindsBits: no bit of a checkpoint may flip without notice but
// those of its figures, for which their owner vouches.
func TestCheckFindsBits(t *testing.T) {
	_, store := filled(t, 3)
	dir := store.Dir(3)
	whole := models.Check(disk.OS{}, dir, find)
	require.NoError(t, faults(whole))
	require.Len(t, whole.Parts, 4)
	require.Equal(t, 3, whole.Info.Generation)
	want, err := store.Load(3)
	require.NoError(t, err)
	require.Equal(t, want, whole.Checkpoint)

	for _, part := range whole.Parts {
		path := filepath.Join(dir, part.Name)
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		require.EqualValues(t, len(data), part.Bytes)
		step := 7 // every position in a byte in turn
		if part.Name != "info.json" {
			step = 997
		}
		for bit := 0; bit < 8*len(data); bit += step {
			data[bit/8] ^= 1 << (bit % 8)
			require.NoError(t, os.WriteFile(path, data, 0o666))
			got := models.Check(disk.OS{}, dir, find)
			if faults(got) == nil {
				// Which generation it is, is for the name of the folder to say.
				told := got.Info.Generation != 3 || string(got.Info.Figures) != string(whole.Info.Figures)
				require.True(t, told, "%s: bit %d", part.Name, bit)
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
	require.NoError(t, got.Parts[0].Err)
	require.ErrorContains(t, got.Parts[1].Err, "0 bytes, written were")
	require.NoError(t, got.Parts[2].Err)
	require.ErrorIs(t, got.Parts[3].Err, os.ErrNotExist)

	require.NoError(t, os.Remove(filepath.Join(dir, "info.json")))
	got = models.Check(disk.OS{}, dir, find)
	require.Len(t, got.Parts, 1)
	require.ErrorIs(t, faults(got), os.ErrNotExist)
}
