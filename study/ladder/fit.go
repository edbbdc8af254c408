package ladder

import (
	"fmt"

	"tiro/arena/rating"
)

// meeting is games of two players, who are named by their places: first the references
// of the ladder, then the candidates of a log.
type meeting struct {
	a, b  int // a has one seat, b the others
	games Games
}

// Fit rates the references by their own matches.
func (l *Ladder) Fit() (*rating.Ratings, error) { return l.fit(nil, nil) }

// fit rates the references and, behind them, candidates, who all have met somebody.
func (l *Ladder) fit(candidates []string, meetings []meeting) (*rating.Ratings, error) {
	d := rating.Data{Anchor: l.index(l.Anchor)}
	for _, p := range l.Players {
		d.Players = append(d.Players, p.Name)
	}
	for i, name := range candidates {
		d.Players = append(d.Players, fmt.Sprintf("candidate %d, %s", i+1, name))
	}
	add := func(g Games, a, b int) error {
		groups, err := g.groups(l.seats(), a, b)
		if err != nil {
			return fmt.Errorf("ladder: %s against %s: %w", d.Players[a], d.Players[b], err)
		}
		d.Groups = append(d.Groups, groups...)
		return nil
	}
	for _, m := range l.Matches {
		if err := add(m.Games, l.index(m.A), l.index(m.B)); err != nil {
			return nil, err
		}
	}
	for _, m := range meetings {
		if err := add(m.games, m.a, m.b); err != nil {
			return nil, err
		}
	}
	return rating.Fit(d)
}

// all returns the indices of all references.
func (l *Ladder) all() []int {
	all := make([]int, len(l.Players))
	for i := range all {
		all[i] = i
	}
	return all
}
