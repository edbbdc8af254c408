package main

import (
	"context"
	"runtime"
	"time"

	"tiro/env"
	"tiro/env/games"
)

// randomPlay prints what random play by the rules alone reaches: of the game
// named, or of every game if none is.
func (b *bench) randomPlay() error {
	names := []string{b.game.Spec().Name}
	if b.all {
		names = games.Names()
	}
	for _, name := range names {
		game, err := games.New(name)
		if err != nil {
			return err
		}
		p, err := playRandomly(b.ctx, game, b.each)
		if err != nil {
			return err
		}
		b.print("random play", p.rate(p.actions), "actions/s", name+", %.0f complete turns/s, %d allocations an action", p.rate(p.turns), p.allocations/uint64(p.actions))
	}
	return nil
}

// playStats is what random play came to.
type playStats struct {
	actions, turns int
	allocations    uint64
	time           time.Duration
}

func (p *playStats) rate(n int) float64 { return float64(n) / p.time.Seconds() }

// playRandomly plays games of random legal actions on one core for about so
// long.
func playRandomly(ctx context.Context, game env.Game, length time.Duration) (p playStats, err error) {
	const together = 10_000 // actions between two looks at the clock
	rng := env.NewRand(1)
	start, s := game.New(), game.New()
	legal := s.Legal(make([]env.Action, 0, game.Spec().Actions()))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begun := time.Now()
	for p.time < length {
		if err := context.Cause(ctx); err != nil {
			return p, err
		}
		for range together {
			mover := s.Turn()
			s.Play(legal[rng.IntN(len(legal))])
			legal = s.Legal(legal[:0])
			if len(legal) == 0 || s.Turn() != mover {
				p.turns++
			}
			if len(legal) == 0 {
				s.CopyFrom(start)
				legal = s.Legal(legal)
			}
		}
		p.actions += together
		p.time = time.Since(begun)
	}
	runtime.ReadMemStats(&after)
	p.allocations = after.Mallocs - before.Mallocs
	return p, nil
}
