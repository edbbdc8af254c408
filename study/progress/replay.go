package progress

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"tiro/env"
	"tiro/mcts"
	"tiro/play"
	"tiro/selfplay"
)

// bestMoves is how many moves a position of a Replay lists.
const bestMoves = 4

// sample is a game of a Replay. The page's script reads its fields.
type sample struct {
	Title  string  `json:"title"`
	Frames []frame `json:"frames"`
}

// frame is one position of a game.
type frame struct {
	Lines   []int     `json:"lines"`             // lines of the drawing, as indices into Replay.Drawings
	Move    string    `json:"move"`              // the move that led here; "" at the start
	Network []float64 `json:"network,omitempty"` // payoff by seat that the newest network expects
	Search  []float64 `json:"search,omitempty"`  // payoff by seat that the search expected during the game
	Priors  []guess   `json:"priors,omitempty"`  // the newest network's best moves
	Policy  []guess   `json:"policy,omitempty"`  // the search's best moves
	Opening bool      `json:"opening,omitempty"` // whether the next move belongs to the opening, which no search chose
}

// guess is a move with its probability.
type guess struct {
	Move string  `json:"move"`
	P    float64 `json:"p"`
}

// Replay holds games for a page's script, which steps through them. Most lines of a drawing
// are the same in many positions, so each distinct line is stored once, in Drawings.
type Replay struct {
	Drawings []string `json:"drawings"`
	SVG      bool     `json:"svg"`
	Seats    []string `json:"seats"`
	Games    []sample `json:"games"`

	game  env.Game
	plies int // actions shown of each game, at most
	index map[string]int
}

// NewReplay returns a Replay without games. It will show at most the first plies actions of
// each game.
func NewReplay(game env.Game, plies int) *Replay {
	re := &Replay{game: game, plies: plies, index: map[string]int{}, Drawings: []string{}, Seats: env.SeatNames(game), Games: []sample{}}
	_, re.SVG = game.New().(env.SVGDrawer)
	return re
}

// Summary returns the length, the winner and the ending of a game, as in "42 plies, White won,
// no-moves".
func Summary(game env.Game, e *selfplay.Episode) string {
	return fmt.Sprintf("%d plies, %s, %s", len(e.Actions), outcome(game, e.Result), cmp.Or(e.Ending, "ended"))
}

// Add adds a game with the recorded findings of its searches. If evaluator is not nil, it also
// adds the evaluator's values and priors at each position.
func (re *Replay) Add(evaluator mcts.Evaluator, title string, e *selfplay.Episode) error {
	t := play.NewTable(e.Rules, nil, e.Rules.New())
	t.Play(e.Actions[:min(len(e.Actions), re.plies)]...)
	players := re.game.Spec().Players
	game, at := sample{Title: title}, 0
	for ply, s := range t.States {
		f := frame{Lines: re.draw(s, t.Since(ply)), Opening: ply < e.Opening}
		if ply > 0 {
			before := t.States[ply-1]
			f.Move = fmt.Sprintf("%s: %s", env.SeatName(re.game, before.Turn()), before.ActionString(t.History[ply-1]))
		}
		if legal := s.Legal(nil); len(legal) > 0 && evaluator != nil {
			leaf := &mcts.Leaf{State: s, Legal: legal, Prior: make([]float32, len(legal))}
			if err := evaluator.Evaluate(context.Background(), []*mcts.Leaf{leaf}); err != nil {
				return err
			}
			f.Network = payoffs(leaf.Value, players)
			var all []guess
			for i, a := range legal {
				all = append(all, guess{s.ActionString(a), hundredths(float64(leaf.Prior[i]))})
			}
			f.Priors = best(all)
		}
		for at < len(e.Samples) && e.Samples[at].Ply < ply {
			at++
		}
		if at < len(e.Samples) && e.Samples[at].Ply == ply {
			f.Search = payoffs(e.Samples[at].Value, players)
			var all []guess
			for _, p := range e.Samples[at].Policy {
				all = append(all, guess{s.ActionString(env.Action(p.Action)), hundredths(float64(p.Weight) / selfplay.Scale)})
			}
			f.Policy = best(all)
		}
		game.Frames = append(game.Frames, f)
	}
	re.Games = append(re.Games, game)
	return nil
}

// draw draws s, marking the changes since the earlier state since, and returns the lines
// of the drawing as indices into Drawings.
func (re *Replay) draw(s, since env.State) []int {
	text := ""
	if d, ok := s.(env.SVGDrawer); ok {
		text = d.DrawSVG(since)
	} else {
		text = env.Draw(s, env.Screen{Since: since})
	}
	var lines []int
	for line := range strings.Lines(text) {
		i, ok := re.index[line]
		if !ok {
			i = len(re.Drawings)
			re.index[line] = i
			re.Drawings = append(re.Drawings, line)
		}
		lines = append(lines, i)
	}
	return lines
}

// best returns the bestMoves most probable moves, in descending order.
func best(all []guess) []guess {
	slices.SortStableFunc(all, func(a, b guess) int { return cmp.Compare(b.P, a.P) })
	return all[:min(len(all), bestMoves)]
}

func payoffs(v env.Value, players int) []float64 {
	all := make([]float64, players)
	for seat := range all {
		all[seat] = hundredths(float64(v[seat]))
	}
	return all
}

func hundredths(x float64) float64 { return math.Round(100*x)/100 + 0 } // +0: never -0

// outcome returns the result of a game as text, such as "White won" or "a draw".
func outcome(game env.Game, v env.Value) string {
	players := game.Spec().Players
	most := slices.Max(v[:players])
	var winners []string
	for seat := range players {
		if v[seat] == most {
			winners = append(winners, env.SeatName(game, env.Player(seat)))
		}
	}
	if len(winners) == players {
		return "a draw"
	}
	return env.Enumerate(winners) + " won"
}
