package page

import (
	"cmp"
	"fmt"
	"slices"

	"tiro/env"
	"tiro/mcts"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/selfplay"
	"tiro/study/progress"
)

// maxFrames is the maximum number of positions of a sample game.
const maxFrames = 400

// replay returns sample games: the shortest, the median and the longest game of the newest
// generation with games, and the median one of the oldest.
func (r *Run) replay() (*progress.Replay, error) {
	re := progress.NewReplay(r.Game, maxFrames)
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
		if err := re.Add(evaluator, title(r.Game, newest.Number, [...]string{"shortest game", "median game", "longest game"}[i], e), e); err != nil {
			return nil, err
		}
	}
	if oldest.Number < newest.Number {
		for _, e := range pick(oldest.episodes, 0.5) {
			if err := re.Add(evaluator, title(r.Game, oldest.Number, "median game", e), e); err != nil {
				return nil, err
			}
		}
	}
	return re, nil
}

// pick returns the games at the given quantiles of the length.
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
	return fmt.Sprintf("Generation %d, %s: %s", generation, which, progress.Summary(game, e))
}

// opening is a sequence of first moves, with its frequencies.
type opening struct {
	Moves string
	Share []float64 // by generation of the table
}

// openings returns the most frequent first moves of games without random moves, with their
// frequencies by generation.
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
