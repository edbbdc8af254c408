package envtest

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode"

	"tiro/env"
)

// checkSpec: the spec is valid and always the same.
func checkSpec(game env.Game) error {
	s := game.Spec()
	if err := s.Validate(); err != nil {
		return fmt.Errorf("spec: %w", err)
	}
	if again := game.Spec(); again != s {
		return fmt.Errorf("spec: %+v, then %+v", s, again)
	}
	return nil
}

// checkStart: all start positions are equal but independent.
func checkStart(game env.Game) (err error) {
	defer recoverAs(&err)
	spec := game.Spec()
	a, b := game.New(), game.New()
	start := look(spec, a)
	if err := look(spec, b).differs(start); err != nil {
		return fmt.Errorf("two start positions differ: %w", err)
	}
	if len(start.legal) == 0 {
		return nil
	}
	a.Play(start.legal[0])
	if err := look(spec, b).differs(start); err != nil {
		return fmt.Errorf("playing on one start position changes another: %w", err)
	}
	return nil
}

// checkLegal: legal actions are ascending and in range, are appended to dst, and are empty
// exactly when the game is over.
func checkLegal(game env.Game) error {
	spec := game.Spec()
	return walk{game, 1, 300, 10000}.each(func(p *stop) error {
		if err := sound(spec, p.state, p.legal); err != nil {
			return err
		}
		const before = env.Action(-7)
		if got := p.state.Legal([]env.Action{before}); got[0] != before || len(got) != 1+len(p.legal) {
			return fmt.Errorf("Legal does not append to dst: %d, with %d in dst: %d", p.legal, before, got)
		}
		return nil
	})
}

// sound checks the legal actions of a position.
func sound(spec env.Spec, s env.State, legal []env.Action) error {
	for i, a := range legal {
		if a < 0 || int(a) >= spec.Actions() {
			return fmt.Errorf("legal action %d is not 0 to %d", a, spec.Actions()-1)
		}
		if i > 0 && a <= legal[i-1] {
			return fmt.Errorf("legal actions do not ascend: %d after %d", a, legal[i-1])
		}
	}
	switch _, over := s.Result(); {
	case over && len(legal) > 0:
		return fmt.Errorf("the game is over, but %d actions are legal", len(legal))
	case !over && len(legal) == 0:
		return errors.New("no action is legal, but the game is not over")
	}
	return nil
}

// checkTurn: the player on turn has a seat.
func checkTurn(game env.Game) error {
	return walk{game, 2, 300, 10000}.each(func(p *stop) error {
		if t := p.state.Turn(); t < 0 || int(t) >= game.Spec().Players {
			return fmt.Errorf("turn of seat %d, which is not 0 to %d", t, game.Spec().Players-1)
		}
		return nil
	})
}

// checkLength: games end within MaxPlies.
func checkLength(game env.Game) error {
	limit := game.Spec().MaxPlies
	return walk{game, 3, 300, 20000}.each(func(p *stop) error {
		if len(p.history) >= limit && len(p.legal) > 0 {
			return fmt.Errorf("the game continues after MaxPlies = %d", limit)
		}
		return nil
	})
}

// checkPayoffs: payoffs are in [-1, 1], sum to 0, and are 0 for seats that
// do not exist.
func checkPayoffs(game env.Game) error {
	return walk{game, 4, 300, 10000}.each(func(p *stop) error {
		if v, over := p.state.Result(); over {
			return v.Check("payoff", game.Spec().Players)
		}
		return nil
	})
}

// checkObserve: every element is written, is finite and depends only on the position.
// Observe does not change the state.
func checkObserve(game env.Game) error {
	first := make([]float32, game.Spec().Inputs())
	second := make([]float32, len(first))
	return walk{game, 5, 100, 1500}.each(func(p *stop) error {
		if len(p.legal) == 0 {
			return nil
		}
		for i := range first {
			first[i], second[i] = float32(math.NaN()), 1e30
		}
		hash := p.state.Hash()
		p.state.Observe(first)
		p.state.Observe(second)
		for i, x := range first {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				return fmt.Errorf("observation element %d is %v or was not written", i, x)
			}
			if x != second[i] {
				return fmt.Errorf("observation element %d is %v, then %v", i, x, second[i])
			}
		}
		if p.state.Hash() != hash {
			return errors.New("Observe changes the hash")
		}
		return nil
	})
}

// checkNames: action strings are words, unique among the legal actions, and can be parsed.
func checkNames(game env.Game) error {
	return walk{game, 6, 200, 1500}.each(func(p *stop) error {
		named := make(map[string]env.Action, len(p.legal))
		for _, a := range p.legal {
			name := p.state.ActionString(a)
			if name == "" || strings.ContainsFunc(name, unicode.IsSpace) {
				return fmt.Errorf("action %d is named %q, which is not a word", a, name)
			}
			if other, taken := named[name]; taken {
				return fmt.Errorf("actions %d and %d are both named %q", other, a, name)
			}
			named[name] = a
		}
		if len(p.legal) == 0 {
			return nil
		}
		want := pick(p.rng, p.legal)
		name := p.state.ActionString(want)
		got, err := env.ParseAction(p.state, name)
		if err != nil {
			return fmt.Errorf("action %d: %w", want, err)
		}
		if got != want {
			return fmt.Errorf("action %d, %q, is read back as %d", want, name, got)
		}
		return nil
	})
}
