package player

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tiro/format"
)

// Level is a playing strength for human opponents: a number of simulations, and a temperature
// with which moves are drawn from the policy of the search. Both stay the same during a game,
// so that a weak level plays plausible moves with small errors throughout, instead of mixing
// random moves with perfect ones. The levels were rated on the game's ladder with its bundled
// model (make levels; docs/RATINGS.md#levels).
type Level struct {
	Simulations int     `json:"simulations"`
	Temperature float64 `json:"temperature"` // temperature of drawing moves
	Elo         float64 `json:"elo"`         // above the anchor of the game's ladder
	Error       float64 `json:"error"`       // half the 95% interval of Elo
}

// Scale holds the levels of a game, from weak to strong.
type Scale struct {
	Game    string  `json:"game"`    // canonical game string
	Weights string  `json:"weights"` // SHA-256 of the model that was rated
	Anchor  string  `json:"anchor"`  // player of the ladder whose rating is 0
	Levels  []Level `json:"levels"`
}

// ScaleFile is the content of levels.json.
type ScaleFile struct {
	Scales []Scale `json:"scales"`
}

//go:embed levels.json
var rated []byte

// Scales returns the scales of all games that have been rated.
func Scales() ([]Scale, error) {
	var f ScaleFile
	if err := format.DecodeStrict(rated, &f); err != nil {
		return nil, fmt.Errorf("player: levels: %w", err)
	}
	return f.Scales, nil
}

// FindScale returns the scale of a game string. If it has none, FindScale returns the scale of
// another game string of the same game, or else of the first game, whose Elo mean little here.
// rated reports whether the scale belongs to the game string itself.
func FindScale(game string) (s Scale, rated bool, err error) {
	all, err := Scales()
	if err != nil {
		return s, false, err
	}
	if len(all) == 0 {
		return s, false, errors.New("player: levels: no scales")
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

// LevelOf returns level n of a game, from 1.
func LevelOf(game string, n int) (Level, error) {
	s, _, err := FindScale(game)
	if err != nil {
		return Level{}, err
	}
	if n < 1 || n > len(s.Levels) {
		return Level{}, fmt.Errorf("level %d does not exist: %s has levels 1 to %d", n, game, len(s.Levels))
	}
	return s.Levels[n-1], nil
}
