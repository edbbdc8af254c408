package env

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
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

// Value is a payoff by seat, each in [-1, 1]. The payoffs of the seats in play sum to 0;
// the rest are 0.
type Value [MaxPlayers]float32

// View is a payoff relative to a viewer: the viewer's first, then the other seats' in turn
// order. It is a type of its own so that the two cannot be confused.
type View [MaxPlayers]float32

// From returns v from the viewpoint of viewer in a game of the given number of players.
func (v Value) From(viewer Player, players int) View {
	var w View
	for i := range players {
		w[i] = v[(int(viewer)+i)%players]
	}
	return w
}

// BySeat is the inverse of From.
func (w View) BySeat(viewer Player, players int) Value {
	var v Value
	for i := range players {
		v[(int(viewer)+i)%players] = w[i]
	}
	return v
}

// WinFor returns the payoffs of a win by winner alone: 1 for the winner and an equal share
// of the loss for each other seat.
func WinFor(winner Player, players int) Value {
	var v Value
	for i := range players {
		v[i] = -1 / float32(players-1)
	}
	v[winner] = 1
	return v
}

// WinByLead returns the payoffs of a game that the first of two players leads by lead.
func WinByLead(lead int) Value {
	switch {
	case lead > 0:
		return WinFor(0, 2)
	case lead < 0:
		return WinFor(1, 2)
	}
	return Value{}
}

// EstimateByLead maps a lead of the first of two players to the payoff lead/(scale+|lead|).
func EstimateByLead(lead, scale float32) Value {
	lead /= scale + max(lead, -lead)
	return Value{lead, -lead}
}

// Shares returns each seat's share of the win under the payoffs v. A share is the
// probability that the seat wins, or its part of a shared win; WinFor averaged with these
// weights gives v. Each of two winners has 1/2; a draw is a win shared by all. The shares
// sum to 1.
//
// A seat with share x is paid x minus the sum of the other shares divided by n-1, so x =
// ((n-1)·v + 1)/n for n players. A payoff below -1/(n-1), the loss in a win by another
// seat, counts as a share of 0, and the other shares are scaled to sum to 1.
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

// Check returns an error unless v has a value from -1 to 1 for each of the given number of
// players and 0 for other seats, with the sum 0. The error calls a value what, such as "payoff".
func (v Value) Check(what string, players int) error {
	sum := 0.0
	for seat, x := range v {
		if !(x >= -1 && x <= 1) { // NaN as well
			return fmt.Errorf("%s %v of seat %d is not within -1 to 1", what, x, seat)
		}
		if seat >= players && x != 0 {
			return fmt.Errorf("%s %v of seat %d, but the game has %d seats", what, x, seat, players)
		}
		sum += float64(x)
	}
	if math.Abs(sum) > 1e-6 {
		return fmt.Errorf("%ss %v sum to %v, not 0", what, v, sum)
	}
	return nil
}

// FormatResult returns the result of s, a state of a game of the given number of players:
// "*" if the game is not over, a score such as "1-0" for two players, the payoffs by seat
// for more.
func FormatResult(s State, players int) string {
	v, over := s.Result()
	if !over {
		return "*"
	}
	return FormatPayoffs(v[:players])
}

// FormatPayoffs is FormatResult for a finished game with these payoffs by seat.
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

// Spec describes a game to networks and searches.
type Spec struct {
	Name             string // canonical game string: name and all options with non-default values
	Players          int    // seats, 2..MaxPlayers
	Planes           int    // observation planes
	Height           int    // rows of the grid
	Width            int    // columns of the grid
	PolicyPlanes     int    // action planes
	MaxPlies         int    // upper bound on the length of a game, in actions
	OwnershipClasses int    // owner classes of a cell if the States are OwnershipScorers, else 0

	// Version is raised whenever rules, endings, observation or action layout change, which
	// makes old weights unusable. Games with the same name, version and measures above except
	// MaxPlies agree on the meaning of each plane and action, so a network for one of them can
	// play the others.
	Version int

	// RulesVersion is the first version since which only the observation has changed, so that
	// games of all versions from there on can be read; 0 means Version.
	RulesVersion int
}

// Validate returns an error that names all invalid fields.
func (s Spec) Validate() error {
	_, _, err := ParseName(s.Name)
	faults := []error{err}
	if strings.ContainsFunc(s.Name, unicode.IsSpace) {
		faults = append(faults, fmt.Errorf("name %q contains white space", s.Name))
	}
	if s.Players < 2 || s.Players > MaxPlayers {
		faults = append(faults, fmt.Errorf("%d players, not 2 to %d", s.Players, MaxPlayers))
	}
	least := func(field string, n int) {
		if n < 1 {
			faults = append(faults, fmt.Errorf("%s is %d but must be at least 1", field, n))
		}
	}
	least("Planes", s.Planes)
	least("Height", s.Height)
	least("Width", s.Width)
	least("PolicyPlanes", s.PolicyPlanes)
	least("MaxPlies", s.MaxPlies)
	least("Version", s.Version)
	if s.RulesVersion < 0 || s.RulesVersion > s.Version {
		faults = append(faults, fmt.Errorf("RulesVersion is %d, not 0 to Version", s.RulesVersion))
	}
	return errors.Join(faults...)
}

