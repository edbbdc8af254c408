package host

import (
	"fmt"
	"slices"

	"tiro/env"
	"tiro/player"
)

// Bounds of an opinion.
const (
	keptLines = 3
	keptMoves = 6 // moves of a line
)

// opinion is the evaluation of a position by the analyst or by a player.
type opinion struct {
	known bool      // false if the analysis failed
	value env.Value // payoff by seat
	lines []player.Line
}

// newOpinion returns the best lines of an analysis.
func newOpinion(a *player.Analysis) *opinion {
	o := &opinion{known: true, value: a.BestValue()}
	for _, line := range a.Lines[:min(keptLines, len(a.Lines))] {
		line.Actions = slices.Clone(line.Actions[:min(keptMoves, len(line.Actions))])
		o.lines = append(o.lines, line)
	}
	return o
}

// losses returns the loss of win chance by each action. It is 0 if the analyst would have
// played the same action, because the evaluation of a search is inexact.
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

// Position is a position of a game under review.
type Position struct {
	Ply   int    `json:"ply"`
	Board string `json:"board"`
	Text  string `json:"text"`
	Turn  int    `json:"turn"`  // seat to move, -1 at the end
	Lines []Line `json:"lines"` // the analyst's best lines; empty until it has searched
}

// position returns the position after ply actions.
func (g *game) position(ply int) (any, error) {
	if ply < 0 || ply >= len(g.States) {
		return nil, fmt.Errorf("position must be 0 to %d, not %d", len(g.States)-1, ply)
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

// shown converts lines of an analysis for the page.
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
