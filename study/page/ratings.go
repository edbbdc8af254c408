package page

import (
	"cmp"
	"errors"
	"io"
	"slices"

	"tiro/study/chart"
	"tiro/study/ladder"
)

// curve holds the rated checkpoints of a run with the same settings, oldest first, without
// checkpoints of which only a bound is known.
type curve struct {
	name        string
	checkpoints []ladder.Standing
}

// curves returns the curves in a report, in the order of the report.
func curves(report *ladder.Report) (all []curve) {
	for _, s := range report.Players {
		c := s.Checkpoint
		if !s.Candidate || c == nil || s.Error == nil {
			continue
		}
		i := slices.IndexFunc(all, func(o curve) bool { return o.name == s.Curve() })
		if i < 0 {
			i = len(all)
			all = append(all, curve{name: s.Curve()})
		}
		all[i].checkpoints = append(all[i].checkpoints, s)
	}
	for _, c := range all {
		slices.SortStableFunc(c.checkpoints, func(a, b ladder.Standing) int {
			return cmp.Compare(a.Checkpoint.Generation, b.Checkpoint.Generation)
		})
	}
	return all
}

// ratings returns the charts of ratings against CPU time and against self-play games. The
// first is empty unless the CPU time of all checkpoints is known.
func ratings(report *ladder.Report) (cpu, games chart.Chart) {
	cpu = chart.Chart{Label: "rating by CPU time", X: "CPU-hours of training"}
	games = chart.Chart{Label: "rating by games", X: "games of self-play"}
	all, timed := curves(report), true
	for _, c := range all {
		name := "Elo above " + report.Anchor
		if len(all) > 1 {
			name = c.name
		}
		byCPU, byGames := chart.Series{Name: name, Band: true}, chart.Series{Name: name, Band: true}
		for _, s := range c.checkpoints {
			d := chart.Dot{Y: s.Elo.Value, Low: s.Elo.Value - *s.Error, High: s.Elo.Value + *s.Error}
			d.X = float64(s.Checkpoint.Games)
			byGames.Dots = append(byGames.Dots, d)
			d.X = s.Checkpoint.CPUHours
			byCPU.Dots = append(byCPU.Dots, d)
			timed = timed && (s.Checkpoint.Generation == 0 || s.Checkpoint.CPUHours > 0)
		}
		cpu.Series, games.Series = append(cpu.Series, byCPU), append(games.Series, byGames)
	}
	if !timed {
		cpu.Series = nil
	}
	return cpu, games
}

// WriteRatings writes an SVG picture of the runs in a report: their ratings with 95% error
// bands, and the other players as horizontal lines. It returns an error if the report has no
// rated checkpoint.
func WriteRatings(w io.Writer, report *ladder.Report) error {
	cpu, games := ratings(report)
	if len(games.Series) == 0 {
		return errors.New("page: no checkpoint of a run has a rating")
	}
	for _, s := range report.Players {
		if s.Checkpoint == nil && s.Error != nil || s.Name == report.Anchor {
			games.Levels = append(games.Levels, chart.Level{Name: s.Name, Y: s.Elo.Value})
		}
	}
	cpu.Levels = games.Levels
	charts := []chart.Chart{cpu, games}
	if len(cpu.Series) == 0 {
		charts = charts[1:]
	}
	return chart.WriteFile(w, report.Game+", Elo above "+report.Anchor+", 95%", charts...)
}
