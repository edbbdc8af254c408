package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestPack: the systems' own tools unpack the archives, and the same files make the same bytes in
// any order.
func TestPack(t *testing.T) {
	files := []file{{"tiro", []byte("program"), 0o755}, {"man/man1/tiro.1", []byte("page"), 0o644}}
	changed := time.Unix(1_700_000_000, 0).UTC()
	for system, unpack := range map[string][]string{"linux": {"tar", "xpzf"}, "windows": {"python3", "-m", "zipfile", "-e"}} {
		name, data, err := pack(system, "tiro-1", files, changed)
		require.NoError(t, err)
		_, again, err := pack(system, "tiro-1", []file{files[1], files[0]}, changed)
		require.NoError(t, err)
		require.Equal(t, data, again)

		if _, err := exec.LookPath(unpack[0]); err != nil {
			t.Logf("not unpacked: %v", err)
			continue
		}
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o644))
		args := append(unpack[1:], name)
		if system == "windows" {
			args = append(args, ".")
		}
		cmd := exec.Command(unpack[0], args...)
		cmd.Dir = dir
		text, err := cmd.CombinedOutput()
		require.NoError(t, err, string(text))
		for _, f := range files {
			got, err := os.ReadFile(filepath.Join(dir, "tiro-1", filepath.FromSlash(f.name)))
			require.NoError(t, err)
			require.Equal(t, f.data, got)
		}
		if system == "linux" {
			info, err := os.Stat(filepath.Join(dir, "tiro-1", "tiro"))
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o755), info.Mode())
			require.Equal(t, changed, info.ModTime().UTC())
		}
	}
}
