package host

import (
	"context"
	"errors"
	"io"

	"tiro/env"
	"tiro/player"
)

// choose lets a player choose an action, when one of the searches at the same time is
// free. It returns what the player found out, as far as it does that.
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
	if c, ok := p.(io.Closer); ok {
		defer func() { err = errors.Join(err, c.Close()) }()
	}
	// The same position of the same game is always played alike.
	a, err = p.Choose(ctx, env.After(g.Rules, state), history, env.NewRand(state.Hash(), uint64(len(history))))
	if err == nil {
		err = env.CheckAction(state, a)
	}
	if err != nil {
		return 0, nil, err
	}
	if analyzer, ok := p.(player.Analyzer); ok {
		analysis := analyzer.Analysis()
		found = &analysis
	}
	return a, found, nil
}

// advance starts a goroutine that lets players move and the analyst look at the
// positions, until a person is to move and all is known. g.mu must be held.
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

// step does the next thing there is to do in a game. It returns false, and the game
// is no longer busy, if there is none.
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
		return true // it was taken back meanwhile
	}
	switch {
	case ctx.Err() != nil:
	case err != nil && moves:
		g.trouble = name + ": " + err.Error()
	case err != nil:
		g.opinions[at] = &opinion{} // and is not asked again
	default:
		if found != nil {
			g.opinions[at] = newOpinion(found)
		}
		if moves && g.Occupant() == name && at == len(g.History) {
			g.add(a)
			h.keep(g)
		} else if found == nil {
			g.opinions[at] = &opinion{}
		}
	}
	g.version++
	return true
}

// unknown returns the newest position of which the analyst has not said what it
// expects, -1 if there is none.
func (g *game) unknown() int {
	for i := len(g.States) - 1; i >= 0; i-- {
		if _, over := g.States[i].Result(); !over && g.opinions[i] == nil {
			return i
		}
	}
	return -1
}
