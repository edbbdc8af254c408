package connect4

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"

	"tiro/env"
	"tiro/env/grid"
)

// layout is the board without the name and the planes of a game.
var layout = grid.Layout{
	Version: 3, RulesVersion: 1, MaxPlies: Width * Height,
	Width: Width, Height: Height, Upright: true, Columns: "1234567", Symbols: ".xo", Separator: "/",
	Unnumbered: true, Colours: [2]string{"1;38;5;160", "1;38;5;136"},
	Actions: []string{"drop a stone that lands on the cell"},
}

// At implements grid.Position.
func (s *State) At(cell int) int {
	for seat, stones := range s.stones {
		if stones&bit(cell/Width, cell%Width) != 0 {
			return 1 + seat
		}
	}
	return 0
}

// ActionString returns the column, 1 to 7.
func (s *State) ActionString(a env.Action) string { return strconv.Itoa(1 + int(a)%Width) }

// FromMoves returns the position after moves, which are the digits of columns. It has all
// observation planes.
func FromMoves(moves string) (*State, error) {
	s := &State{}
	for i := range len(moves) {
		a, err := env.ParseAction(s, moves[i:i+1])
		if err != nil {
			return nil, fmt.Errorf("connect4 moves %.200q: move %d: %w", moves, i+1, err)
		}
		s.Play(a)
	}
	return s, nil
}

func (s *State) String() string { return s.Position() }

// Position returns the rows from the top, with x for the player who began.
func (s *State) Position() string { return layout.Text(s) }

// SetPosition parses the format of Position.
func (s *State) SetPosition(pos string) error {
	next, err := parse(pos)
	if err != nil {
		return fmt.Errorf("connect4 position %.200q: %w", pos, err)
	}
	next.stonesOnly = s.stonesOnly
	*s = next
	return nil
}

func parse(pos string) (s State, err error) {
	_, err = layout.Parse(pos, func(cell int, seat env.Player) { s.stones[seat] |= bit(cell/Width, cell%Width) })
	if err == nil {
		err = s.validate()
	}
	return s, err
}

// validate rejects boards that cannot occur in play, and records whether the game is won.
func (s *State) validate() error {
	all := s.stones[0] | s.stones[1]
	if hanging := all &^ (all<<1 | bottomRow); hanging != 0 {
		at := bits.TrailingZeros64(hanging)
		return fmt.Errorf("no stone below row %d of column %d", at%stride+1, at/stride+1)
	}
	x, o := bits.OnesCount64(s.stones[0]), bits.OnesCount64(s.stones[1])
	if x != o && x != o+1 {
		return fmt.Errorf("%d x and %d o, but there must be as many x as o or one more", x, o)
	}
	mover, other := s.sides()
	if hasFour(mover) {
		return errors.New("the player on turn already has four in a row")
	}
	s.won = hasFour(other)
	return nil
}

// Draw returns the board with column numbers. In colour, x is red and o yellow. New stones
// are in brackets, and a screen with a given size also has a legend.
func (s *State) Draw(screen env.Screen) string {
	lines := layout.Lines(s, screen, nil)
	if screen.Columns > 0 {
		lines[Height] += "    x player 1, o player 2"
	}
	return grid.Join(lines)
}
