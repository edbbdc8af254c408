package web

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/disk"
)

// TestTwoServersKeepGames: several servers that share a folder start at the same time and save
// the same game. The file is one server's complete version, and no other file is left.
func TestTwoServersKeepGames(t *testing.T) {
	f := folder{disk.OS{}, filepath.Join(t.TempDir(), "games")}
	require.NoError(t, f.prepare())
	old, fresh := f.path("a")+".KILLED"+disk.Unfinished, f.path("a")+".WRITES"+disk.Unfinished
	for _, path := range []string{old, fresh} {
		require.NoError(t, os.WriteFile(path, []byte("half"), 0o666))
	}
	before := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(old, before, before))
	var wait sync.WaitGroup
	for server := range 4 {
		wait.Go(func() {
			if err := f.prepare(); err != nil {
				t.Error(err)
			}
			for range 20 {
				if err := f.Save("game", []byte(strings.Repeat(fmt.Sprint(server), 5000))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	data, err := f.Load("game")
	require.NoError(t, err)
	require.Equal(t, strings.Repeat(string(data[:1]), 5000), string(data))
	entries, err := os.ReadDir(f.dir)
	require.NoError(t, err)
	require.Len(t, entries, 2)
	require.FileExists(t, fresh, "another server may be writing it")
}
