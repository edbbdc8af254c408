package coerceo

import (
	_ "embed"
	"fmt"
	"strings"

	"tiro/env"
)

//go:embed rules.txt
var rulesText string

var _ env.Explainer = (*Game)(nil)

// Rules returns the rules with the game's options, for people.
func (g *Game) Rules() env.Rules {
	rules := &g.start.rules
	price := [...]string{1: "one collected tile", 2: "two collected tiles"}[g.start.pos.price]
	return env.Rules{
		Text: strings.NewReplacer("{goal}", rules.goal(), "{price}", price, "{end}", rules.explainEnd()).Replace(rulesText),
		Moves: []env.ShownMove{
			{Move: "d1e-d1c"},
			{Move: "xa3f", Position: strings.Replace(startPosition, "w 0 0", "w 2 0", 1)},
		},
	}
}

// goal says how to win.
func (r *rules) goal() string {
	switch {
	case !r.twelve():
		return "You win by taking the opponent's last piece off the board."
	case r.exchangeCounts:
		return "You win by taking twelve of the opponent's pieces off the board."
	}
	return "You win by capturing twelve of the opponent's pieces. Pieces that you take by exchange do not count."
}

// explainEnd says what else ends the game.
func (r *rules) explainEnd() string {
	says := []string{"Whoever reaches the goal above wins at once."}
	if r.dead() {
		says = append(says, "If neither player could ever remove a piece again, the game is a draw.")
	}
	verdict := "the game is a draw"
	if r.noMoveLoses {
		verdict = "you lose"
	}
	says = append(says, fmt.Sprintf("If you can neither move nor exchange on your turn, %s.", verdict))
	if r.win == competitive {
		says = append(says, "A player on turn whose position has occurred three times may claim a draw, by typing claim.")
	} else if r.repetition > 0 {
		says = append(says, fmt.Sprintf("It is a draw, too, when a position occurs for the %s time.",
			[...]string{2: "second", 3: "third", 4: "fourth", 5: "fifth"}[r.repetition]))
	}
	limit := fmt.Sprintf("after %d turns in all, counting those of both players.", r.maxPlies)
	if r.noProgress > 0 {
		limit = fmt.Sprintf("after %d turns in a row in which no piece and no tile has left the board, or %s", r.noProgress, limit)
	}
	return strings.Join(append(says, "To keep games from going on for ever, the game is a draw "+limit), " ")
}
