package page

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"tiro/env"
	"tiro/mcts"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/selfplay"
)

// sample is a game that can be replayed. Its fields are those of the page's script.
type sample struct {
	Title  string  `json:"title"`
	Frames []frame `json:"frames"`
}

// frame is a position of a game, after so many actions.
type frame struct {
	Lines   []int     `json:"lines"`             // of the drawing, as indices into Drawings
	Move    string    `json:"move"`              // that has led to it; "" at the start
	Network []float64 `json:"network,omitempty"` // payoff by seat that the newest network expects
	Search  []float64 `json:"search,omitempty"`  // that the search of the game expected
	Priors  []guess   `json:"priors,omitempty"`  // the moves that the newest network likes best
	Policy  []guess   `json:"policy,omitempty"`  // those that the search liked best
	Opening bool      `json:"opening,omitempty"` // whether the next move belongs to the opening, which no search chose
}

// guess is a move with its probability.
type guess struct {
	Move string  `json:"move"`
	P    float64 `json:"p"`
}

// Replay is games that can be replayed, as a page's script takes them. Positions of a game
// are drawn alike but for a few lines, which are kept once.
type Replay struct {
	Drawings []string `json:"drawings"`
	SVG      bool     `json:"svg"`
	Seats    []string `json:"seats"`
	Games    []sample `json:"games"`

	game  env.Game
	plies int // of a game that are shown
	index map[string]int
}

// NewReplay returns a Replay without games. It shows so many plies of a game at most.
func NewReplay(game env.Game, plies int) *Replay {
	re := &Replay{game: game, plies: plies, index: map[string]int{}, Drawings: []string{}, Games: []sample{}}
	_, re.SVG = game.New().(env.SVGDrawer)
	for seat := range game.Spec().Players {
		re.Seats = append(re.Seats, env.SeatName(game, env.Player(seat)))
	}
	return re
}

// Bounds of the sample games.
const (
	maxSampled = 4   // games
	maxFrames  = 400 // positions of a game in a report
	bestMoves  = 4
)

// replay returns sample games: the shortest, a middle and the longest of the newest
// generation, and a middle one of the oldest of which there are games.
func (r *Run) replay() (*Replay, error) {
	re := NewReplay(r.Game, maxFrames)
	var evaluator mcts.Evaluator
	if r.weights != nil {
		evaluator = net.NewEvaluator(r.Game, net.Compile(kernel.Best(), r.weights), 1)
	}
	if len(r.played) == 0 {
		return re, nil
	}
	newest, oldest := r.played[len(r.played)-1], r.played[0]
	chosen := pick(newest.episodes, 0, 0.5, 1)
	for i, e := range chosen {
		if err := re.Add(evaluator, title(r.Game, newest.Number, [...]string{"the shortest", "a middle one", "the longest"}[i], e), e); err != nil {
			return nil, err
		}
	}
	if oldest.Number < newest.Number {
		for _, e := range pick(oldest.episodes, 0.5) {
			if err := re.Add(evaluator, title(r.Game, oldest.Number, "a middle one", e), e); err != nil {
				return nil, err
			}
		}
	}
	return re, nil
}

// pick returns the games at parts of the way from the shortest to the longest.
func pick(episodes []selfplay.Episode, parts ...float64) (chosen []*selfplay.Episode) {
	if len(episodes) == 0 {
		return nil
	}
	order := make([]*selfplay.Episode, len(episodes))
	for i := range episodes {
		order[i] = &episodes[i]
	}
	slices.SortStableFunc(order, func(a, b *selfplay.Episode) int { return cmp.Compare(len(a.Actions), len(b.Actions)) })
	for _, part := range parts {
		chosen = append(chosen, order[int(part*float64(len(order)-1))])
	}
	return chosen
}

// title returns the title of a game of a generation.
func title(game env.Game, generation int, which string, e *selfplay.Episode) string {
	return fmt.Sprintf("Generation %d, %s: %s", generation, which, Summary(game, e))
}

// Summary says how long a game was, who won, and how it ended.
func Summary(game env.Game, e *selfplay.Episode) string {
	return fmt.Sprintf("%d plies, %s, %s", len(e.Actions), outcome(game, e.Result), cmp.Or(e.Ending, "ended"))
}

// Add adds a game, with the opinions of a network at each position unless evaluator is
// nil.
func (re *Replay) Add(evaluator mcts.Evaluator, title string, e *selfplay.Episode) error {
	s, before := e.Rules.New(), e.Rules.New()
	players := re.game.Spec().Players
	game := sample{Title: title}
	move, at := "", 0
	for ply := 0; ply <= min(len(e.Actions), re.plies); ply++ {
		f := frame{Lines: re.draw(s, before, ply > 0), Move: move, Opening: ply < e.Opening}
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
		if ply < len(e.Actions) {
			before.CopyFrom(s)
			move = fmt.Sprintf("%s: %s", env.SeatName(re.game, s.Turn()), s.ActionString(e.Actions[ply]))
			s.Play(e.Actions[ply])
		}
	}
	re.Games = append(re.Games, game)
	return nil
}

// draw returns the lines of a position's drawing.
func (re *Replay) draw(s, before env.State, moved bool) []int {
	text := ""
	if !moved {
		before = nil
	}
	if d, ok := s.(env.SVGDrawer); ok {
		text = d.DrawSVG(before)
	} else {
		text = env.Draw(s, env.Screen{Since: before})
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

// best returns the most probable moves, the best first.
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

// outcome says who has won.
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
	return strings.Join(winners, " and ") + " won"
}

// opening is how some games of a generation began.
type opening struct {
	Moves string
	Share []float64 // by generation of the table
}

// openings returns the first moves of the games that began without random ones, by
// generation: those that are most frequent in any.
func (r *Run) openings() (generations []int, all []opening) {
	const shown = 10
	shares := make([]map[string]float64, 0, len(r.played))
	most := map[string]float64{}
	var order []string
	for _, g := range r.played {
		counts, games := map[string]float64{}, 0.0
		for i := range g.episodes {
			e := &g.episodes[i]
			if e.Opening > 0 || len(e.Actions) < 2 {
				continue
			}
			s := e.Rules.New()
			first := s.ActionString(e.Actions[0])
			s.Play(e.Actions[0])
			first += " " + s.ActionString(e.Actions[1])
			counts[first]++
			games++
			if _, ok := most[first]; !ok {
				most[first] = 0
				order = append(order, first)
			}
		}
		if games == 0 {
			continue
		}
		for _, moves := range order {
			counts[moves] /= games
			most[moves] = max(most[moves], counts[moves])
		}
		generations, shares = append(generations, g.Number), append(shares, counts)
	}
	slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(most[b], most[a]) })
	for _, moves := range order[:min(shown, len(order))] {
		o := opening{Moves: moves}
		for _, s := range shares {
			o.Share = append(o.Share, s[moves])
		}
		all = append(all, o)
	}
	return generations, all
}
