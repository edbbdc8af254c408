package play

import (
	"slices"

	"tiro/env"
)

// game is one game of a session.
type game struct {
	number   uint64        // of the session, from 1
	start    env.State     // where it began
	state    env.State     // where it is now
	history  []env.Action  // that led from start to state
	movers   []env.Player  // the seat of each action in history
	resigned []resignation // in order
	former   *game         // to which undo goes back; nil: none

	since   env.State // before the turns that were played since a person last moved
	reports []string  // of these turns
	saved   int       // length of history when the game was last saved
}

// newGame returns a game that begins at start.
func (s *session) newGame(start env.State) *game {
	s.games++
	return &game{number: s.games, start: start, state: env.After(s.Game, start), former: s.game}
}

// begin makes g the current game.
func (s *session) begin(g *game) {
	s.game = g
	for _, p := range append(slices.Clone(s.Seats), s.Analyst) {
		if p, ok := p.(interface{ NewGame() }); ok {
			p.NewGame()
		}
	}
}

// play plays a legal action.
func (g *game) play(a env.Action) {
	g.history = append(g.history, a)
	g.movers = append(g.movers, g.state.Turn())
	g.state.Play(a)
}

// rewind goes back to the position after the first plies actions.
func (g *game) rewind(plies int) {
	g.state.CopyFrom(g.start)
	g.history, g.movers = g.history[:plies], g.movers[:plies]
	for _, a := range g.history {
		g.state.Play(a)
	}
	g.resigned = slices.DeleteFunc(g.resigned, func(r resignation) bool { return r.ply >= plies })
	g.since, g.reports = nil, nil
	g.saved = min(g.saved, plies)
}

// turns returns the actions of the game by complete turns, and those of the turn
// under way.
func (g *game) turns(game env.Game) (turns [][]env.Action, begun []env.Action) {
	at := env.After(game, g.start)
	for _, a := range g.history {
		begun = append(begun, a)
		at.Play(a)
		if !midTurn(at) {
			turns = append(turns, begun)
			begun = nil
		}
	}
	return turns, begun
}

// beforeTurn returns the position in which the turn that the last action belongs to
// began.
func (g *game) beforeTurn(game env.Game) env.State {
	turns, begun := g.turns(game)
	n := len(g.history) - len(begun)
	if len(begun) == 0 && len(turns) > 0 {
		n -= len(turns[len(turns)-1])
	}
	return env.After(game, g.start, g.history[:n]...)
}
