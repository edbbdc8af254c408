package study

import (
	"context"
	"fmt"

	"tiro/arena"
	"tiro/net"
	"tiro/selfplay"
	"tiro/train"
)

// Predictions compares networks by how well they predict the moves and results of a run's games.
type Predictions struct {
	Networks []string  `json:"networks"` // the first is the base
	Games    int       `json:"games"`
	Samples  int       `json:"samples"` // positions with a policy of a search
	Baseline float64   `json:"baseline"`
	Measures []Measure `json:"measures"` // policy KL and outcome loss
}

// Predict measures networks, named by p.Networks, on all games of a window. It calls
// progress with the number of games that a network has predicted since the last call. Networks
// that learned from these games seem better than they are.
func (p *Predictions) Predict(ctx context.Context, w *Window, backend net.Backend, networks []*net.Weights, progress func(games int)) error {
	sets := make([][]selfplay.Episode, fitParts)
	for i, game := range w.games {
		sets[i%fitParts] = append(sets[i%fitParts], game.episode)
		p.Samples += len(game.episode.Samples)
	}
	p.Games = w.Games()
	fits := make([][]*Fitted, len(networks))
	for v, weights := range networks {
		var fit Fitted
		counted := func(yield func([]selfplay.Episode) bool) {
			for _, set := range sets {
				if ctx.Err() != nil || !yield(set) {
					return
				}
				progress(len(set))
			}
		}
		var err error
		if fit.Parts, p.Baseline, err = train.Measure(w.Game, backend, weights, counted); err != nil {
			return fmt.Errorf("%s: %w", p.Networks[v], err)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		fits[v] = []*Fitted{&fit}
	}
	for _, l := range fitLosses {
		m := Measure{Name: l.name, Digits: 4}
		for v, name := range p.Networks {
			x := Measured{Name: name, Mean: l.interval(fits[v], nil)}
			x.Values = []float64{x.Mean.Value}
			if v > 0 {
				difference := l.interval(fits[v], fits[0])
				x.Difference = &difference
			}
			m.Variants = append(m.Variants, x)
		}
		p.Measures = append(p.Measures, m)
	}
	return nil
}

// interval returns the mean loss on all games, minus the base's, and its 95% interval over other
// games.
func (l loss) interval(fit, base []*Fitted) arena.Interval {
	mean, games := l.overParts(fit, base)
	return games.Interval(mean, 1, arena.Pooled{})
}

// String returns a table for each measure.
func (p *Predictions) String() string {
	text := fmt.Sprintf("%d samples from %d games; baseline (average result): %.4f outcome loss; lower is better\n", p.Samples, p.Games, p.Baseline)
	for _, m := range p.Measures {
		text += "\n" + m.Name + "\n" + m.table("network")
	}
	return text
}
