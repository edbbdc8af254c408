package envtest

import (
	"cmp"
	"fmt"
	"slices"

	"tiro/env"
)

// checkSymmetries: symmetries are permutations, the identity first, and a game and its
// image, played side by side, remain images of each other. If the states are imagers, the
// image begins with the image of the start position, and the image of each position must be
// the position of the image's game.
func checkSymmetries(game env.Game) error {
	symmetric, ok := game.(env.Symmetric)
	if !ok {
		return nil
	}
	all := symmetric.Symmetries()
	if len(all) == 0 {
		return fmt.Errorf("no symmetries, not even the identity")
	}
	for n, sym := range all {
		err := checkPermutations(game.Spec(), sym, n == 0)
		if err == nil {
			err = checkImages(game, sym, n)
		}
		if err != nil {
			return fmt.Errorf("symmetry %d: %w", n, err)
		}
	}
	return nil
}

func checkPermutations(spec env.Spec, sym env.Symmetry, identity bool) error {
	if len(sym.Input) != spec.Inputs() || len(sym.Action) != spec.Actions() {
		return fmt.Errorf("%d inputs and %d actions, not %d and %d", len(sym.Input), len(sym.Action), spec.Inputs(), spec.Actions())
	}
	return cmp.Or(permutation("input", sym.Input, identity), permutation("action", sym.Action, identity))
}

func permutation[T ~int32](name string, p []T, identity bool) error {
	taken := make([]bool, len(p))
	for i, x := range p {
		if x < 0 || int(x) >= len(p) || taken[x] {
			return fmt.Errorf("%s %d maps to %d, which is out of range or a duplicate", name, i, x)
		}
		if identity && int(x) != i {
			return fmt.Errorf("%s %d maps to %d, but the first symmetry must be the identity", name, i, x)
		}
		taken[x] = true
	}
	return nil
}

// imager is a State of a game whose symmetries do not preserve the start position: the
// image of a game begins elsewhere.
type imager interface {
	// SetImage sets the state to the image of src under symmetry n.
	SetImage(src env.State, n int)
}

func checkImages(game env.Game, sym env.Symmetry, n int) error {
	var image env.State
	var played int // number of plies of this game already played on the image
	spec := game.Spec()
	direct, moves := game.New().(imager)
	return walk{game, 30 + uint64(n), 60, 800}.each(func(p *stop) error {
		if len(p.history) == 0 {
			image, played = game.New(), 0
			if moves {
				image.(imager).SetImage(p.state, n)
			}
		}
		for ; played < len(p.history); played++ {
			image.Play(sym.Action[p.history[played]])
		}
		was := look(spec, image)
		if moves {
			direct.SetImage(p.state, n)
			if err := look(spec, direct.(env.State)).differs(was); err != nil {
				return fmt.Errorf("the image of the position is not the position of the image: %w", err)
			}
		}
		err := imageOf(sym, look(spec, p.state)).playsLike(was)
		if err != nil && len(p.history) == 0 && !moves {
			return fmt.Errorf("the start position is not its own image (if it need not be, add SetImage, see env.Symmetric): %w", err)
		}
		return err
	})
}

// imageOf returns the image of a snapshot under the symmetry.
func imageOf(sym env.Symmetry, v snapshot) snapshot {
	image := v
	image.legal = nil
	for _, a := range v.legal {
		image.legal = append(image.legal, sym.Action[a])
	}
	slices.Sort(image.legal)
	image.observation = make([]float32, len(v.observation))
	for i := range image.observation {
		image.observation[i] = v.observation[sym.Input[i]]
	}
	return image
}
