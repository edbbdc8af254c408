package host

import (
	"fmt"

	"tiro/env"
	"tiro/player"
)

// Bounds of what is kept of an analysis.
const (
	keptLines = 3
	keptMoves = 6 // of a line
)

// opinion is what the analyst, or a player that analyses, has found out about a position.
type opinion struct {
	value env.Value // payoff by seat; all 0 also if it could say nothing
	lines []player.Line
}

// newOpinion keeps the best of an analysis.
func newOpinion(a *player.Analysis) *opinion {
	o := &opinion{value: a.BestValue()}
	for _, line := range a.Lines[:min(keptLines, len(a.Lines))] {
		line.Actions = append([]env.Action(nil), line.Actions[:min(keptMoves, len(line.Actions))]...)
		o.lines = append(o.lines, line)
	}
	return o
}

// losses returns the part of a win that each action has cost its player, by what seats
// expect after each action: nothing if the analyst would have played it, too, as what a
// search expects is not that exact.
func (g *game) losses(values [][]float64) []*float64 {
	all := make([]*float64, len(g.History))
	for i, a := range g.History {
		o, turn := g.opinions[i], g.States[i].Turn()
		if o == nil || values[i] == nil || values[i+1] == nil {
			continue
		}
		loss := max(0, values[i][turn]-values[i+1][turn])
		if len(o.lines) > 0 && o.lines[0].Actions[0] == a {
			loss = 0
		}
		all[i] = &loss
	}
	return all
}

// Position is a position of a game, to be reviewed.
type Position struct {
	Ply   int    `json:"ply"`
	Board string `json:"board"`
	Text  string `json:"text"`
	Turn  int    `json:"turn"`  // seat to move, -1 at the end
	Lines []Line `json:"lines"` // that the analyst thinks most of; none if it has not looked yet
}

// position returns the position after so many actions.
func (g *game) position(ply int) (any, error) {
	if ply < 0 || ply >= len(g.States) {
		return nil, fmt.Errorf("position %d; want 0 to %d", ply, len(g.States)-1)
	}
	s := g.States[ply]
	p := Position{Ply: ply, Board: g.board(ply), Text: g.text(ply), Turn: -1, Lines: []Line{}}
	if _, over := s.Result(); !over {
		p.Turn = int(s.Turn())
	}
	if o := g.opinions[ply]; o != nil {
		p.Lines = g.shown(s, o.lines)
	}
	return p, nil
}

// shown returns lines of an analysis of a position for people.
func (g *game) shown(s env.State, lines []player.Line) []Line {
	all := []Line{}
	for _, l := range lines {
		shares := l.Value.Shares(g.Rules.Spec().Players)
		shown := Line{Share: shares[s.Turn()], Visits: l.Visits, Prior: float64(l.Prior), PV: []string{}}
		at := env.After(g.Rules, s)
		for _, a := range l.Actions {
			shown.PV = append(shown.PV, at.ActionString(a))
			at.Play(a)
		}
		shown.Move = shown.PV[0]
		all = append(all, shown)
	}
	return all
}
