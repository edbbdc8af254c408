package page

import (
	"cmp"
	"fmt"
	"slices"

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
	if len(r.played) == 0 {
		return re, nil
	}
	evaluator := net.NewEvaluator(r.Game, net.Compile(kernel.Best(), r.weights), 1)
	newest, oldest := r.played[len(r.played)-1], r.played[0]
	samples := []sample{{newest, "shortest", 0}, {newest, "median", 0.5}, {newest, "longest", 1}}
	if oldest.Number < newest.Number {
		samples = append(samples, sample{oldest, "median", 0.5})
	}
	for _, s := range samples {
		if len(s.episodes) == 0 {
			continue
		}
		e := s.pick()
		title := fmt.Sprintf("Generation %d, %s game: %s", s.Number, s.which, progress.Summary(r.Game, e))
		if err := re.Add(evaluator, title, e); err != nil {
			return nil, err
		}
	}
	return re, nil
}

// sample is the game of a generation at a quantile of the length.
type sample struct {
	generation
	which string
	part  float64
}

func (s *sample) pick() *selfplay.Episode {
	byLength := func(a, b selfplay.Episode) int { return cmp.Compare(len(a.Actions), len(b.Actions)) }
	order := slices.SortedStableFunc(slices.Values(s.episodes), byLength)
	return &order[int(s.part*float64(len(order)-1))]
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
