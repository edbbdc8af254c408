package study

import (
	"context"
	"fmt"
	"math"
	"strings"

	"tiro/arena"
	"tiro/format"
)

// reportHeader is the header of an AblationReport.
var reportHeader = format.Header{Format: 2, What: "tiro ablation"}

// AblationReport is what an ablation found. Its JSON has the same fields.
type AblationReport struct {
	format.Header
	Game        string       `json:"game"`
	Workers     int          `json:"workers"`
	Backend     string       `json:"backend"`
	Games       int          `json:"games"` // of a match
	Simulations int          `json:"simulations"`
	Trainings   []Training   `json:"trainings"`
	Comparisons []Comparison `json:"comparisons"`
}

// Training is one run of a variant.
type Training struct {
	Variant
	Seed int    `json:"seed"`
	Run  string `json:"run"`
	Cost
}

// Comparison is a variant against the base.
type Comparison struct {
	Variant    string           `json:"variant"`
	EqualScore float64          `json:"equal_score"` // the score of equal players
	Matches    []arena.Interval `json:"matches"`     // its score by seed; an interval speaks of the two networks that met
	Score      arena.Interval   `json:"score"`       // mean; the interval is over seeds and speaks of such trainings
	Elo        arena.Interval   `json:"elo"`         // likewise
}

// compare lets every variant meet the base.
func (a *Ablation) compare(ctx context.Context, log *MatchLog) (r AblationReport, err error) {
	number, all := 0, (len(a.Variants)-1)*a.Seeds
	r = AblationReport{Header: reportHeader, Game: a.Game.Spec().Name, Workers: a.Workers, Backend: a.Backend.Name(), Simulations: a.Simulations}
	for i := range a.Variants {
		v := &a.Variants[i]
		for seed := 1; seed <= a.Seeds; seed++ {
			t := Training{Variant: *v, Seed: seed, Run: a.run(v, seed)}
			if t.Cost, err = a.cost(t.Run); err != nil {
				return r, err
			}
			r.Trainings = append(r.Trainings, t)
		}
		if i == 0 {
			continue
		}
		c := Comparison{Variant: v.Name}
		for seed := 1; seed <= a.Seeds; seed++ {
			player, err := a.player(v, seed)
			if err != nil {
				return r, err
			}
			base, err := a.player(&a.Variants[0], seed)
			if err != nil {
				return r, err
			}
			number++
			title := fmt.Sprintf("match %d of %d, %s against %s, seed %d", number, all, player.Name, base.Name, seed)
			matches := a.matches(seed, log)
			matches.left = float64(all-number+1) * matches.work(player, base, a.Games)
			m, err := matches.meet(ctx, title, player, base, a.Games)
			if err != nil {
				return r, err
			}
			r.Games, c.EqualScore = m.Games, m.EqualScore
			c.Matches = append(c.Matches, arena.Interval(m.Score))
		}
		c.Score = arena.SeedInterval(c.Matches)
		c.Elo = arena.EloInterval(c.Score, 1/c.EqualScore-1)
		r.Comparisons = append(r.Comparisons, c)
	}
	return r, nil
}

// String returns the report for people.
func (r AblationReport) String() string {
	var b strings.Builder
	width := len("variant")
	for _, t := range r.Trainings {
		width = max(width, len(t.Name))
	}
	fmt.Fprintf(&b, "%s, %d workers, backend %s\n\n", r.Game, r.Workers, r.Backend)
	fmt.Fprintf(&b, "%-*s  %4s %7s %9s %9s %11s %8s %8s %12s\n", width, "variant", "seed", "hours", "play CPU", "learn CPU", "generations", "games", "steps", "evaluations")
	for _, t := range r.Trainings {
		fmt.Fprintf(&b, "%-*s  %4d %7.3f %8.0fs %8.0fs %11d %8d %8d %12d\n", width, t.Name, t.Seed, t.Hours, t.SelfplayCPU, t.LearnCPU, t.Generations, t.Games, t.Steps, t.Evaluations)
	}
	fmt.Fprintf(&b, "\nagainst %s, %d games a seed, %d simulations a move; equal players score %s\n\n",
		r.Trainings[0].Name, r.Games, r.Simulations, percent(r.Comparisons[0].EqualScore))
	fmt.Fprintf(&b, "%-*s  %4s %7s  %s\n", width, "variant", "seed", "score", "95% interval")
	for _, c := range r.Comparisons {
		for i, s := range c.Matches {
			fmt.Fprintf(&b, "%-*s  %4d %7s  %s to %s of these two networks\n", width, c.Variant, i+1, percent(s.Value), percent(s.Low), percent(s.High))
		}
		if len(c.Matches) == 1 {
			fmt.Fprintf(&b, "%-*s  one seed does not tell how others would do\n", width, c.Variant)
			continue
		}
		fmt.Fprintf(&b, "%-*s  %4s %7s  %s to %s of such trainings; Elo %s\n", width, c.Variant, "all",
			percent(c.Score.Value), percent(c.Score.Low), percent(c.Score.High), eloText(c.Elo))
	}
	return b.String()
}

func percent(x float64) string { return fmt.Sprintf("%.1f%%", 100*x) }

// eloText returns an interval of Elo differences for people.
func eloText(i arena.Interval) string {
	bound := func(x float64) string {
		if math.IsInf(x, 0) {
			return strings.TrimSuffix(fmt.Sprintf("%+g", x), "Inf") + "∞"
		}
		return fmt.Sprintf("%+.0f", x)
	}
	return fmt.Sprintf("%s, %s to %s", bound(i.Value), bound(i.Low), bound(i.High))
}
