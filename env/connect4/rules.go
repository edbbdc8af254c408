package connect4

import (
	_ "embed"

	"tiro/env"
)

//go:embed rules.txt
var rulesText string

// Rules returns the rules of the game.
func (*game) Rules() env.Rules {
	return env.Rules{Text: rulesText, Moves: []env.ShownMove{{
		Move:     "1",
		Position: "......./......./......./...o.../..ox.../.xxxo..",
	}}}
}
