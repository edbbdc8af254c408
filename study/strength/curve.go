package strength

import (
	"cmp"
	"slices"

	"tiro/study/ladder"
)

// Point is a rated checkpoint of a run.
type Point struct {
	Generation int
	Games      float64 // of self-play, up to the checkpoint
	CPUHours   float64 // of training, up to the checkpoint; 0 also where it is not known
	Elo        float64 // above the anchor
	Error      float64 // half the 95% interval, the references taken as known
}

// Curve is the rated checkpoints of a run, oldest first. Those of which only a bound
// is known are left out.
type Curve struct {
	Run    string
	Points []Point
}

// Curves returns the curves of the runs in a report, in the order in which they were
// named.
func Curves(report *ladder.Report) []Curve {
	var all []Curve
	for _, s := range report.Players {
		c := s.Checkpoint
		if !s.Candidate || c == nil || s.Error == nil {
			continue
		}
		i := slices.IndexFunc(all, func(o Curve) bool { return o.Run == c.Run })
		if i < 0 {
			i = len(all)
			all = append(all, Curve{Run: c.Run})
		}
		all[i].Points = append(all[i].Points, Point{
			Generation: c.Generation, Games: float64(c.Games), CPUHours: c.CPUHours, Elo: s.Elo.Value, Error: *s.Error,
		})
	}
	for _, c := range all {
		slices.SortStableFunc(c.Points, func(a, b Point) int { return cmp.Compare(a.Generation, b.Generation) })
	}
	return all
}

// Timed reports whether the CPU time of all points is known.
func (c *Curve) Timed() bool {
	return !slices.ContainsFunc(c.Points, func(p Point) bool { return p.Generation > 0 && p.CPUHours == 0 })
}

// Level is the rating of a player who is no checkpoint of a run.
type Level struct {
	Name      string
	Elo       float64
	Reference bool // a player of the ladder that was not asked for
}

// Levels returns the other players of a report, from weak to strong.
func Levels(report *ladder.Report) []Level {
	var all []Level
	for _, s := range report.Players {
		if s.Checkpoint == nil && s.Error != nil || s.Name == report.Anchor {
			all = append(all, Level{s.Name, s.Elo.Value, s.Reference && !s.Candidate})
		}
	}
	slices.SortStableFunc(all, func(a, b Level) int { return cmp.Compare(a.Elo, b.Elo) })
	return all
}
