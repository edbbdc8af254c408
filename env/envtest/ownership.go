package envtest

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"tiro/env"
)

// checkOwnership: a finished game gives each cell of every earlier position an owner class,
// consistent for all seats, and none to decided cells. An image of the game has the image
// of the ownership.
func checkOwnership(game env.Game) error {
	spec := game.Spec()
	_, owned := game.New().(env.OwnershipScorer)
	switch {
	case !owned && spec.OwnershipClasses != 0:
		return fmt.Errorf("spec: OwnershipClasses is %d, but States are not OwnershipScorers", spec.OwnershipClasses)
	case owned && spec.OwnershipClasses < spec.Players:
		return fmt.Errorf("spec: OwnershipClasses is %d, fewer than the %d seats", spec.OwnershipClasses, spec.Players)
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

// ownership is the ownership and score for one position of a finished game.
type ownership struct {
	mover env.Player
	cells []int8
	score env.Value
}

// ownershipOf plays the image of a game under symmetry n, with each ply on a copy, and
// returns the ownership for every position, including the last.
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
			return nil, errors.New("a call of Ownership changes a position")
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

// checkOwnershipValues checks the ownership for one position.
func checkOwnershipValues(game env.Game, f ownership) error {
	spec := game.Spec()
	for cell, class := range f.cells {
		if class != env.NoOwnership && (class < 0 || int(class) >= spec.OwnershipClasses) {
			return fmt.Errorf("cell %d has class %d, not 0 to %d or %d", cell, class, spec.OwnershipClasses-1, env.NoOwnership)
		}
	}
	return f.score.Check("score", spec.Players)
}

// comesAfter compares the ownership for a position with the earlier positions'. Scores must
// be equal, and each seat must have as many cells as before or fewer, since some may have
// been decided. A cell keeps the class from the same player's last turn, which has the same
// frame, unless it was decided.
func comesAfter(spec env.Spec, f ownership, before []ownership) error {
	if len(before) == 0 {
		return nil
	}
	last := before[len(before)-1]
	if f.score != last.score {
		return fmt.Errorf("scores are %v, but for the previous position %v", f.score, last.score)
	}
	now, then := f.counts(spec), last.counts(spec)
	for owner := range now {
		if now[owner] > then[owner] {
			return fmt.Errorf("the classes have %d cells, but for the previous position %d", now, then)
		}
	}
	for back, old := range slices.Backward(before) {
		if old.mover != f.mover {
			continue
		}
		for cell, class := range f.cells {
			if class != env.NoOwnership && class != old.cells[cell] {
				return fmt.Errorf("cell %d has class %d, but for the same player %d plies before %d", cell, class, len(before)-back, old.cells[cell])
			}
		}
		break
	}
	return nil
}

// counts returns the number of cells of each seat and of each class without a seat.
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

// checkImageOfOwnership compares the ownership in the image of a game with the image of the
// game's ownership.
func checkImageOfOwnership(game env.Game, history []env.Action, owners []ownership, n int, sym env.Symmetry) error {
	cells := game.Spec().Cells()
	for i, from := range sym.Input {
		if int(from)%cells != int(sym.Input[i%cells])%cells {
			return fmt.Errorf("input %d comes from cell %d, but in the first plane that cell comes from %d", i, int(from)%cells, int(sym.Input[i%cells])%cells)
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
			return fmt.Errorf("ownership of ply %d: %d and scores %v instead of the image, %d and %v", ply, got.cells, got.score, want, f.score)
		}
	}
	return nil
}
