package ladder

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"tiro/disk"
	"tiro/env"
	"tiro/models"
)

// shipped holds the folders of the ladders that come with the program, named like
// the default run folders of their games.
//
//go:embed ladders/*/*
var shipped embed.FS

// shippedDir is the folder of shipped.
const shippedDir = "ladders"

// ErrNone is wrapped by Find for a game that has no ladder.
var ErrNone = errors.New("no ladder")

// Find returns the ladder of a game that comes with the program. If there is none,
// the error names the games that have one.
func Find(game env.Game) (*Ladder, error) {
	name := game.Spec().Name
	folder, err := fs.Sub(shipped, path.Join(shippedDir, models.Folder(name)))
	if err != nil {
		return nil, fmt.Errorf("ladder: %w", err)
	}
	l, err := open(filesOf(folder), game)
	if !errors.Is(err, fs.ErrNotExist) {
		return l, err
	}
	names, err := Names()
	if err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("ladder: %w for %s; there are ladders for %s", ErrNone, name, strings.Join(names, ", "))
}

// Names returns the canonical game strings of the ladders that come with the
// program.
func Names() ([]string, error) {
	entries, err := fs.ReadDir(shipped, shippedDir)
	if err != nil {
		return nil, fmt.Errorf("ladder: %w", err)
	}
	var names []string
	for _, e := range entries {
		// The folder is named by models.Folder, and no name of a game has a hyphen.
		names = append(names, strings.Replace(e.Name(), "-", ":", 1))
	}
	return names, nil
}

// Open reads the ladder of a game in a folder.
func Open(fsys disk.FS, dir string, game env.Game) (*Ladder, error) {
	l, err := open(filesIn(fsys, dir), game)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, File), err)
	}
	return l, nil
}

func open(files files, game env.Game) (*Ladder, error) {
	data, err := files(File, MaxBytes)
	if err != nil {
		return nil, fmt.Errorf("ladder: %w", err)
	}
	return readLadder(data, files, onlyGame(game))
}

// onlyGame finds one game by its canonical game string.
func onlyGame(game env.Game) env.Lookup {
	return func(name string) (env.Game, error) {
		if want := game.Spec().Name; name != want {
			return nil, fmt.Errorf("the ladder is for %.60s; want %s", name, want)
		}
		return game, nil
	}
}
