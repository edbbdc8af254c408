package study

import (
	"context"
	"fmt"
	"math"
	"strings"

	"tiro/arena"
	"tiro/study/ladder"
)

// AblationReport is what an ablation found. Its JSON has the same fields.
type AblationReport struct {
	Game        string       `json:"game"`
	Workers     int          `json:"workers"`
	Backend     string       `json:"backend"`
	Games       int          `json:"games"` // of a match
	Simulations int          `json:"simulations"`
	Trainings   []Training   `json:"trainings"`
	Comparisons []Comparison `json:"comparisons"`

	// Of the ratings of trainings with the same settings, the games they played included;
	// 0 if there are too few trainings to tell.
	Deviation float64 `json:"deviation"` // standard deviation, Elo
	Freedom   int     `json:"freedom"`   // degrees of freedom from which it is known
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
	Variant    string         `json:"variant"`
	EqualScore float64        `json:"equal_score"` // the score of equal players
	Matches    []Meeting      `json:"matches"`     // of all its trainings with all of the base
	Elo        arena.Interval `json:"elo"`         // above the base; the interval speaks of such trainings
	Score      arena.Interval `json:"score"`       // what Elo stands for
}

// report describes the trainings and lets every variant meet the base.
func (a *Ablation) report(ctx context.Context, log *arena.GameLog) (r AblationReport, err error) {
	r = AblationReport{Game: a.Game.Spec().Name, Workers: a.Workers, Backend: a.Backend.Name(), Simulations: a.Simulations}
	for i := range a.Variants {
		for seed := 1; seed <= a.Seeds; seed++ {
			t := Training{Variant: a.Variants[i], Seed: seed, Run: a.run(&a.Variants[i], seed)}
			if t.Cost, err = a.cost(t.Run); err != nil {
				return r, err
			}
			r.Trainings = append(r.Trainings, t)
		}
	}
	m, err := a.meet(ctx, log)
	if err != nil {
		return r, err
	}
	elo, s := m.ratings()
	r.Games, r.Freedom, r.Deviation = m.all[0][0][0].games, int(s.Freedom), math.Sqrt(s.Variance)
	for v, seeds := range m.all {
		c := Comparison{Variant: a.Variants[v+1].Name, EqualScore: m.equal, Elo: elo[v], Score: m.scores(elo[v])}
		for _, row := range seeds {
			c.Matches = append(c.Matches, row...)
		}
		r.Comparisons = append(r.Comparisons, c)
	}
	return r, nil
}

// meet lets every training of a variant meet all of the base.
func (a *Ablation) meet(ctx context.Context, log *arena.GameLog) (*meetings, error) {
	m := &meetings{}
	number, all := 0, (len(a.Variants)-1)*a.Seeds*a.Seeds
	for i := range a.Variants[1:] {
		v := &a.Variants[i+1]
		var rows [][]Meeting
		for seed := 1; seed <= a.Seeds; seed++ {
			player, err := a.player(v, seed)
			if err != nil {
				return nil, err
			}
			var row []Meeting
			for other := 1; other <= a.Seeds; other++ {
				opponent, err := a.player(&a.Variants[0], other)
				if err != nil {
					return nil, err
				}
				number++
				title := fmt.Sprintf("match %d of %d, %s seed %d against %s seed %d", number, all, v.Name, seed, a.Variants[0].Name, other)
				report, err := a.play(ctx, log, title, a.match(matchSeed(seed, other), player, opponent))
				if err != nil {
					return nil, err
				}
				first := report.Players[0]
				m.equal = first.EqualScore
				row = append(row, Meeting{Seed: seed, Base: other, Score: first.Score, games: report.Games})
			}
			rows = append(rows, row)
		}
		m.all = append(m.all, rows)
	}
	return m, nil
}

// play returns the report of a match, of which it plays the games that the log lacks.
func (a *Ablation) play(ctx context.Context, log *arena.GameLog, title string, m arena.Match) (arena.Report, error) {
	if err := log.Resume(&m, arena.Builder{Tiro: a.Tiro, Backend: a.Backend.Name()}); err != nil {
		return arena.Report{}, err
	}
	if a.Progress != nil && len(m.Finished) < m.Games {
		game, end := a.Progress(ladder.Upcoming{Title: title, Most: m.Games, Games: m.Games})
		defer end()
		m.Progress = game
	}
	return arena.Play(ctx, m)
}

// matchSeed returns the seed of the match between a training of a variant and one of the
// base, so that the matches of a variant have different openings.
func matchSeed(seed, base int) uint64 { return uint64(seed) + 1_000_000*uint64(base-1) }

// String returns the report for people.
func (r AblationReport) String() string {
	var b strings.Builder
	width := len("variant")
	for _, t := range r.Trainings {
		width = max(width, len(t.Name))
	}
	fmt.Fprintf(&b, "%s, %d workers, backend %s\n\n", r.Game, r.Workers, r.Backend)
	fmt.Fprintf(&b, "%-*s  %4s %9s %11s %8s %8s\n", width, "variant", "seed", "CPU", "generations", "games", "steps")
	for _, t := range r.Trainings {
		fmt.Fprintf(&b, "%-*s  %4d %8.0fs %11d %8d %8d\n", width, t.Name, t.Seed, t.CPUSeconds, t.Generations, t.Games, t.Steps)
	}
	fmt.Fprintf(&b, "\nagainst %s, %d games a match, %d simulations a move; equal players score %s\n\n",
		r.Trainings[0].Name, r.Games, r.Simulations, percent(r.Comparisons[0].EqualScore))
	fmt.Fprintf(&b, "%-*s  %4s %4s %7s  %s\n", width, "variant", "seed", "base", "score", "95% interval")
	for _, c := range r.Comparisons {
		for _, m := range c.Matches {
			fmt.Fprintf(&b, "%-*s  %4d %4d %7s  %s to %s of these two networks\n", width, c.Variant, m.Seed, m.Base, percent(m.Score.Value), percent(m.Score.Low), percent(m.Score.High))
		}
		if r.Freedom == 0 {
			fmt.Fprintf(&b, "%-*s  one seed does not tell how others would do\n", width, c.Variant)
			continue
		}
		fmt.Fprintf(&b, "%-*s  %4s %4s %7s  %s to %s of such trainings; Elo %s\n", width, c.Variant, "all", "all",
			percent(c.Score.Value), percent(c.Score.Low), percent(c.Score.High), eloText(c.Elo))
	}
	if r.Freedom > 0 {
		fmt.Fprintf(&b, "\ntrainings with the same settings deviate by %.0f Elo (%d degrees of freedom)\n", r.Deviation, r.Freedom)
	}
	b.WriteString(compared(len(r.Comparisons)))
	return b.String()
}

// compared warns of comparing many variants.
func compared(variants int) string {
	if variants < 2 {
		return ""
	}
	return fmt.Sprintf("\n%d variants were compared; without any effect, one interval in 20 would show one\n", variants)
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
