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

// Rules returns the rules under the game's options.
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

// goal describes how to win.
func (r *rules) goal() string {
	switch {
	case !r.twelve():
		return "You win by taking the opponent's last piece off the board."
	case r.exchangeCounts:
		return "You win by taking twelve of the opponent's pieces off the board."
	}
	return "You win by capturing twelve of the opponent's pieces. Pieces that you take by exchange do not count."
}

// explainEnd describes how else the game ends.
func (r *rules) explainEnd() string {
	sentences := []string{"A player who reaches this goal wins at once."}
	if r.dead() {
		sentences = append(sentences, "If neither player could ever remove a piece again, the game is a draw.")
	}
	verdict := "the game is a draw"
	if r.noMoveLoses {
		verdict = "you lose"
	}
	sentences = append(sentences, fmt.Sprintf("If you can neither move nor exchange on your turn, %s.", verdict))
	if r.win == competitive {
		sentences = append(sentences, "If the current position has occurred three times, the player on turn may claim a draw by typing claim.")
	} else if r.repetition > 0 {
		sentences = append(sentences, fmt.Sprintf("The game is also drawn when a position occurs for the %s time.",
			[...]string{2: "second", 3: "third", 4: "fourth", 5: "fifth"}[r.repetition]))
	}
	limit := fmt.Sprintf("after %d turns of both players in total.", r.maxPlies)
	if r.noProgress > 0 {
		limit = fmt.Sprintf("after %d turns in a row in which no piece and no tile has left the board, or %s", r.noProgress, limit)
	}
	return strings.Join(append(sentences, "To keep games finite, the game is drawn "+limit), " ")
}
