package igo

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"tiro/env"
)

//go:embed rules.txt
var rulesText string

// Rules returns the rules under the game's options.
func (g *game) Rules() env.Rules {
	suicide, begins := "You may not play where your chain would have no liberty, unless you capture.", "Black begins."
	if g.suicide {
		suicide = "If your own chain then has no liberty, it is removed as well."
	}
	if g.start.turn == White {
		begins = "Black has handicap stones, and White begins."
	}
	s := g.New().(*state)
	middle := env.Action(g.size / 2 * (g.size + 1))
	if s.colour[middle] != empty {
		middle = 0
	}
	move := s.ActionString(middle)
	s.Play(middle)
	board := strings.TrimSuffix(s.Draw(env.Screen{}), "\n")
	return env.Rules{
		Text: strings.NewReplacer(
			"{size}", strconv.Itoa(g.size), "{suicide}", suicide, "{begins}", begins, "{komi}", fmt.Sprint(float64(g.halfKomi)/2),
			"{plies}", strconv.Itoa(g.maxPlies()), "{move}", move, "{board}", "  "+strings.ReplaceAll(board, "\n", "\n  "),
		).Replace(rulesText),
		Moves: []env.ShownMove{{Move: move}, {Move: passName}},
	}
}

var _ env.Describer = (*game)(nil)

// Describe implements env.Describer.
func (g *game) Describe() env.Description {
	planes := []env.Plane{
		{Name: "own-stones", Meaning: "1 where the mover has a stone"},
		{Name: "enemy-stones", Meaning: "1 where the other player has a stone"},
	}
	for _, who := range [...][2]string{{"own", "the mover's"}, {"enemy", "the other player's"}} {
		for n := 1; n <= 3; n++ {
			planes = append(planes, env.Plane{
				Name:    fmt.Sprintf("%s-liberties-%d", who[0], n),
				Meaning: fmt.Sprintf("1 where the number of liberties of a chain of %s is %d", who[1], n),
			})
		}
	}
	return env.Description{
		Frame: "row 0 is the lowest, column 0 the leftmost, for both players",
		Planes: append(planes,
			env.Plane{Name: "forbidden", Meaning: "1 where the point is empty and the mover may not play"},
			env.Plane{Name: "last-move", Meaning: "1 where the last move was"},
			env.Plane{Name: "move-before", Meaning: "1 where the move before the last was"},
			env.Plane{Name: "passed", Meaning: "1 everywhere if the last move was a pass"},
			env.Plane{Name: "komi", Meaning: "everywhere: komi in points divided by 16, below 0 if the mover is Black"},
			env.Plane{Name: "board", Meaning: "1 everywhere"},
		),
		Actions: []string{"put a stone on the point", "pass (at the first cell)"},
	}
}

// CellName returns the column's letter and the row's number, such as d3.
func (g *game) CellName(_ env.Player, cell int) string { return g.pointName(cell) }

// ActionName implements env.Describer.
func (g *game) ActionName(_ env.Player, a env.Action) string {
	switch {
	case a == g.pass():
		return passName
	case a < g.pass():
		return g.pointName(int(a))
	}
	return ""
}
