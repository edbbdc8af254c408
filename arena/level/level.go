package level

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tiro/arena"
	"tiro/format"
)

// Level is a strength.
type Level struct {
	Simulations int     `json:"simulations"`
	Temperature float64 `json:"temperature"` // see arena.NetworkKind
	Elo         float64 `json:"elo"`         // above the anchor of the game's ladder
	Error       float64 `json:"error"`       // half the 95% interval of Elo
}

// Settings returns what a network player of the level has behind its name.
func (l Level) Settings() string {
	return fmt.Sprintf("sims=%d,temperature=%s", l.Simulations, strconv.FormatFloat(l.Temperature, 'g', -1, 64))
}

// Scale is the levels of a game, from weak to strong.
type Scale struct {
	Game    string  `json:"game"`    // canonical game string
	Weights string  `json:"weights"` // SHA-256 of the model that was rated
	Anchor  string  `json:"anchor"`  // of the ladder: the player whose rating is 0
	Levels  []Level `json:"levels"`
}

// File is the file of all scales.
type File struct {
	format.Header
	Scales []Scale `json:"scales"`
}

// FileHeader is the header of the file.
var FileHeader = format.Header{Format: 1, What: "tiro levels"}

//go:embed levels.json
var rated []byte

// All returns the scales of all games that have been rated.
func All() ([]Scale, error) {
	var f File
	if err := format.DecodeJSON(rated, FileHeader, &f); err != nil {
		return nil, fmt.Errorf("level: %w", err)
	}
	return f.Scales, nil
}

// Find returns the levels of a game string: its own, those of another game string of the
// same game, or those of the first game, whose Elo are then worth little; rated says
// whether they are its own.
func Find(game string) (s Scale, rated bool, err error) {
	all, err := All()
	if err != nil {
		return s, false, err
	}
	if len(all) == 0 {
		return s, false, errors.New("level: no game has been rated")
	}
	base := func(name string) string { name, _, _ = strings.Cut(name, ":"); return name }
	for _, same := range []func(string) bool{
		func(name string) bool { return name == game },
		func(name string) bool { return base(name) == base(game) },
	} {
		if i := slices.IndexFunc(all, func(s Scale) bool { return same(s.Game) }); i >= 0 {
			return all[i], all[i].Game == game, nil
		}
	}
	return all[0], false, nil
}

// Expand returns the name of a player with the settings of its level in place of level=N, if
// that is in it, as in bundled,level=3. It fails for a level that game, a canonical game
// string, does not have, and beside a budget or a temperature.
func Expand(game, player string) (string, error) {
	words := strings.Split(player, ",")
	at := slices.IndexFunc(words, func(word string) bool { return strings.HasPrefix(word, "level=") })
	if at < 1 || strings.HasPrefix(player, "ugi:") {
		return player, nil
	}
	for _, word := range words[1:] {
		if _, draws, _ := arena.ParseTemperature(word); draws || arena.IsBudget(word) {
			return "", fmt.Errorf("%s: %s and %s; a level is both simulations and a temperature", player, words[at], word)
		}
	}
	text := strings.TrimPrefix(words[at], "level=")
	n, err := strconv.Atoi(text)
	if err != nil {
		return "", fmt.Errorf("%s: level %q; want a number", player, text)
	}
	l, err := Get(game, n)
	if err != nil {
		return "", fmt.Errorf("%s: %w", player, err)
	}
	words[at] = l.Settings()
	return strings.Join(words, ","), nil
}

// Get returns level n of a game, from 1.
func Get(game string, n int) (Level, error) {
	s, _, err := Find(game)
	if err != nil {
		return Level{}, err
	}
	if n < 1 || n > len(s.Levels) {
		return Level{}, fmt.Errorf("level %d; %s has levels 1 to %d", n, game, len(s.Levels))
	}
	return s.Levels[n-1], nil
}
