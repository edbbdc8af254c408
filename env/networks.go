package env

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
)

// Variants returns a Lookup that finds game and its variants: the same game with other
// options that a network for game can play. Variants are looked up with find; if find is
// nil, only game is known.
func Variants(game Game, find Lookup) Lookup {
	spec := game.Spec()
	return func(name string) (Game, error) {
		if name == spec.Name {
			return game, nil
		}
		if find == nil {
			return nil, fmt.Errorf("game is %q, not %q", name, spec.Name)
		}
		variant, err := find(name)
		if err != nil {
			return nil, err
		}
		if err := variant.Spec().CheckNetwork(spec); err != nil {
			return nil, fmt.Errorf("game is %q, not %q or a variant of it: %w", name, spec.Name, err)
		}
		return variant, nil
	}
}

// CheckNetwork returns nil if a network trained for the game with spec trained can play the
// game with spec s, and otherwise an error with the reason. It can if both are the same
// version of the same game with the same number of seats, the same grid and the same
// numbers of planes and actions. Planes and actions then have the same meaning (see
// Spec.Version), and the games differ only in other options, such as limits or the
// repetition rule.
func (s Spec) CheckNetwork(trained Spec) error {
	return cmp.Or(s.CheckTransfer(trained),
		checkEqual("number of rows", s.Height, trained.Height),
		checkEqual("number of columns", s.Width, trained.Width))
}

// CheckTransfer returns nil if a run of the game with spec s can begin with the weights of a
// network trained for the game with spec trained, and otherwise an error with the reason. It
// is CheckNetwork without the condition on the grid.
func (s Spec) CheckTransfer(trained Spec) error {
	name, _, _ := strings.Cut(s.Name, ":")
	if other, _, _ := strings.Cut(trained.Name, ":"); name != other {
		return errors.New("it is another game")
	}
	return cmp.Or(checkEqual("version", s.Version, trained.Version),
		checkEqual("number of seats", s.Players, trained.Players),
		checkEqual("number of observation planes", s.Planes, trained.Planes),
		checkEqual("number of action planes", s.PolicyPlanes, trained.PolicyPlanes))
}

func checkEqual(what string, has, had int) error {
	if has != had {
		return fmt.Errorf("its %s is %d, not %d", what, has, had)
	}
	return nil
}
