package train_test

import (
	"context"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/disk/disktest"
	"tiro/format"
	"tiro/fsck"
	"tiro/train"
)

// FuzzRun replaces a file of a run. If Verify finds no fault, or after Repair, the run continues;
// otherwise it returns an error.
func FuzzRun(f *testing.F) {
	fsys := disktest.New()
	require.NoError(f, train.Run(context.Background(), crashOptions(fsys)))
	files := filesOf(f, fsys, "run")
	names := slices.Sorted(maps.Keys(files))
	for i, name := range names {
		f.Add(uint8(i), []byte(files[name]))
		f.Add(uint8(i), []byte(files[name][:len(files[name])/2]))
		f.Add(uint8(i), []byte(strings.Replace(files[name], "1", "2", 1)))
	}
	f.Fuzz(func(t *testing.T, n uint8, data []byte) {
		name := names[int(n)%len(names)]
		fsys := disktest.New()
		for name, text := range files {
			put(t, fsys, name, []byte(text))
		}
		put(t, fsys, name, data)
		goesOn := func() {
			err := train.Run(context.Background(), crashOptions(fsys))
			// A configuration may become another valid one, or invalid.
			if !format.OtherVersion(err) && filepath.Base(name) != "config.yaml" {
				require.NoError(t, err, name)
			}
		}
		o := fsck.Options{Path: "run", Find: findGame, Disk: fsys}
		report, err := fsck.Verify(context.Background(), o)
		require.NoError(t, err)
		if report.OK() {
			goesOn()
			return
		}
		_ = train.Run(context.Background(), crashOptions(fsys))
		if _, err = fsck.Repair(context.Background(), o); err == nil {
			goesOn()
		}
	})
}

// put writes a file and makes its folders.
func put(t testing.TB, fsys disk.FS, path string, data []byte) {
	require.NoError(t, disk.MkdirAll(fsys, filepath.Dir(path)))
	require.NoError(t, disk.WriteFile(fsys, path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}))
}
