package env

import (
	"errors"
	"fmt"
	"strings"
)

// Variants returns a Lookup of game and of its variants, which are the same game with
// other options that a network for game can play. Those are looked up with find; nil
// knows none.
func Variants(game Game, find Lookup) Lookup {
	spec := game.Spec()
	return func(name string) (Game, error) {
		if name == spec.Name {
			return game, nil
		}
		if find == nil {
			return nil, fmt.Errorf("game is %q; want %q", name, spec.Name)
		}
		variant, err := find(name)
		if err != nil {
			return nil, err
		}
		if err := variant.Spec().CheckNetwork(spec); err != nil {
			return nil, fmt.Errorf("game is %q; want %q or a variant of it: %w", name, spec.Name, err)
		}
		return variant, nil
	}
}

// CheckNetwork returns an error that says why a network that was trained for the
// game of trained cannot play the game of s. It can where both are the same game
// in the same version, for as many seats, on the same grid, with as many planes
// and actions: then all of these mean the same (see Spec.Version), and the game
// strings differ in other options only, such as limits or the rule of repetition.
func (s Spec) CheckNetwork(trained Spec) error {
	name, _, _ := strings.Cut(s.Name, ":")
	if other, _, _ := strings.Cut(trained.Name, ":"); name != other {
		return errors.New("it is another game")
	}
	for _, measure := range []struct {
		what     string
		has, had int
	}{
		{"version", s.Version, trained.Version},
		{"number of seats", s.Players, trained.Players},
		{"number of rows", s.Height, trained.Height},
		{"number of columns", s.Width, trained.Width},
		{"number of observation planes", s.Planes, trained.Planes},
		{"number of action planes", s.PolicyPlanes, trained.PolicyPlanes},
	} {
		if measure.has != measure.had {
			return fmt.Errorf("its %s is %d, not %d", measure.what, measure.has, measure.had)
		}
	}
	return nil
}
