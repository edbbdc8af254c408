package envtest

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"tiro/env"
)

// checkFates: a game that is over gives each cell of every earlier position a
// fate that is a class, the same for all seats, and none that once was decided;
// an image of the game has the image of the fates.
func checkFates(game env.Game) error {
	spec := game.Spec()
	_, fated := game.New().(env.Fated)
	switch {
	case !fated && spec.Fates != 0:
		return fmt.Errorf("spec: Fates is %d, but States are not Fated; want 0", spec.Fates)
	case fated && spec.Fates < spec.Players:
		return fmt.Errorf("spec: Fates is %d; want a class for each of %d seats at least", spec.Fates, spec.Players)
	case !fated:
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
		told, err := fatesOf(game, p.history, 0, symmetries[0])
		if err != nil {
			return err
		}
		for n, sym := range symmetries[1:] {
			if err := checkImageOfFates(game, p.history, told, n+1, sym); err != nil {
				return fmt.Errorf("symmetry %d: %w", n+1, err)
			}
		}
		return nil
	})
}

// fate is what a game that is over tells of one of its positions.
type fate struct {
	mover  env.Player
	cells  []int8
	margin env.Value
}

// fatesOf plays the image of a game under symmetry n, each ply on a copy, and
// returns what its end tells of every position, the last one included.
func fatesOf(game env.Game, history []env.Action, n int, sym env.Symmetry) ([]fate, error) {
	states := []env.State{game.New()}
	if image, ok := states[0].(env.Imager); ok && sym.Action != nil {
		image.SetImage(game.New(), n)
	}
	for i, a := range history {
		if sym.Action != nil {
			a = sym.Action[a]
		}
		states = append(states, copyOf(game, states[i]))
		states[i+1].Play(a)
	}
	end := states[len(history)]
	hash := end.Hash()
	var all []fate
	for ply, s := range states {
		f := fate{mover: s.Turn(), cells: make([]int8, game.Spec().Cells())}
		for cell := range f.cells {
			f.cells[cell] = math.MaxInt8
		}
		before := s.Hash()
		f.margin = end.(env.Fated).Fates(f.cells, s)
		if end.Hash() != hash || s.Hash() != before {
			return nil, errors.New("a position is changed by Fates")
		}
		if err := soundFate(game.Spec(), f); err != nil {
			return nil, fmt.Errorf("fates of ply %d: %w", ply, err)
		}
		if err := comesAfter(game.Spec(), f, all); err != nil {
			return nil, fmt.Errorf("fates of ply %d: %w", ply, err)
		}
		all = append(all, f)
	}
	return all, nil
}

// soundFate looks at one position's fates.
func soundFate(spec env.Spec, f fate) error {
	for cell, class := range f.cells {
		if class != env.NoFate && (class < 0 || int(class) >= spec.Fates) {
			return fmt.Errorf("cell %d has class %d; want 0 to %d, or %d", cell, class, spec.Fates-1, env.NoFate)
		}
	}
	sum := 0.0
	for seat, x := range f.margin {
		if !(x >= -1 && x <= 1) || seat >= spec.Players && x != 0 {
			return fmt.Errorf("margin %v of seat %d; want -1 to 1, and 0 beyond %d seats", x, seat, spec.Players)
		}
		sum += float64(x)
	}
	if math.Abs(sum) > 1e-6 {
		return fmt.Errorf("margins %v sum to %v; want 0", f.margin, sum)
	}
	return nil
}

// comesAfter compares a position's fates with those of the positions before. The
// margins are the same, and each seat has as many cells as in the one before, or
// fewer, since some may have been decided. What the mover was told when it was
// last on turn, in the same frame, holds but for what has been decided.
func comesAfter(spec env.Spec, f fate, before []fate) error {
	if len(before) == 0 {
		return nil
	}
	last := before[len(before)-1]
	if f.margin != last.margin {
		return fmt.Errorf("margins %v; the position before has %v", f.margin, last.margin)
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
			if class != env.NoFate && class != old.cells[cell] {
				return fmt.Errorf("cell %d has class %d; to the same player %d plies before it had %d", cell, class, len(before)-back, old.cells[cell])
			}
		}
		break
	}
	return nil
}

// counts returns how many cells each seat gets, and each class that is no
// seat's.
func (f *fate) counts(spec env.Spec) []int {
	n := make([]int, spec.Fates)
	for _, class := range f.cells {
		switch {
		case class == env.NoFate:
		case int(class) < spec.Players:
			n[(int(f.mover)+int(class))%spec.Players]++
		default:
			n[class]++
		}
	}
	return n
}

// checkImageOfFates compares what the image of a game tells with the image of
// what the game tells.
func checkImageOfFates(game env.Game, history []env.Action, told []fate, n int, sym env.Symmetry) error {
	cells := game.Spec().Cells()
	for i, from := range sym.Input {
		if int(from)%cells != int(sym.Input[i%cells])%cells {
			return fmt.Errorf("input %d comes from cell %d; in the first plane that cell comes from %d", i, int(from)%cells, int(sym.Input[i%cells])%cells)
		}
	}
	images, err := fatesOf(game, history, n, sym)
	if err != nil {
		return err
	}
	for ply, f := range told {
		want := make([]int8, cells)
		for cell := range want {
			want[cell] = f.cells[int(sym.Input[cell])%cells]
		}
		if got := images[ply]; !slices.Equal(got.cells, want) || got.margin != f.margin {
			return fmt.Errorf("fates of ply %d: %d and margins %v; want the image, %d and %v", ply, got.cells, got.margin, want, f.margin)
		}
	}
	return nil
}
