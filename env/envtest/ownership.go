package envtest

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"tiro/env"
)

// checkOwnership: a game that is over gives each cell of every earlier position an
// owner class, the same for all seats, and none to a cell that was decided; an
// image of the game has the image of the ownership.
func checkOwnership(game env.Game) error {
	spec := game.Spec()
	_, owned := game.New().(env.OwnershipScorer)
	switch {
	case !owned && spec.OwnershipClasses != 0:
		return fmt.Errorf("spec: OwnershipClasses is %d, but States are no OwnershipScorer; want 0", spec.OwnershipClasses)
	case owned && spec.OwnershipClasses < spec.Players:
		return fmt.Errorf("spec: OwnershipClasses is %d; want a class for each of %d seats at least", spec.OwnershipClasses, spec.Players)
	case !owned:
		return nil
	}
	symmetries := []env.Symmetry{{}}
	if symmetric, ok := game.(env.Symmetric); ok {
		symmetries = symmetric.Symmetries()
	}
	return walk{game, 25, 30, 1500}.each(func(p *stop) error {
		if len(p.legal) > 0 {
			return nil
		}
		owners, err := ownershipOf(game, p.history, 0, symmetries[0])
		if err != nil {
			return err
		}
		for n, sym := range symmetries[1:] {
			if err := checkImageOfOwnership(game, p.history, owners, n+1, sym); err != nil {
				return fmt.Errorf("symmetry %d: %w", n+1, err)
			}
		}
		return nil
	})
}

// ownership is what the end of a game says of one of its positions.
type ownership struct {
	mover env.Player
	cells []int8
	score env.Value
}

// ownershipOf plays the image of a game under symmetry n, each ply on a copy, and
// returns what its end says of every position, the last one included.
func ownershipOf(game env.Game, history []env.Action, n int, sym env.Symmetry) ([]ownership, error) {
	states := []env.State{game.New()}
	if image, ok := states[0].(imager); ok && sym.Action != nil {
		image.SetImage(game.New(), n)
	}
	for i, a := range history {
		if sym.Action != nil {
			a = sym.Action[a]
		}
		states = append(states, env.After(game, states[i], a))
	}
	end := states[len(history)]
	hash := end.Hash()
	var all []ownership
	for ply, s := range states {
		f := ownership{mover: s.Turn(), cells: make([]int8, game.Spec().Cells())}
		for cell := range f.cells {
			f.cells[cell] = math.MaxInt8
		}
		before := s.Hash()
		f.score = end.(env.OwnershipScorer).Ownership(f.cells, s)
		if end.Hash() != hash || s.Hash() != before {
			return nil, errors.New("a position is changed by Ownership")
		}
		if err := checkOwnershipValues(game, f); err != nil {
			return nil, fmt.Errorf("ownership of ply %d: %w", ply, err)
		}
		if err := comesAfter(game.Spec(), f, all); err != nil {
			return nil, fmt.Errorf("ownership of ply %d: %w", ply, err)
		}
		all = append(all, f)
	}
	return all, nil
}

// checkOwnershipValues looks at one position's ownership.
func checkOwnershipValues(game env.Game, f ownership) error {
	spec := game.Spec()
	for cell, class := range f.cells {
		if class != env.NoOwnership && (class < 0 || int(class) >= spec.OwnershipClasses) {
			return fmt.Errorf("cell %d has class %d; want 0 to %d, or %d", cell, class, spec.OwnershipClasses-1, env.NoOwnership)
		}
	}
	return balanced(game, "score", f.score)
}

// comesAfter compares a position's ownership with those of the positions before. The
// scores are the same, and each seat has as many cells as in the one before, or
// fewer, since some may have been decided. What the mover was given when it was
// last on turn, in the same frame, holds but for what has been decided.
func comesAfter(spec env.Spec, f ownership, before []ownership) error {
	if len(before) == 0 {
		return nil
	}
	last := before[len(before)-1]
	if f.score != last.score {
		return fmt.Errorf("scores %v; the position before has %v", f.score, last.score)
	}
	now, then := f.counts(spec), last.counts(spec)
	for owner := range now {
		if now[owner] > then[owner] {
			return fmt.Errorf("seats and others have %d cells; in the position before they had %d", now, then)
		}
	}
	for back, old := range slices.Backward(before) {
		if old.mover != f.mover {
			continue
		}
		for cell, class := range f.cells {
			if class != env.NoOwnership && class != old.cells[cell] {
				return fmt.Errorf("cell %d has class %d; to the same player %d plies before it had %d", cell, class, len(before)-back, old.cells[cell])
			}
		}
		break
	}
	return nil
}

// counts returns how many cells each seat gets, and each class that is no
// seat's.
func (f *ownership) counts(spec env.Spec) []int {
	n := make([]int, spec.OwnershipClasses)
	for _, class := range f.cells {
		switch {
		case class == env.NoOwnership:
		case int(class) < spec.Players:
			n[(int(f.mover)+int(class))%spec.Players]++
		default:
			n[class]++
		}
	}
	return n
}

// checkImageOfOwnership compares the ownership in the image of a game with the image
// of the ownership in the game.
func checkImageOfOwnership(game env.Game, history []env.Action, owners []ownership, n int, sym env.Symmetry) error {
	cells := game.Spec().Cells()
	for i, from := range sym.Input {
		if int(from)%cells != int(sym.Input[i%cells])%cells {
			return fmt.Errorf("input %d comes from cell %d; in the first plane that cell comes from %d", i, int(from)%cells, int(sym.Input[i%cells])%cells)
		}
	}
	images, err := ownershipOf(game, history, n, sym)
	if err != nil {
		return err
	}
	for ply, f := range owners {
		want := make([]int8, cells)
		for cell := range want {
			want[cell] = f.cells[int(sym.Input[cell])%cells]
		}
		if got := images[ply]; !slices.Equal(got.cells, want) || got.score != f.score {
			return fmt.Errorf("ownership of ply %d: %d and scores %v; want the image, %d and %v", ply, got.cells, got.score, want, f.score)
		}
	}
	return nil
}
