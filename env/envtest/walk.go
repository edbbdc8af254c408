package envtest

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"

	"tiro/env"
	"tiro/internal/effort"
)

// A walk plays random games until either limit is reached, and finishes the last game.
// Tests other than long ones use a quarter of the limits.
type walk struct {
	game  env.Game
	key   uint64 // walks with different keys play different games
	games int    // maximum number of games
	plies int    // number of plies after which no new game begins
}

// A stop is one position of a walk.
type stop struct {
	state   env.State
	legal   []env.Action // of state
	history []env.Action // from the start position to state
	rng     *rand.Rand   // random generator of this game; draws by visit change the course of the game
}

// each calls visit with every position of the games, including the first and the last.
// Errors of visit and panics are returned with the position.
func (w walk) each(visit func(p *stop) error) error {
	share := effort.Of(4, 4, 1)
	for g, plies := 0, 0; g < max(1, w.games/share) && plies < w.plies/share; g++ {
		p := &stop{state: w.game.New(), rng: env.NewRand(w.key, uint64(g))}
		if err := w.play(p, visit); err != nil {
			return fmt.Errorf("random game %d, after %d plies, in %s: %w", g, len(p.history), p.state, err)
		}
		plies += len(p.history)
	}
	return nil
}

// eachAble is each for games whose States have the ability A. For other games it does
// nothing.
func eachAble[A any](w walk, visit func(p *stop, s A) error) error {
	if _, ok := w.game.New().(A); !ok {
		return nil
	}
	return w.each(func(p *stop) error { return visit(p, p.state.(A)) })
}

func (w walk) play(p *stop, visit func(p *stop) error) (err error) {
	defer recoverAs(&err)
	limit := w.game.Spec().MaxPlies
	for {
		p.legal = p.state.Legal(p.legal[:0])
		if err := visit(p); err != nil {
			return err
		}
		if len(p.legal) == 0 || len(p.history) >= limit {
			return nil
		}
		a := pick(p.rng, p.legal)
		p.state.Play(a)
		p.history = append(p.history, a)
	}
}

func pick(rng *rand.Rand, actions []env.Action) env.Action {
	return actions[rng.IntN(len(actions))]
}

// recoverAs converts a panic of the game under test to an error with the line of its origin.
func recoverAs(err *error) {
	r := recover()
	if r == nil {
		return
	}
	callers := make([]uintptr, 20)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	origin, more := frames.Next()
	for more && (strings.HasPrefix(origin.Function, "runtime.") || strings.HasPrefix(origin.Function, "internal/")) {
		origin, more = frames.Next()
	}
	*err = fmt.Errorf("panic at %s:%d: %v", origin.File, origin.Line, r)
}

// A snapshot is everything observable about a position.
type snapshot struct {
	turn        env.Player
	legal       []env.Action
	value       env.Value
	over        bool
	observation []float32
	hash        uint64
	text        string
}

func look(spec env.Spec, s env.State) snapshot {
	v := snapshot{legal: s.Legal(nil), observation: make([]float32, spec.Inputs()), hash: s.Hash(), text: s.String()}
	if value, over := s.Result(); over {
		v.value, v.over = value, true
	} else {
		v.turn = s.Turn()
		s.Observe(v.observation)
	}
	return v
}

// differs returns the first difference between two snapshots.
func (v snapshot) differs(w snapshot) error {
	if err := v.playsLike(w); err != nil {
		return err
	}
	switch {
	case v.hash != w.hash:
		return fmt.Errorf("hash %#x is not %#x", v.hash, w.hash)
	case v.text != w.text:
		return fmt.Errorf("string %q is not %q", v.text, w.text)
	}
	return nil
}

// playsLike is differs without hash and string.
func (v snapshot) playsLike(w snapshot) error {
	switch {
	case v.over != w.over:
		return fmt.Errorf("over %t is not %t", v.over, w.over)
	case v.value != w.value:
		return fmt.Errorf("result %v is not %v", v.value, w.value)
	case v.turn != w.turn:
		return fmt.Errorf("turn is seat %d's, not seat %d's", v.turn, w.turn)
	case !slices.Equal(v.legal, w.legal):
		return fmt.Errorf("legal actions %d are not %d", v.legal, w.legal)
	}
	for i, x := range v.observation {
		if x != w.observation[i] {
			return fmt.Errorf("observation element %d, %v, is not %v", i, x, w.observation[i])
		}
	}
	return nil
}
