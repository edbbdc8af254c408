package exam

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"tiro/env"
	"tiro/format"
)

// Sets returns the sets in files for a game. Files named *.jsonl or *.jsonl.gz are read by
// Read. Other files contain solved positions, one per line, for games with an exact solver.
// Without files it returns the game's shipped sets or, if there are none, all positions of the
// game, which must be small.
func Sets(game env.Game, files []string) (all []Set, err error) {
	for _, file := range files {
		set, err := readFile(game, file)
		if err != nil {
			return nil, err
		}
		all = append(all, set)
	}
	if len(files) > 0 {
		return all, nil
	}
	if all, err = Bundled(game); !errors.Is(err, ErrNone) {
		return all, err
	}
	whole, err := Solve(game)
	return []Set{whole}, err
}

// ErrNoSolver is wrapped by Sets' error for files of solved positions if the game has no exact
// solver.
var ErrNoSolver = errors.New("no exact solver of its positions")

// readFile reads a set from a file.
func readFile(game env.Game, file string) (Set, error) {
	f, err := os.Open(file)
	if err != nil {
		return Set{}, err
	}
	defer f.Close()
	set, err := readText(game, file, f)
	if err != nil {
		return Set{}, fmt.Errorf("%s: %w", file, err)
	}
	set.Name = file
	return set, nil
}

// readText reads the content of a file, decompressed if its name ends in .gz.
func readText(game env.Game, name string, text io.Reader) (_ Set, err error) {
	name, packed := strings.CutSuffix(name, ".gz")
	if packed {
		if text, err = gzip.NewReader(text); err != nil {
			return Set{}, err
		}
	}
	text = format.TextReader(text)
	if strings.HasSuffix(name, ".jsonl") {
		return Read(text, game)
	}
	solvable, ok := game.(env.Solvable)
	if !ok {
		return Set{}, fmt.Errorf("%s has %w; use a set named *.jsonl", game.Spec().Name, ErrNoSolver)
	}
	return readSolved(solvable, text)
}

// maxSolved is the maximum number of positions of which only the value is known. A small
// compressed file may hold any number of lines.
const maxSolved = 1 << 17

// readSolved reads positions with known values, one per line in the format of
// env.Solvable.ParseSolved. Errors contain the line number.
func readSolved(game env.Solvable, r io.Reader) (Set, error) {
	set := solvedSet(game, func() judge { return game.NewJudge() })
	err := eachLine(r, maxSolved, func(_ int, text []byte) error {
		s, value, err := game.ParseSolved(strings.TrimSuffix(string(text), "\r"))
		if err == nil {
			set.add(s, value)
		}
		return err
	})
	if err == nil && len(set.Questions) == 0 {
		err = errors.New("no positions")
	}
	if err != nil {
		return Set{}, err
	}
	return set, nil
}
