package models_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/models"
)

// TestReadFindsBits: any flipped bit of a checkpoint is detected, except in its metrics, which
// their owner checks.
func TestReadFindsBits(t *testing.T) {
	_, store := filled(t, 3)
	dir := store.Dir(3)
	intact, info, err := models.Read(disk.OS{}, dir, find)
	require.NoError(t, err)
	require.Equal(t, 3, info.Generation)
	want, err := store.Load(3)
	require.NoError(t, err)
	require.Equal(t, want, intact)

	for _, name := range models.Files {
		path := filepath.Join(dir, name)
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		step := 7 // positions of a bit within a byte, in turn
		if name != models.InfoFile {
			step = 997
		}
		for bit := 0; bit < 8*len(data); bit += step {
			data[bit/8] ^= 1 << (bit % 8)
			require.NoError(t, os.WriteFile(path, data, 0o666))
			if _, got, err := models.Read(disk.OS{}, dir, find); err == nil {
				// The generation is compared with the folder's name elsewhere.
				elsewhere := got.Generation != 3 || string(got.Metrics) != string(info.Metrics)
				require.True(t, elsewhere, "%s: bit %d", name, bit)
			}
			data[bit/8] ^= 1 << (bit % 8)
		}
		require.NoError(t, os.WriteFile(path, data, 0o666))
	}
	_, _, err = models.Read(disk.OS{}, dir, find)
	require.NoError(t, err)
}

// TestReadLooksAtEveryFile: a damaged file does not hide another one.
func TestReadLooksAtEveryFile(t *testing.T) {
	_, store := filled(t, 3)
	dir := store.Dir(3)
	require.NoError(t, os.Truncate(filepath.Join(dir, "weights.safetensors"), 0))
	require.NoError(t, os.Remove(filepath.Join(dir, "state.json")))
	_, _, err := models.Read(disk.OS{}, dir, find)
	require.ErrorContains(t, err, "weights.safetensors has 0 bytes")
	require.ErrorContains(t, err, "state.json: no such file")
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NotContains(t, err.Error(), "optimizer")

	require.NoError(t, os.Remove(filepath.Join(dir, "info.json")))
	_, _, err = models.Read(disk.OS{}, dir, find)
	require.ErrorIs(t, err, os.ErrNotExist)
}
