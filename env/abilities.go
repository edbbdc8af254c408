package env

import (
	"context"
	"fmt"
	"math/rand/v2"
)

// Positioner is a State that can be written as one line and read back.
type Positioner interface {
	// Position returns the position in the game's notation. What the
	// notation leaves out (clocks, earlier positions) is lost.
	Position() string

	// SetPosition makes the state the position that Position would write,
	// clocks at zero and without earlier positions. On error, which names
	// what is wrong with pos, the state is unchanged.
	SetPosition(pos string) error
}

// Symmetry is a bijection of the board that keeps the rules and the mover's
// frame, written as permutations.
type Symmetry struct {
	Input  []int32  // [Inputs]: the image's observation element i is the original's element Input[i]
	Action []Action // [Actions]: the image of action a is Action[a]
}

// NewSymmetry returns the symmetry that moves element i of an observation to
// input(i), and makes action(a) of action a.
func NewSymmetry(inputs, actions int, input, action func(i int) int) Symmetry {
	s := Symmetry{Input: make([]int32, inputs), Action: make([]Action, actions)}
	for i := range s.Input {
		s.Input[input(i)] = int32(i)
	}
	for a := range s.Action {
		s.Action[a] = Action(action(a))
	}
	return s
}

// GridImage returns where symmetry n of a grid takes a cell: 0 to 3 mirror it, 4 to 7, which
// only a square has, swap rows and columns as well.
func GridImage(width, height, cell, n int) int {
	column, row := cell%width, cell/width
	if n&1 != 0 {
		column = width - 1 - column
	}
	if n&2 != 0 {
		row = height - 1 - row
	}
	if n&4 != 0 {
		column, row = row, column
	}
	return row*width + column
}

// GridSymmetries returns the turns and reflections of a grid, 8 of a square, 4 of another
// rectangle, which move the cells of all planes alike. The action pass, which has no cell,
// stays; it is below 0 in games that have none.
func GridSymmetries(width, height, planes, policyPlanes int, pass Action) (all []Symmetry) {
	cells, count := width*height, 8
	if width != height {
		count = 4
	}
	for n := range count {
		image := func(i int) int { return i/cells*cells + GridImage(width, height, i%cells, n) }
		action := func(a int) int {
			if Action(a) == pass {
				return a
			}
			if to := image(a); Action(to) != pass {
				return to
			}
			return image(int(pass)) // of an action that is never legal
		}
		all = append(all, NewSymmetry(planes*cells, policyPlanes*cells, image, action))
	}
	return all
}

// Symmetric is a Game with symmetries. They keep the rules, but need not keep the
// start position.
type Symmetric interface {
	// Symmetries returns all of them, the identity first. The caller must
	// not change them.
	Symmetries() []Symmetry
}

// Sampler is a State that draws a legal action without listing them all, of which
// random playouts do millions.
type Sampler interface {
	// Sample returns Legal(nil)[rng.IntN(n)] of the n legal actions, and draws
	// nothing else. The game must not be over. It does not allocate.
	Sample(rng *rand.Rand) Action
}

// Finisher is a State that finds cheaply the actions that may end the game. The search
// plays these, and only these, to see whether one does.
type Finisher interface {
	// Finishing appends to dst those of the legal actions that may end the game at
	// once: all that do, and perhaps others, in the order of legal, which is what
	// Legal appends. It does not allocate if dst has room.
	Finishing(dst, legal []Action) []Action
}

// Scorer is a State with a rough measure of who stands better, for players
// that look ahead without a network.
type Scorer interface {
	// Score returns an estimate of the payoff in (-1, 1) by seat, from
	// material or the like; it need not sum to 0 over more than two seats.
	Score() Value
}

// Ender is a State that can say which rule ended the game.
type Ender interface {
	// Ending returns a short fixed name of the rule, such as "last-piece",
	// or "" while the game goes on. It ends in Limit if the rule is there only
	// to keep games from being endless.
	Ending() string
}

// Repeater is a State of a game in which positions can come back, for players that
// seek that or avoid it.
type Repeater interface {
	// Occurrences returns how often the position has occurred so far, this time
	// included: 1 if it is new, or if the rules do not look at repetitions.
	Occurrences() int

	// Quiet returns the number of actions since the last one that cannot be undone,
	// such as a capture; no position before that can come back.
	Quiet() int
}

// Limit ends the name of a rule that bounds the length of games.
const Limit = "-limit"

// OwnershipScorer is a State that can say at the end of the game who owns each
// cell and by how much each seat is ahead. Networks that learn to predict both
// learn sooner what a position is worth (Wu 2019, "Accelerating self-play learning
// in Go", section 4.1). Neither rules nor search look at it.
type OwnershipScorer interface {
	// Ownership writes to dst, [Height, Width], every element, the owner class of
	// each cell at the end, as seen from earlier, a position of the game that the
	// state has ended, in the frame of earlier's mover: a class below
	// Spec.OwnershipClasses, or NoOwnership where earlier leaves nothing open. The
	// first classes are the seats, the mover's first, then round the table; those
	// of no seat come after. The score says by how much each seat is ahead at the
	// end, from -1 to 1, and sums to 0; it is the same for every earlier. Neither
	// position is changed.
	Ownership(dst []int8, earlier State) (score Value)
}

// NoOwnership marks a cell that has no ownership target.
const NoOwnership int8 = -1

