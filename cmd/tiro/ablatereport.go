package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"tiro/arena"
	"tiro/format"
)

// ablationHeader is the kind of file that an ablationReport makes.
var ablationHeader = format.Header{Format: 1, What: "tiro ablation"}

// ablationReport is what an ablation found. Its JSON is made of the fields.
type ablationReport struct {
	format.Header
	Game        string       `json:"game"`
	Workers     int          `json:"workers"`
	Backend     string       `json:"backend"`
	Games       int          `json:"games"` // of a match
	Simulations int          `json:"simulations"`
	Trainings   []training   `json:"trainings"`
	Comparisons []comparison `json:"comparisons"`
}

// training is one run of a variant.
type training struct {
	variant
	Seed int    `json:"seed"`
	Run  string `json:"run"`
	spent
}

// comparison is a variant against the base.
type comparison struct {
	Variant string           `json:"variant"`
	Chance  float64          `json:"chance"`  // share of the points of an equal
	Matches []arena.Interval `json:"matches"` // its share of the points by seed; an interval speaks of the two networks that met
	Share   arena.Interval   `json:"share"`   // mean; the interval is over seeds and speaks of such trainings
	Elo     arena.Interval   `json:"elo"`     // likewise
}

// compare lets every variant meet the base.
func (a *ablation) compare(ctx context.Context) (r ablationReport, err error) {
	r = ablationReport{Header: ablationHeader, Game: a.game.Spec().Name, Workers: a.workers, Backend: a.backend.Name(), Simulations: a.sims}
	for i := range a.variants {
		v := &a.variants[i]
		for seed := 1; seed <= a.seeds; seed++ {
			t := training{variant: *v, Seed: seed, Run: a.run(v, seed)}
			if t.spent, err = a.spentIn(t.Run); err != nil {
				return r, err
			}
			r.Trainings = append(r.Trainings, t)
		}
		if i == 0 {
			continue
		}
		c := comparison{Variant: v.Name}
		against := 1.0
		for seed := 1; seed <= a.seeds; seed++ {
			m, err := a.meet(ctx, v, seed)
			if err != nil {
				return r, err
			}
			r.Games, against = m.Games, m.Against
			c.Matches = append(c.Matches, m.Share)
		}
		c.Chance = 1 / (1 + against)
		c.Share = arena.SeedInterval(c.Matches)
		c.Elo = arena.EloInterval(c.Share, against)
		r.Comparisons = append(r.Comparisons, c)
	}
	return r, nil
}

// String returns the report for people.
func (r ablationReport) String() string {
	var b strings.Builder
	width := len("variant")
	for _, t := range r.Trainings {
		width = max(width, len(t.Name))
	}
	fmt.Fprintf(&b, "%s, %d workers, backend %s\n\n", r.Game, r.Workers, r.Backend)
	fmt.Fprintf(&b, "%-*s  %4s %7s %11s %8s %8s %12s\n", width, "variant", "seed", "hours", "generations", "games", "steps", "evaluations")
	for _, t := range r.Trainings {
		fmt.Fprintf(&b, "%-*s  %4d %7.3f %11d %8d %8d %12d\n", width, t.Name, t.Seed, t.Hours, t.Generations, t.Games, t.Steps, t.Evaluations)
	}
	fmt.Fprintf(&b, "\nagainst %s, %d games a seed, %d simulations a move; an equal has %s\n\n",
		baseName, r.Games, r.Simulations, percentOf(r.Comparisons[0].Chance))
	fmt.Fprintf(&b, "%-*s  %4s %7s  %s\n", width, "variant", "seed", "points", "95% interval")
	for _, c := range r.Comparisons {
		for i, s := range c.Matches {
			fmt.Fprintf(&b, "%-*s  %4d %7s  %s to %s of these two networks\n", width, c.Variant, i+1, percentOf(s.Value), percentOf(s.Low), percentOf(s.High))
		}
		if len(c.Matches) == 1 {
			fmt.Fprintf(&b, "%-*s  one seed does not tell how others would do\n", width, c.Variant)
			continue
		}
		fmt.Fprintf(&b, "%-*s  %4s %7s  %s to %s of such trainings; Elo %s\n", width, c.Variant, "all",
			percentOf(c.Share.Value), percentOf(c.Share.Low), percentOf(c.Share.High), eloOf(c.Elo))
	}
	return b.String()
}

func percentOf(x float64) string { return fmt.Sprintf("%.1f%%", 100*x) }

// eloOf returns an interval of Elo differences for people.
func eloOf(i arena.Interval) string {
	bound := func(x float64) string {
		if math.IsInf(x, 0) {
			return strings.TrimSuffix(fmt.Sprintf("%+g", x), "Inf") + "∞"
		}
		return fmt.Sprintf("%+.0f", x)
	}
	return fmt.Sprintf("%s, %s to %s", bound(i.Value), bound(i.Low), bound(i.High))
}

// saveJSON writes a value for programs to a file.
func saveJSON(path string, v any) error {
	return saveFile(path, func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(v)
	})
}
