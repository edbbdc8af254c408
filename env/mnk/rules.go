package mnk

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"tiro/env"
	"tiro/env/grid"
)

//go:embed rules.txt
var rulesText string

// Rules returns the rules under the game's options.
func (g *game) Rules() env.Rules {
	const example = "b2" // every board has it
	s := state{game: g}
	s.Play(env.Action(g.m + 1))
	return env.Rules{
		Text: strings.NewReplacer(
			"{title}", g.title(), "{m}", strconv.Itoa(g.m), "{n}", strconv.Itoa(g.n), "{k}", strconv.Itoa(g.k),
			"{board}", grid.Inset(&s),
		).Replace(rulesText),
		Moves: []env.ShownMove{{Move: example}},
	}
}

// title returns the usual name of the game.
func (g *game) title() string {
	switch {
	case g.m == 3 && g.n == 3 && g.k == 3:
		return "TIC-TAC-TOE"
	case g.m == g.n && g.k == 5 && g.m >= 9:
		return "GOMOKU"
	}
	return fmt.Sprintf("%d IN A ROW", g.k)
}
