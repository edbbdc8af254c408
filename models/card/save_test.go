package card_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/disk/disktest"
	"tiro/env"
	"tiro/models"
	"tiro/models/card"
)

// folderOf returns the files of a folder with a card of some weights.
func folderOf(t *testing.T, weights string) map[string][]byte {
	c := example(t)
	c.Weights = models.Measure([]byte(weights))
	var text bytes.Buffer
	require.NoError(t, c.Write(&text))
	return map[string][]byte{models.WeightsFile: []byte(weights), card.MarkdownFile: []byte(c.Markdown()), card.File: text.Bytes()}
}

func save(fsys disk.FS, content map[string][]byte) error {
	return card.Save(fsys, "cards/card", content, func(card.Card) bool { return true })
}

// filesIn returns the files of the folder that save writes, but for its lock.
func filesIn(t *testing.T, fsys disk.FS) map[string][]byte {
	files := map[string][]byte{}
	entries, err := fsys.ReadDir("cards/card")
	if err != nil {
		require.ErrorIs(t, err, fs.ErrNotExist)
	}
	for _, e := range entries {
		if data, err := disk.ReadFile(fsys, filepath.Join("cards/card", e.Name()), 1<<20); e.Name() != "lock" {
			require.NoError(t, err)
			files[e.Name()] = data
		}
	}
	return files
}

// TestSaveOutlastsFaults: whatever fault strikes at any operation on the disk, the folder has
// no card beside other weights or another text, and the same call then completes it, whether
// it was new or had an older card.
func TestSaveOutlastsFaults(t *testing.T) {
	older, newer := folderOf(t, "older weights"), folderOf(t, "newer weights")
	for _, before := range []map[string][]byte{nil, older} {
		for name, verdict := range map[string]disktest.Verdict{
			"stopped":              {Do: disktest.None, Crash: true},
			"stopped half-way":     {Do: disktest.Half, Crash: true},
			"disk full":            {Do: disktest.Half, Err: syscall.ENOSPC},
			"input/output error":   {Do: disktest.None, Err: syscall.EIO},
			"an error, but done":   {Err: syscall.EIO},
			"read-only for a time": {Do: disktest.None, Err: syscall.EROFS},
		} {
			for at, struck := 0, true; struck; at++ {
				struck = false
				fsys := disktest.New()
				require.NoError(t, disk.MkdirAll(fsys, "cards"))
				require.NoError(t, fsys.SyncDir("."))
				if before != nil {
					require.NoError(t, save(fsys, before))
				}
				n := -1
				fsys.Hook = func(disktest.Op) disktest.Verdict {
					if n++; n != at {
						return disktest.Verdict{}
					}
					struck = true
					return verdict
				}
				err := save(fsys, newer)
				fsys.Hook = nil
				for end, left := range map[string]*disktest.Memory{"killed": fsys.Kill(), "power cut": fsys.Crash(env.NewRand(uint64(at)))} {
					why := fmt.Sprintf("%s at operation %d, then %s: %v", name, at, end, err)
					if files := filesIn(t, left); files[card.File] != nil {
						c, err := card.Read(files[card.File])
						require.NoError(t, err, why)
						require.Equal(t, c.Weights, models.Measure(files[models.WeightsFile]), why)
						require.Equal(t, c.Markdown(), string(files[card.MarkdownFile]), why)
					}
					require.NoError(t, save(left, newer), why)
					require.Equal(t, newer, filesIn(t, left), why)
				}
			}
		}
	}
}
