package env

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
)

// MaxPlayers is the largest number of seats a game can have.
const MaxPlayers = 4

// Action is one decision of the player on turn, 0 <= a < Spec.Actions().
//
// Actions are laid out like the network's policy planes, in the mover's frame
// (see State.Observe): a = (plane*Height + row)*Width + column. The same
// number may therefore mean different moves for different players; use
// State.ActionString to name one.
type Action int32

// Player is a seat, counted from 0.
type Player int8

// Value is a payoff by seat, each in [-1, 1]; the payoffs of the seats that
// take part sum to 0, the others are 0.
type Value [MaxPlayers]float32

// View is a payoff like Value, but the viewer comes first, then the other
// seats in order round the table. It is a type of its own so that the two
// cannot be mixed up.
type View [MaxPlayers]float32

// From returns v as the viewer sees it, at a table of players seats.
func (v Value) From(viewer Player, players int) View {
	var w View
	for i := range players {
		w[i] = v[(int(viewer)+i)%players]
	}
	return w
}

// BySeat returns w, seen by viewer at a table of players seats, as a Value.
func (w View) BySeat(viewer Player, players int) Value {
	var v Value
	for i := range players {
		v[(int(viewer)+i)%players] = w[i]
	}
	return v
}

// WinFor returns the payoffs of a game that winner alone has won: 1 for the
// winner, the loss shared evenly by the others.
func WinFor(winner Player, players int) Value {
	var v Value
	for i := range players {
		v[i] = -1 / float32(players-1)
	}
	v[winner] = 1
	return v
}

// Spec is what a network and a search need to know of a game.
type Spec struct {
	Name             string // canonical game string: name and every option that differs from its default
	Players          int    // seats, 2..MaxPlayers
	Planes           int    // observation planes
	Height           int    // rows of the grid
	Width            int    // columns of the grid
	PolicyPlanes     int    // action planes
	MaxPlies         int    // no game is longer, in actions
	OwnershipClasses int    // owner classes of a cell if the States are OwnershipScorers, else 0
	Version          int    // raised whenever rules, observation or action layout change: old weights and episodes no longer fit
}

// Cells returns the number of cells of the grid.
func (s Spec) Cells() int { return s.Height * s.Width }

// Actions returns the number of actions, PolicyPlanes*Height*Width.
func (s Spec) Actions() int { return s.PolicyPlanes * s.Height * s.Width }

// Inputs returns the length of an observation, Planes*Height*Width.
func (s Spec) Inputs() int { return s.Planes * s.Height * s.Width }

// Outcomes returns the number of classes of a result: a win of each seat, and
// a draw, which comes last.
func (s Spec) Outcomes() int { return s.Players + 1 }

// Game is a game with its options fixed. It is immutable and safe for
// concurrent use.
type Game interface {
	Spec() Spec
	New() State // the start position
}

// Lookup returns the game of a game string, as games.New does. Packages that
// read files take one, since a file says which game it is for.
type Lookup func(game string) (Game, error)

// State is one position, with as much of its history as the rules look at.
// It belongs to one goroutine. The player on turn need not alternate: a turn
// may hold several actions of one player.
//
// Play, Legal, Observe, CopyFrom, Result and Hash do not allocate, provided
// that the slices handed in are large enough.
type State interface {
	// Turn returns the player whose action is next; at the end of the game,
	// any seat.
	Turn() Player

	// Legal appends the legal actions to dst in ascending order and returns
	// the extended slice. It appends none if and only if the game is over.
	Legal(dst []Action) []Action

	// Play carries out a legal action. Anything else is a fault of the
	// caller and undefined; for actions from outside use Apply.
	Play(a Action)

	// Result returns the payoffs once the game is over, and whether it is.
	Result() (v Value, over bool)

	// Observe writes the position as the player on turn sees it to dst,
	// [Planes, Height, Width], every element. "The mover's frame" is how the
	// board lies there; legal actions are counted in the same frame.
	Observe(dst []float32)

	// CopyFrom makes the state equal to src, which is a state of the same
	// game. A state holds no pointers to memory that it changes, so that
	// this is one assignment.
	CopyFrom(src State)

	// Hash returns a digest with: equal hash, equal observation, legal
	// actions and future (up to collisions of 64 bits).
	Hash() uint64

	// ActionString names a legal action in the game's notation, unique among
	// the legal actions and without white space.
	ActionString(a Action) string

	// String returns the position for people and tests; for a Positioner it
	// is Position.
	String() string
}

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

// Symmetric is a Game with symmetries. Each maps the start position to itself,
// unless the game's States are Imagers.
type Symmetric interface {
	// Symmetries returns all of them, the identity first. The caller must
	// not change them.
	Symmetries() []Symmetry
}

// Imager is a State of a Symmetric game whose symmetries keep the rules, but
// not the start position: the image of a game begins elsewhere.
type Imager interface {
	// SetImage makes the state the image of src, which is a state of the same
	// game, under the symmetry with number n of Symmetries.
	SetImage(src State, n int)
}

// Sampler is a State that draws a legal action without listing them all, of which
// random playouts do millions.
type Sampler interface {
	// Sample returns Legal(nil)[rng.IntN(n)] of the n legal actions, and draws
	// nothing else. The game must not be over. It does not allocate.
	Sample(rng *rand.Rand) Action
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

// Limit ends the name of a rule that bounds the length of games.
const Limit = "-limit"

// Ranker is a State that knows more of the outcome than the payoffs say: who
// was second, and so on.
type Ranker interface {
	// Ranking returns the place of each seat as things stand, 1 for the best;
	// seats that cannot be told apart share the better place. Seats that the
	// game does not have are 0. At the end, whoever is paid most is first.
	Ranking() [MaxPlayers]int8
}

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
}

// Announcer is a State with something the rules want said aloud.
type Announcer interface {
	// Announcement returns what must be announced after the last action, or "".
	Announcement() string
}

// TextDrawer is a State that draws itself for a terminal.
type TextDrawer interface {
	// Draw returns the board as lines of text, the last one ended by a
	// newline. With colour set it may use ANSI escape sequences.
	Draw(colour bool) string
}

// ErrIllegal is wrapped by errors of Apply and ParseAction.
var ErrIllegal = errors.New("illegal action")

// Apply plays an action that comes from outside. If it is not legal it
// returns an error that wraps ErrIllegal and leaves the state as it was.
func Apply(s State, a Action) error {
	if !slices.Contains(s.Legal(nil), a) {
		if _, over := s.Result(); over {
			return fmt.Errorf("%w %d: the game is over", ErrIllegal, a)
		}
		return fmt.Errorf("%w %d in %s", ErrIllegal, a, s)
	}
	s.Play(a)
	return nil
}

// ParseAction returns the legal action of s that is written name, or an error
// that wraps ErrIllegal.
func ParseAction(s State, name string) (Action, error) {
	for _, a := range s.Legal(nil) {
		if s.ActionString(a) == name {
			return a, nil
		}
	}
	if _, over := s.Result(); over {
		return 0, fmt.Errorf("%w %q: the game is over", ErrIllegal, name)
	}
	return 0, fmt.Errorf("%w %q in %s", ErrIllegal, name, s)
}