// Turner is a State of a game that writes complete turns, which may be several
// actions of one player.
type Turner interface {
	// ParseTurn returns the actions of the complete turn that is written text.
	// In the middle of a turn text is all of it, and the actions are those that
	// are left. The error says why there is no such turn.
	ParseTurn(text string) ([]Action, error)

	// LastTurn writes the turn that the last action has completed, "" if that
	// has completed none.
	LastTurn() string

	// Prompt returns what the player on turn is to choose in the middle of a turn,
	// such as "a field to give back", and "" otherwise.
	Prompt() string
}

// ParseTurn returns the actions of the complete turn that is written text: one
// action in a game that has no notation for turns.
func ParseTurn(s State, text string) ([]Action, error) {
	if t, ok := s.(Turner); ok {
		return t.ParseTurn(text)
	}
	a, err := ParseAction(s, text)
	return []Action{a}, err
}

// Screen is what a State is drawn on, and what of it.
type Screen struct {
	Columns int   // of text; 0: any number
	Lines   int   // for the board; 0: any number
	Colour  bool  // ANSI escape sequences may be used; they add nothing that the text does not say
	Since   State // an earlier position of the game: what has changed since is marked; nil: nothing is
}

// Drawer is a State that draws itself as text.
type Drawer interface {
	// Draw returns the board as lines of text, the last one ended by a newline: no
	// larger than the screen, if it can, and with marks on what the last moves have
	// changed.
	Draw(screen Screen) string
}

// Draw returns s drawn for a screen, or its string if it cannot draw itself.
func Draw(s State, screen Screen) string {
	if d, ok := s.(Drawer); ok {
		return d.Draw(screen)
	}
	return s.String() + "\n"
}

// SVGDrawer is a State that draws itself as a picture.
type SVGDrawer interface {
	// DrawSVG returns an SVG element that refers to nothing outside of it. Each of its
	// parts is on a line of its own, so that positions of a game have most lines in
	// common. Fields that differ from those of since, an earlier position of the game
	// or nil, are marked. Colours of text are left to the page (currentColor). A part
	// that is a place on the board has the attribute data-cell, the place's name as
	// actions are written with it, so that a page can let people point at places, and,
	// if something is on the place, data-holds, a name for it that a screen reader can
	// speak, such as "White piece". The svg element may have data-seats, the colours of
	// the seats' pieces separated by spaces.
	DrawSVG(since State) string
}

// Narrator is a State that describes what its notation leaves out: captures and the
// like.
type Narrator interface {
	// Narrate says what has changed since before, the position in which the last
	// turn began, such as "captures c3f; tile b4 leaves the board", or "". At the end
	// of a game that ranks all players it also lists their places.
	Narrate(before State) string

	// Announcement returns what must be announced after the last action, or "".
	Announcement() string
}

// SeatNamer is a Game whose seats have names that people know them by, such as
// White and Black.
type SeatNamer interface {
	// SeatName returns the name of a seat, with a capital and without white
	// space. No two seats share one.
	SeatName(p Player) string
}

// SeatName returns what messages call a seat: its name if the game has names,
// otherwise "player" and its number, counted from 1.
func SeatName(game Game, p Player) string {
	if n, ok := game.(SeatNamer); ok {
		return n.SeatName(p)
	}
	return fmt.Sprintf("player %d", p+1)
}

// Claimer is a State of a game in which the player on turn may claim a draw.
type Claimer interface {
	// DrawClaim returns the action that claims a draw, and whether it is legal.
	// It ends the game.
	DrawClaim() (claim Action, legal bool)
}

// TurnCounter is a State of a game whose rules say which turns perft counts,
// the usual check of a move generator. Without it the turns are sequences of
// legal actions.
type TurnCounter interface {
	// Perft returns the number of sequences of depth complete turns, 1 for
	// depth 0. A sequence that ends the game earlier may count, too.
	Perft(depth int) uint64

	// Divide returns the turns that these sequences begin with.
	Divide() []CountedTurn
}

// CountedTurn is a complete turn that perft counts, and the position after it.
type CountedTurn struct {
	Move  string
	After TurnCounter
}

// TurnRecorder is a State of a game whose records tell more than the legal
// actions and the positions after them.
type TurnRecorder interface {
	// Record returns a value that encoding/json writes as an object. Its "pos"
	// is the position and "result" the result, "*" while the game goes on; in
	// "children" there is an object for each complete turn, with its notation
	// as "move" and the position "after" it.
	Record() any
}

// Solvable is a Game whose positions an exact solver can judge.
type Solvable interface {
	Game

	// ParseSolved returns the position that a line of a file of solved
	// positions describes, which is not over, and its value to the player on
	// turn: 1 if that player can force a win, 0 a draw, -1 neither.
	ParseSolved(line string) (s State, value int, err error)

	// NewJudge returns a function that reports whether a leaves the player on
	// turn less than value, which s is worth, or an error that wraps that of
	// ctx, should it end first. It is for one goroutine.
	NewJudge() func(ctx context.Context, s State, a Action, value int) (bool, error)
}

// GTPGame is a Game that other programs play by the Go Text Protocol (G. Farnebäck 2002,
// "GTP Version 2"): with the names of its seats as colours and those of its actions as
// vertices, in any case of the letters.
type GTPGame interface {
	// GTPSetup returns the commands that set up a new game, such as boardsize 9.
	GTPSetup() []string
}
