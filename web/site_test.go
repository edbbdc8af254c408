package web

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/disk/disktest"
	"tiro/format"
	"tiro/web/host"
)

// needProgram skips a test of exported pages if the browser program was not built; make test
// builds it.
func needProgram(t *testing.T) {
	if err := CheckProgram(); err != nil && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
}

// site writes a page with one game.
func site(t *testing.T, dir, game string) error {
	s := Site{Games: []SiteGame{{host.Offer{Game: game}, "bundled", []byte(game)}}, Licenses: "licences"}
	return s.Write(disk.OS{}, dir)
}

func TestWriteSite(t *testing.T) {
	needProgram(t)
	dir := filepath.Join(t.TempDir(), "a", "b")
	require.NoError(t, site(t, dir, "pacru:players=3"))
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		return string(data)
	}
	var written host.Site
	require.NoError(t, format.DecodeJSON([]byte(read(host.SiteFile)), host.SiteHeader, &written))
	address, sum, _ := strings.Cut(written.Games[0].Weights, "?")
	require.Equal(t, "networks/pacru-players-3.safetensors", address)
	require.Len(t, sum, 12)
	require.Equal(t, "pacru:players=3", read(address))
	require.Equal(t, "licences", read("licenses.txt"))
	offline := read("offline.js")
	page := read("index.html")
	for _, name := range []string{"app.js", "style.css", "icon.svg"} {
		require.Contains(t, page, `"`+name+`"`)
		require.NotEmpty(t, read(name))
	}
	require.Contains(t, page, "default-src 'none'")
	require.NotContains(t, page, "://", "an address outside the page")

	// An export replaces all files of an existing page, even of another version, and no other
	// files.
	own, outside := filepath.Join(dir, "networks", "own.safetensors"), filepath.Join(dir, "outside.safetensors")
	require.NoError(t, os.WriteFile(own, nil, 0o666))
	require.NoError(t, os.WriteFile(outside, nil, 0o666))
	require.NoError(t, site(t, dir, "mnk"))
	require.NotEqual(t, offline, read("offline.js"), "a new page must replace the stored one in browsers")
	require.NoFileExists(t, filepath.Join(dir, filepath.FromSlash(address)))
	require.FileExists(t, filepath.Join(dir, "networks", "mnk.safetensors"))
	changed := strings.Replace(read(host.SiteFile), "networks/mnk.safetensors", "networks/../outside.safetensors", 1)
	require.NoError(t, os.WriteFile(filepath.Join(dir, host.SiteFile), []byte(changed), 0o666))
	require.NoError(t, site(t, dir, "mnk"))
	require.FileExists(t, own)
	require.FileExists(t, outside)
	other, err := json.Marshal(format.Header{Format: host.SiteHeader.Format + 1, What: host.SiteHeader.What})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, host.SiteFile), other, 0o666))
	require.NoError(t, site(t, dir, "mnk"))

	// An export into a folder with other contents is refused.
	for _, text := range []string{"{}", `{"format":1,"what":"other"}`, "nonsense"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, host.SiteFile), []byte(text), 0o666))
		require.ErrorIs(t, site(t, dir, "mnk"), ErrOtherPage, text)
	}
	require.NoError(t, os.Remove(filepath.Join(dir, host.SiteFile)))
	require.ErrorIs(t, site(t, dir, "mnk"), ErrOtherPage)
}

// TestSiteOfAnotherGame: a page needs a browser program with its games, and the one built with
// Tiro has only Tiro's games.
func TestSiteOfAnotherGame(t *testing.T) {
	s := Site{Games: []SiteGame{{host.Offer{Game: "breakthrough:size=6"}, "breakthrough", []byte("weights")}}}
	dir := t.TempDir()
	err := s.Write(disk.OS{}, dir)
	if CheckProgram() == nil {
		require.ErrorContains(t, err, "breakthrough")
		require.ErrorContains(t, err, "--program")
	} else {
		require.ErrorIs(t, err, ErrNoProgram)
	}
	require.NoFileExists(t, filepath.Join(dir, "index.html"))

	needProgram(t)
	s.Program = []byte("\x00asm")
	require.NoError(t, s.Write(disk.OS{}, dir))
	file, err := os.Open(filepath.Join(dir, programFile))
	require.NoError(t, err)
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	require.NoError(t, err)
	program, err := io.ReadAll(unpacked)
	require.NoError(t, err)
	require.Equal(t, s.Program, program)
}

// TestInterruptedSite: a write that fails or crashes at any operation leaves either a complete
// page or none, and the same export then succeeds.
func TestInterruptedSite(t *testing.T) {
	needProgram(t)
	games := []SiteGame{{host.Offer{Game: "mnk"}, "bundled", []byte("weights")}}
	program, err := (&Site{Games: games}).program()
	require.NoError(t, err)
	files, err := (&Site{Games: games}).files(program)
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, crash := range []bool{false, true} {
		for at := 1; ; at++ {
			memory := disktest.New()
			memory.Hook = func(op disktest.Op) disktest.Verdict {
				if op.N != at {
					return disktest.Verdict{}
				}
				if crash {
					return disktest.Verdict{Crash: true}
				}
				return disktest.Verdict{Err: errors.New("no more")}
			}
			err := (&Site{Games: games, Licenses: "licences"}).Write(memory, "page")
			if err == nil {
				require.Greater(t, at, len(files))
				break
			}
			left := memory.Kill()
			if crash {
				left = memory.Crash(rng)
			}
			if _, err := left.Stat("page/index.html"); err == nil {
				requireWhole(t, left, files)
			}
			require.NoError(t, (&Site{Games: games, Licenses: "licences"}).Write(left, "page"), "after operation %d", at)
			requireWhole(t, left, files)
		}
	}
}

// requireWhole requires that all files of a page exist.
func requireWhole(t *testing.T, fsys disk.FS, files []siteFile) {
	for _, f := range files {
		data, err := disk.ReadFile(fsys, filepath.Join("page", f.name), 1<<24)
		require.NoError(t, err)
		require.True(t, bytes.Equal(f.data, data), f.name)
	}
}
