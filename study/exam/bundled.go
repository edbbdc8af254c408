package exam

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"tiro/env"
	"tiro/models"
)

// shipped holds the sets of each game, sets/GAME/KIND.jsonl.gz.
//
//go:embed sets
var shipped embed.FS

// ErrNone is wrapped by Bundled's error for a game without sets.
var ErrNone = errors.New("no bundled exam")

// Bundled returns the shipped sets for game.
func Bundled(game env.Game) ([]Set, error) {
	var sets []Set
	for _, kind := range kinds() {
		path := Path(game, kind)
		data, err := shipped.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var set Set
		if err == nil {
			set, err = readText(game, path, bytes.NewReader(data))
		}
		if err == nil && set.Kind != kind {
			err = fmt.Errorf("the set is of kind %s", set.Kind)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		set.Name = kind
		sets = append(sets, set)
	}
	if len(sets) == 0 {
		return nil, fmt.Errorf("exam: %w for %s", ErrNone, game.Spec().Name)
	}
	return sets, nil
}

// Path returns the path of a game's bundled set, relative to the folder of this package.
func Path(game env.Game, kind string) string {
	return "sets/" + models.Folder(game.Spec().Name) + "/" + kind + ".jsonl.gz"
}