// CheckGames returns an error unless games recorded under the given game string and version
// have the rules and actions of s; the observation may differ.
func (s Spec) CheckGames(game string, version int) error {
	oldest, known := cmp.Or(s.RulesVersion, s.Version), strconv.Itoa(s.Version)
	if oldest < s.Version {
		known = fmt.Sprintf("%d to %d", oldest, s.Version)
	}
	switch {
	case game != s.Name:
		return fmt.Errorf("game is %.100q, not %q", game, s.Name)
	case version < oldest || version > s.Version:
		return fmt.Errorf("version is %d, but this program reads games of version %s of %s", version, known, s.Name)
	}
	return nil
}

// CheckResult checks the result of a State after the first plies actions of a game: payoffs
// must balance, and no game continues after MaxPlies.
func (s Spec) CheckResult(v Value, over bool, plies int) error {
	if over {
		return v.Check("payoff", s.Players)
	}
	if plies >= s.MaxPlies {
		return fmt.Errorf("the game continues after MaxPlies = %d", s.MaxPlies)
	}
	return nil
}

// Cells returns the number of cells of the grid.
func (s Spec) Cells() int { return s.Height * s.Width }

// Actions returns the number of actions, PolicyPlanes*Height*Width.
func (s Spec) Actions() int { return s.PolicyPlanes * s.Height * s.Width }

// Inputs returns the length of an observation, Planes*Height*Width.
func (s Spec) Inputs() int { return s.Planes * s.Height * s.Width }

// Outcomes returns the number of classes of a result: a win for each seat, then a draw.
func (s Spec) Outcomes() int { return s.Players + 1 }

// Game is a game with fixed options. It is immutable and safe for concurrent use.
type Game interface {
	Spec() Spec
	New() State // the start position
}

// Lookup returns the game of a game string, as games.New does. Packages that read files
// need one, since each file names its game.
type Lookup func(game string) (Game, error)

// State is a position, with as much of its history as the rules need. It must be used by
// one goroutine at a time. Players need not alternate: a turn may consist of several
// actions of one player.
//
// Play, Legal, Observe, CopyFrom, Result and Hash do not allocate if the given slices are
// large enough.
type State interface {
	// Turn returns the player who acts next, or any seat if the game is over.
	Turn() Player

	// Legal appends the legal actions to dst in ascending order and returns the extended
	// slice. It appends none if and only if the game is over.
	Legal(dst []Action) []Action

	// Play performs a legal action. The effect of an illegal action is undefined; check
	// untrusted actions with CheckAction first.
	Play(a Action)

	// Result returns the payoffs once the game is over, and whether it is.
	Result() (v Value, over bool)

	// Observe writes the position from the viewpoint of the player on turn to dst, [Planes,
	// Height, Width], every element. The orientation of the board in dst is called the
	// mover's frame; legal actions are numbered in the same frame.
	Observe(dst []float32)

	// CopyFrom makes the state equal to src, a state of the same game or of a variant of it
	// (see Variants), whose rules it adopts. A state contains no pointers to memory that it
	// changes, so a copy is a single assignment.
	CopyFrom(src State)

	// Hash returns a digest. Equal hashes imply equal observations, legal actions and
	// futures (up to 64-bit collisions).
	Hash() uint64

	// ActionString returns the notation of a legal action, unique among the legal actions
	// and without white space.
	ActionString(a Action) string

	// String returns the position for display. For a Positioner it equals Position.
	String() string
}

// Size returns the memory used by a position, in bytes. It is the size of the type because
// a State contains no pointers to memory that it changes.
func Size(s State) int {
	t := reflect.TypeOf(s)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return int(t.Size())
}

// After returns the position reached from s by a sequence of legal actions, or a copy of s
// without any. s itself is not changed; game is its game.
func After(game Game, s State, actions ...Action) State {
	next := game.New()
	next.CopyFrom(s)
	for _, a := range actions {
		next.Play(a)
	}
	return next
}

// Names returns the notation of the legal actions of s, in the order of Legal.
func Names(s State) []string {
	var names []string
	for _, a := range s.Legal(nil) {
		names = append(names, s.ActionString(a))
	}
	return names
}

// ErrIllegal is wrapped by the errors of CheckAction and ParseAction.
var ErrIllegal = errors.New("illegal action")

// CheckAction returns an error that wraps ErrIllegal if a is not legal in s. It is meant
// for untrusted actions.
func CheckAction(s State, a Action) error {
	if slices.Contains(s.Legal(nil), a) {
		return nil
	}
	return fmt.Errorf("%w %d", ErrIllegal, a)
}

// ParseAction returns the legal action of s with the notation name, or an error that wraps
// ErrIllegal.
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
