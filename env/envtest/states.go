package envtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"tiro/env"
)

// checkReplay: the same actions lead to the same position.
func checkReplay(game env.Game) error {
	spec := game.Spec()
	return walk{game, 10, 60, 1500}.each(func(p *stop) error {
		if len(p.history)%8 != 0 && len(p.legal) > 0 { // replays of every ply would be quadratic
			return nil
		}
		if err := look(spec, env.After(game, game.New(), p.history...)).differs(look(spec, p.state)); err != nil {
			return fmt.Errorf("a replay differs: %w", err)
		}
		return nil
	})
}

// checkCopies: a copy equals the original, whatever it was before, and playing on one does
// not affect the other.
func checkCopies(game env.Game) error {
	spec := game.Spec()
	original, duplicate := game.New(), game.New() // reused for all positions
	return walk{game, 11, 100, 2000}.each(func(p *stop) error {
		want := look(spec, p.state)
		original.CopyFrom(p.state)
		duplicate.CopyFrom(original)
		if err := look(spec, duplicate).differs(want); err != nil {
			return fmt.Errorf("a copy differs: %w", err)
		}
		if len(p.legal) == 0 {
			return nil
		}
		a := pick(p.rng, p.legal)
		original.Play(a)
		if err := look(spec, duplicate).differs(want); err != nil {
			return fmt.Errorf("playing on the original changes the copy: %w", err)
		}
		duplicate.Play(a)
		if err := look(spec, p.state).differs(want); err != nil {
			return fmt.Errorf("playing on a copy changes the original: %w", err)
		}
		if err := look(spec, duplicate).differs(look(spec, original)); err != nil {
			return fmt.Errorf("original and copy differ after the same action: %w", err)
		}
		return nil
	})
}

// checkHash: positions with equal hashes are equal in appearance and play. Equal hashes
// come from positions that occur in several games, and from short sequences played in two
// orders.
func checkHash(game env.Game) error {
	seen := map[uint64]env.State{}
	meet := func(s env.State, rng *rand.Rand) error {
		other, known := seen[s.Hash()]
		if !known {
			seen[s.Hash()] = env.After(game, s)
			return nil
		}
		return sameFuture(game, env.After(game, other), env.After(game, s), rng)
	}
	return walk{game, 12, 200, 4000}.each(func(p *stop) error {
		if err := meet(p.state, p.rng); err != nil {
			return err
		}
		line := randomLine(game, p.state, p.rng, 4)
		if len(line) < 2 {
			return nil
		}
		if err := meet(after(game, p.state, line), p.rng); err != nil {
			return err
		}
		i, j := p.rng.IntN(len(line)), p.rng.IntN(len(line))
		line[i], line[j] = line[j], line[i]
		if s := after(game, p.state, line); s != nil {
			return meet(s, p.rng)
		}
		return nil
	})
}

// sameFuture plays the same random actions on both states, up to a limit, and compares
// them. It changes both states.
func sameFuture(game env.Game, a, b env.State, rng *rand.Rand) error {
	spec := game.Spec()
	hash, text := a.Hash(), [2]string{a.String(), b.String()}
	for ply := range 10 {
		v := look(spec, a)
		if err := v.playsLike(look(spec, b)); err != nil {
			return fmt.Errorf("%s and %s have the same hash %#x, but differ %d plies later: %w", text[0], text[1], hash, ply, err)
		}
		if v.over {
			break
		}
		action := pick(rng, v.legal)
		a.Play(action)
		b.Play(action)
	}
	return nil
}

// randomLine returns up to n actions that can be played from s.
func randomLine(game env.Game, s env.State, rng *rand.Rand, n int) []env.Action {
	c := env.After(game, s)
	var line []env.Action
	for range n {
		legal := c.Legal(nil)
		if len(legal) == 0 {
			break
		}
		line = append(line, pick(rng, legal))
		c.Play(line[len(line)-1])
	}
	return line
}

// after returns the position after a sequence of actions from s, or nil if it cannot be
// played.
func after(game env.Game, s env.State, line []env.Action) env.State {
	c := env.After(game, s)
	for _, a := range line {
		if !slices.Contains(c.Legal(nil), a) {
			return nil
		}
		c.Play(a)
	}
	return c
}

// checkConcurrent: goroutines that play the same games get the same results, and (with the
// race detector) share no memory that changes.
func checkConcurrent(game env.Game) error {
	const goroutines = 4
	hashes := make([][]uint64, goroutines)
	faults := make([]error, goroutines)
	var group sync.WaitGroup
	for i := range goroutines {
		group.Go(func() {
			faults[i] = walk{game, 13, 10, 300}.each(func(p *stop) error {
				hashes[i] = append(hashes[i], p.state.Hash())
				return nil
			})
		})
	}
	group.Wait()
	for i := range goroutines {
		if faults[i] != nil {
			return faults[i]
		}
		if !slices.Equal(hashes[i], hashes[0]) {
			return fmt.Errorf("goroutines that play the same games get different hashes")
		}
	}
	return nil
}

// checkAllocations: a step allocates nothing.
func checkAllocations(game env.Game) (err error) {
	defer recoverAs(&err)
	line := randomLine(game, game.New(), env.NewRand(14), min(300, game.Spec().MaxPlies))
	start, s, other := game.New(), game.New(), game.New()
	legal := make([]env.Action, 0, game.Spec().Actions())
	observation := make([]float32, game.Spec().Inputs())
	steps := []struct {
		name string
		run  func()
	}{
		{"Play", func() {}}, // every run below also plays
		{"Turn", func() { s.Turn() }},
		{"Legal", func() { legal = s.Legal(legal[:0]) }},
		{"Observe", func() { s.Observe(observation) }},
		{"CopyFrom", func() { other.CopyFrom(s) }},
		{"Hash", func() { s.Hash() }},
		{"Result", func() { s.Result() }},
	}
	for _, step := range steps {
		n := testing.AllocsPerRun(3, func() {
			s.CopyFrom(start)
			for _, a := range line {
				step.run()
				s.Play(a)
			}
		})
		if n != 0 {
			return fmt.Errorf("%s: %v allocations in %d steps", step.name, n, len(line))
		}
	}
	return nil
}
