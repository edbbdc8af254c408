package envtest

import (
	"fmt"
	"regexp"
	"strings"

	"tiro/env"
)

// planeName is the form of a plane's name.
var planeName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// checkDescription: a Describer names and explains every plane, no two cells have the same
// name, and a named action has its name wherever it is legal.
func checkDescription(game env.Game) error {
	d, ok := game.(env.Describer)
	if !ok {
		return nil
	}
	if err := describes(game.Spec(), d.Describe()); err != nil {
		return err
	}
	if err := namesCells(game.Spec(), d); err != nil {
		return err
	}
	return walk{game, 27, 100, 1500}.each(func(p *stop) error {
		turn := p.state.Turn()
		for _, a := range p.legal {
			is, name := p.state.ActionString(a), d.ActionName(turn, a)
			if name != "" && name != is {
				return fmt.Errorf("action %d of seat %d is %q, but its name is %q", a, turn, is, name)
			}
		}
		return nil
	})
}

// describes returns an error if a description is incomplete.
func describes(spec env.Spec, d env.Description) error {
	if d.Frame == "" {
		return fmt.Errorf("no frame: it must describe the orientation of the board for the player on turn")
	}
	if len(d.Planes) != spec.Planes || len(d.Actions) != spec.PolicyPlanes {
		return fmt.Errorf("%d planes and %d policy planes are described, but the game has %d and %d", len(d.Planes), len(d.Actions), spec.Planes, spec.PolicyPlanes)
	}
	names, meanings := map[string]bool{}, map[string]bool{}
	for i, p := range d.Planes {
		if !planeName.MatchString(p.Name) || names[p.Name] {
			return fmt.Errorf("plane %d is named %q, which must be unique and lower case with hyphens", i, p.Name)
		}
		names[p.Name] = true
		if err := explains(meanings, p.Meaning); err != nil {
			return fmt.Errorf("plane %d: %w", i, err)
		}
	}
	clear(meanings)
	for i, meaning := range d.Actions {
		if err := explains(meanings, meaning); err != nil {
			return fmt.Errorf("policy plane %d: %w", i, err)
		}
	}
	return nil
}

// explains reports a meaning that is empty, badly formatted or a duplicate.
func explains(known map[string]bool, meaning string) error {
	if meaning == "" || known[meaning] || strings.Contains(meaning, "%!") {
		return fmt.Errorf("meaning %q must be nonempty and unique", meaning)
	}
	known[meaning] = true
	return nil
}

// namesCells reports two cells with the same name.
func namesCells(spec env.Spec, d env.Describer) error {
	for seat := range env.Player(spec.Players) {
		cells := map[string]int{}
		for cell := range spec.Cells() {
			name := d.CellName(seat, cell)
			if other, taken := cells[name]; taken && name != "" {
				return fmt.Errorf("cells %d and %d of seat %d are both %q", other, cell, seat, name)
			}
			cells[name] = cell
		}
		if len(cells) < 2 {
			return fmt.Errorf("no cell of seat %d has a name", seat)
		}
	}
	return nil
}
