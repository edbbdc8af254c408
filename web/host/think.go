package host

import (
	"context"
	"errors"

	"tiro/env"
	"tiro/player"
)

// choose waits for a free search, and lets a player choose an action. It returns the player's
// analysis if there is one that its move follows.
func (h *Host) choose(ctx context.Context, g *game, name string, state env.State, history []env.Action) (a env.Action, found *player.Analysis, err error) {
	select {
	case h.searches <- struct{}{}:
		defer func() { <-h.searches }()
	case <-ctx.Done():
		return 0, nil, context.Cause(ctx)
	}
	factory, err := h.options.Player(g.Rules, name)
	if err != nil {
		return 0, nil, err
	}
	p, err := factory.New()
	if err != nil {
		return 0, nil, err
	}
	defer func() { err = errors.Join(err, player.Close(p)) }()
	legal, analyses := state.Legal(nil), name == g.offer.Analyst
	forced := len(legal) == 1
	if s, ok := p.(*player.Searcher); ok && forced && analyses {
		s.Restrict(legal) // players do not search a forced move
	}
	// A player always makes the same move in the same position of a game, but not of every game.
	keys := []uint64{state.Hash(), uint64(len(history))}
	for _, letter := range g.id {
		keys = append(keys, uint64(letter))
	}
	a, err = p.Choose(ctx, env.After(g.Rules, state), history, env.NewRand(keys...))
	if err == nil {
		err = env.CheckAction(state, a)
	}
	if err != nil {
		return 0, nil, err
	}
	if analyzer, ok := p.(player.Analyzer); ok && factory.Temperature == 0 && factory.Level == 0 && (analyses || !forced) { // otherwise the move is drawn, or not searched
		analysis := analyzer.Analysis()
		found = &analysis
	}
	return a, found, nil
}

// advance starts a goroutine that lets players move and the analyst evaluate positions, until
// it is a human's turn and all positions are evaluated. g.mu must be held.
func (h *Host) advance(g *game) {
	if g.busy || h.closing.Err() != nil {
		return
	}
	g.busy = true
	ctx, cancel := context.WithCancel(h.closing)
	g.stop = cancel
	h.running.Go(func() {
		defer cancel()
		for h.step(ctx, g) {
		}
	})
}

// step does the next move or evaluation of a game. If there is none, it returns false, and
// the game is no longer busy.
func (h *Host) step(ctx context.Context, g *game) bool {
	g.mu.Lock()
	at := len(g.History)
	name, moves := g.Occupant(), true
	if name == "" || name == Human || g.trouble != "" {
		moves, name, at = false, g.offer.Analyst, g.unknown()
	}
	if name == "" || at < 0 || ctx.Err() != nil {
		g.busy = false
		g.mu.Unlock()
		return false
	}
	state, history := g.States[at], g.History[:at:at]
	g.mu.Unlock()

	a, found, err := h.choose(ctx, g, name, state, history)

	g.mu.Lock()
	defer g.mu.Unlock()
	if at >= len(g.States) || g.States[at] != state {
		return true // the position was taken back meanwhile
	}
	switch {
	case ctx.Err() != nil:
	case err != nil && moves:
		g.trouble = name + ": " + err.Error()
	case err != nil:
		g.opinions[at] = &opinion{} // do not ask again
	default:
		if found != nil {
			g.opinions[at] = newOpinion(found)
		}
		if moves && g.Occupant() == name && at == len(g.History) {
			g.add(a)
			h.keep(g)
		} else if !moves && found == nil {
			g.opinions[at] = &opinion{}
		}
	}
	g.version++
	return true
}

// unknown returns the newest position that the analyst has not evaluated, -1 if there is none.
func (g *game) unknown() int {
	for i := len(g.States) - 1; i >= 0; i-- {
		if _, over := g.States[i].Result(); !over && g.opinions[i] == nil {
			return i
		}
	}
	return -1
}
