package env

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
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

// Shares returns the share of the win that each of players seats has by the
// payoffs v: the probabilities, or the parts of a shared win, whose payoffs by
// WinFor average to v. Of two winners each has 1/2; a draw is a win shared by
// all. The shares sum to 1.
//
// Seat i with share x_i is paid x_i less what the others have, spread over
// n-1, so that x_i = ((n-1)·v_i + 1)/n. Below -1/(n-1), which no win of others
// pays, there is nothing to share: such payoffs count as that, and the shares
// of the rest are made to sum to 1.
func (v Value) Shares(players int) [MaxPlayers]float64 {
	var shares [MaxPlayers]float64
	n, sum := float64(players), 0.0
	for i := range players {
		shares[i] = max(0, (float64(float64(v[i])*(n-1))+1)/n)
		sum += shares[i]
	}
	for i := range players {
		shares[i] /= sum
	}
	return shares
}

// FormatResult writes the result of s, a state of a game for so many players: "*"
// while the game goes on, "1-0" and the like for two seats, the payoffs by seat for
// more.
func FormatResult(s State, players int) string {
	v, over := s.Result()
	if !over {
		return "*"
	}
	return FormatPayoffs(v[:players])
}

// FormatPayoffs is FormatResult of a game that is over, from the payoffs of its
// seats.
func FormatPayoffs(payoffs []float32) string {
	switch {
	case len(payoffs) > 2:
		return strings.Trim(fmt.Sprint(payoffs), "[]")
	case payoffs[0] > 0:
		return "1-0"
	case payoffs[0] < 0:
		return "0-1"
	}
	return "1/2-1/2"
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

	// Version is raised whenever rules, observation or action layout change: old
	// weights and episodes no longer fit. Game strings of one name and version that
	// have the same measures above, but for MaxPlies, agree in what each plane and
	// action means, so that a network for one can play the others.
	Version int
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

	// Play carries out a legal action. Anything else is a fault of the caller
	// and undefined; actions from outside go through CheckAction first.
	Play(a Action)

	// Result returns the payoffs once the game is over, and whether it is.
	Result() (v Value, over bool)

	// Observe writes the position as the player on turn sees it to dst,
	// [Planes, Height, Width], every element. "The mover's frame" is how the
	// board lies there; legal actions are counted in the same frame.
	Observe(dst []float32)

	// CopyFrom makes the state equal to src, which is a state of the same game or
	// of a variant (Variants), whose rules it then follows. A state holds no pointers
	// to memory that it changes, so that this is one assignment.
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

// Size returns the memory that a position takes, in bytes. A State holds no
// pointers to memory that it changes, so that this is the size of its type.
func Size(s State) int {
	t := reflect.TypeOf(s)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return int(t.Size())
}

// After returns the position that legal actions lead to from s, a state of game,
// which stays as it is; without actions it is a copy.
func After(game Game, s State, actions ...Action) State {
	next := game.New()
	next.CopyFrom(s)
	for _, a := range actions {
		next.Play(a)
	}
	return next
}

// Names returns the names of the legal actions of s, in the order of Legal.
func Names(s State) []string {
	var names []string
	for _, a := range s.Legal(nil) {
		names = append(names, s.ActionString(a))
	}
	return names
}

// ErrIllegal is wrapped by errors of CheckAction and ParseAction.
var ErrIllegal = errors.New("illegal action")

// CheckAction returns an error that wraps ErrIllegal if a, an action from outside,
// is not legal in s.
func CheckAction(s State, a Action) error {
	if slices.Contains(s.Legal(nil), a) {
		return nil
	}
	return fmt.Errorf("%w %d", ErrIllegal, a)
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
		return 0, fmt.Errorf("%w %.100q: the game is over", ErrIllegal, name)
	}
	return 0, fmt.Errorf("%w %.100q in %s", ErrIllegal, name, s)
}
