package bundled

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/env/games"
	"tiro/models"
	"tiro/models/card"
)

var update = flag.Bool("update", false, "rewrite every "+card.MarkdownFile+" from its "+card.File)

// TestModels: each bundled model is complete and plays the current version of its game.
func TestModels(t *testing.T) {
	all, err := List()
	require.NoError(t, err)
	for _, m := range all {
		t.Run(m.Card.Game, func(t *testing.T) {
			game, err := games.New(m.Card.Game)
			require.NoError(t, err)
			spec := game.Spec()
			require.Equal(t, spec.Name, m.Card.Game, "the game string is canonical")
			require.Equal(t, spec.Version, m.Card.GameVersion)

			w, err := m.Weights(spec)
			require.NoError(t, err)
			require.Equal(t, w.Config, m.Card.Net)
			require.Equal(t, w.Parameters(), m.Card.Parameters)

			found, err := Find(m.Card.Game)
			require.NoError(t, err)
			require.Equal(t, m.Card, found.Card)

			entries, err := fs.ReadDir(m.Files, ".")
			require.NoError(t, err)
			var names []string
			for _, e := range entries {
				names = append(names, e.Name())
			}
			require.ElementsMatch(t, []string{models.WeightsFile, card.File, card.MarkdownFile}, names)
			if *update {
				require.NoError(t, os.WriteFile(filepath.Join(models.Folder(spec.Name), card.MarkdownFile), []byte(m.Card.Markdown()), 0o666))
				return
			}
			text, err := fs.ReadFile(m.Files, card.MarkdownFile)
			require.NoError(t, err)
			require.Equal(t, m.Card.Markdown(), string(text), "if Markdown was changed on purpose, run this test with -update")
		})
	}
	_, err = Find("coerceo")
	require.NoError(t, err)
}

// folder returns the files of a bundled model.
func folder(t *testing.T, game string) map[string][]byte {
	m, err := Find(game)
	require.NoError(t, err)
	files := map[string][]byte{}
	for _, name := range []string{models.WeightsFile, card.File, card.MarkdownFile} {
		files[name], err = fs.ReadFile(m.Files, name)
		require.NoError(t, err)
	}
	return files
}

// foldersOf returns a file system of folders.
func foldersOf(folders map[string]map[string][]byte) fs.FS {
	shipped := fstest.MapFS{}
	for name, files := range folders {
		for file, data := range files {
			shipped[name+"/"+file] = &fstest.MapFile{Data: data}
		}
	}
	return shipped
}

// cardFor returns card.json of coerceo's model with another game.
func cardFor(t *testing.T, game string) []byte {
	m, err := Find("coerceo")
	require.NoError(t, err)
	m.Card.Game = game
	var text bytes.Buffer
	require.NoError(t, m.Card.Write(&text))
	return text.Bytes()
}

func TestNone(t *testing.T) {
	empty := foldersOf(nil)
	all, err := list(empty)
	require.NoError(t, err)
	require.Empty(t, all)
	_, err = find(empty, "mnk")
	require.ErrorIs(t, err, ErrNone)
	require.ErrorIs(t, err, ErrNone)

	_, err = Find("coerceo:price=1")
	require.ErrorIs(t, err, ErrNone, "a model is for one choice of options")

	some := foldersOf(map[string]map[string][]byte{
		"pacru-players=3": {card.File: cardFor(t, "pacru:players=3")},
		"coerceo":         folder(t, "coerceo"),
	})
	_, err = find(some, "pacru")
	require.ErrorIs(t, err, ErrNone)
	require.ErrorContains(t, err, "for pacru (coerceo, pacru:players=3)")
	m, err := find(some, "pacru:players=3")
	require.NoError(t, err)
	require.Equal(t, "pacru:players=3", m.Card.Game)
	_, err = find(some, "../coerceo")
	require.ErrorIs(t, err, ErrNone)
	require.ErrorContains(t, err, "for ../coerceo (coerceo, pacru:players=3)")
}

func TestDamaged(t *testing.T) {
	game, err := games.New("coerceo")
	require.NoError(t, err)
	tests := []struct {
		name   string
		change func(files map[string][]byte)
		want   string
	}{
		{"card for another game", func(f map[string][]byte) { f[card.File] = cardFor(t, "shacru") }, "coerceo: the card belongs to a model for shacru"},
		{"card of a newer tiro", func(f map[string][]byte) {
			f[card.File] = bytes.Replace(f[card.File], []byte(`"format": 5`), []byte(`"format": 6`), 1)
		}, "written by a newer tiro"},
		{"no card", func(f map[string][]byte) { delete(f, card.File) }, "coerceo/card.json: file does not exist"},
		{"no weights", func(f map[string][]byte) { delete(f, models.WeightsFile) }, "weights.safetensors: file does not exist"},
		{"other weights", func(f map[string][]byte) { f[models.WeightsFile][len(f[models.WeightsFile])-1] ^= 1 }, "the weights differ"},
		{"weights cut off", func(f map[string][]byte) { f[models.WeightsFile] = f[models.WeightsFile][:1000] }, "the weights differ"},
		{"not a network", func(f map[string][]byte) {
			f[models.WeightsFile] = []byte("hello")
			c, err := card.Read(f[card.File])
			require.NoError(t, err)
			c.Weights, c.Curve = models.Measure(f[models.WeightsFile]), nil
			var text bytes.Buffer
			require.NoError(t, c.Write(&text))
			f[card.File] = text.Bytes()
		}, "net: read weights: "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			files := folder(t, "coerceo")
			test.change(files)
			m, err := find(foldersOf(map[string]map[string][]byte{"coerceo": files}), "coerceo")
			if err == nil {
				_, err = m.Weights(game.Spec())
			}
			require.ErrorContains(t, err, test.want)
		})
	}
}

// TestSaveChecks: a model whose card does not fit its weights is not saved.
func TestSaveChecks(t *testing.T) {
	game, err := games.New("coerceo")
	require.NoError(t, err)
	m, err := Find("coerceo")
	require.NoError(t, err)
	m.Files = fstest.MapFS{
		models.WeightsFile: {Data: []byte("others")},
		card.File:          {Data: []byte("card")},
		card.MarkdownFile:  {Data: []byte("text")},
	}
	folder := filepath.Join(t.TempDir(), "model")
	require.ErrorContains(t, m.Save(disk.OS{}, folder, game.Spec()), "the weights differ")
	require.NoDirExists(t, folder)
}
