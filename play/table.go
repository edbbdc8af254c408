package play

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"tiro/env"
)

// Human is the name of a human in the list of seats.
const Human = "human"

// Table is a game between humans and players: the seats, the moves and the resignations. The
// terminal and the browser use it. Callers must not modify its slices. Rewind never overwrites
// their elements. A Table is for one goroutine at a time.
type Table struct {
	Rules env.Game
	Seats []string // by seat: the name of a player, or Human

	// Substitute is the name of the player that takes the seat of a human who resigns a
	// game of more than two seats. If it is "", every resignation ends the game.
	Substitute string

	States  []env.State  // after 0, 1, … actions
	History []env.Action // actions from States[0] to the last state

	resigned []resignation // in order
}

type resignation struct {
	seat env.Player
	ply  int // number of actions before it
}

// NewTable returns a game that begins at start.
func NewTable(rules env.Game, seats []string, start env.State) *Table {
	return &Table{Rules: rules, Seats: seats, States: []env.State{env.After(rules, start)}}
}

// State returns the current position.
func (t *Table) State() env.State { return t.States[len(t.States)-1] }

// Play plays legal actions.
func (t *Table) Play(actions ...env.Action) {
	for _, a := range actions {
		t.States = append(t.States, env.After(t.Rules, t.State(), a))
		t.History = append(t.History, a)
	}
}

// Rewind returns to the position after the first plies actions. It takes back later
// resignations.
func (t *Table) Rewind(plies int) {
	t.History, t.States = t.History[:plies:plies], t.States[:plies+1:plies+1]
	t.resigned = slices.DeleteFunc(slices.Clone(t.resigned), func(r resignation) bool { return r.ply >= plies })
}

// LastDecision returns the number of actions before the last decision of a human, -1 if there
// is none. A decision is the resignation that has ended the game, or an action of a human who
// had not resigned.
func (t *Table) LastDecision() int {
	if t.abandoned() {
		return len(t.History)
	}
	for ply := len(t.History) - 1; ply >= 0; ply-- {
		if seat := t.States[ply].Turn(); t.Seats[seat] == Human && !t.hasResigned(seat, ply) {
			return ply
		}
	}
	return -1
}

// Resign resigns the game for the human on turn.
func (t *Table) Resign() error {
	if t.Occupant() != Human {
		return errors.New("it is not your turn")
	}
	t.resigned = append(t.resigned, resignation{t.State().Turn(), len(t.History)})
	return nil
}

// Resigned returns the seat of the last human to resign.
func (t *Table) Resigned() (seat env.Player, ok bool) {
	if len(t.resigned) == 0 {
		return 0, false
	}
	return t.resigned[len(t.resigned)-1].seat, true
}

// rotate moves the resignations to the next seat, like the humans.
func (t *Table) rotate() {
	for i := range t.resigned {
		t.resigned[i].seat = (t.resigned[i].seat + 1) % env.Player(len(t.Seats))
	}
}

// hasResigned reports whether the human on a seat resigned before action number ply.
func (t *Table) hasResigned(seat env.Player, ply int) bool {
	return slices.ContainsFunc(t.resigned, func(r resignation) bool { return r.seat == seat && r.ply < ply })
}

// abandoned reports whether a resignation has ended the game. With two seats every
// resignation does, with more seats the last human's.
func (t *Table) abandoned() bool {
	switch {
	case len(t.resigned) == 0:
		return false
	case len(t.Seats) == 2 || t.Substitute == "":
		return true
	}
	return len(t.resigned) == t.People()
}

// replaced reports whether the substitute has taken the seat.
func (t *Table) replaced(seat env.Player) bool {
	return t.hasResigned(seat, math.MaxInt) && !t.abandoned()
}

// People returns the number of human seats, including humans who have resigned.
func (t *Table) People() (n int) {
	for _, name := range t.Seats {
		if name == Human {
			n++
		}
	}
	return n
}

// Over reports whether the game has ended, by its rules or by resignation.
func (t *Table) Over() bool {
	_, over := t.State().Result()
	return over || t.abandoned()
}

// Occupant returns the name of the player on turn, or Human. It returns "" after the end.
func (t *Table) Occupant() string {
	switch seat := t.State().Turn(); {
	case t.Over():
		return ""
	case t.replaced(seat):
		return t.Substitute
	default:
		return t.Seats[seat]
	}
}

// Parse returns the actions that text names: one action, or all actions of a complete turn.
// Names may differ in case.
func (t *Table) Parse(text string) ([]env.Action, error) {
	s := t.State()
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		for _, a := range s.Legal(nil) {
			if same(s.ActionString(a), text) {
				return []env.Action{a}, nil
			}
		}
	}
	if turner, ok := s.(env.Turner); ok {
		for _, spelling := range []string{text, strings.ToLower(text)} {
			if actions, err := turner.ParseTurn(spelling); err == nil {
				return actions, nil
			}
		}
	}
	return nil, fmt.Errorf("illegal move %.100q", text)
}

// Whole returns the number of actions in complete turns.
func (t *Table) Whole() int {
	n := len(t.History)
	for n > 0 && env.MidTurn(t.States[n]) {
		n--
	}
	return n
}

// MidTurn reports whether part of a turn has been played.
func (t *Table) MidTurn() bool { return t.Whole() < len(t.History) }

// Since returns the position before the turn to which action number plies belongs, counted
// from 1. It returns nil if plies is 0.
func (t *Table) Since(plies int) env.State {
	if plies == 0 {
		return nil
	}
	began := plies - 1
	for began > 0 && t.States[began-1].Turn() == t.States[began].Turn() {
		began--
	}
	return t.States[began]
}

// Turn is a complete turn, or the first part of an incomplete one.
type Turn struct {
	Text string `json:"text"` // in the game's notation; the actions of an incomplete turn
	Seat int    `json:"seat"`
	Ply  int    `json:"ply"` // number of actions up to its end
	Did  string `json:"did"` // effects, such as captures

	began int  // number of actions before it
	part  bool // whether it is incomplete
}

// Turns returns the turns of the game.
func (t *Table) Turns() []Turn {
	turns := []Turn{}
	for turn := range Turns(t.Rules, t.States[0], t.History) {
		if n, ok := t.States[turn.Ply].(env.Narrator); ok && !turn.part {
			turn.Did = n.Narrate(t.States[turn.began])
		}
		turns = append(turns, turn)
	}
	return turns
}

// Turns splits actions that begin at s into turns. It does not set Turn.Did.
func Turns(game env.Game, s env.State, actions []env.Action) iter.Seq[Turn] {
	return func(yield func(Turn) bool) {
		at, turn := env.After(game, s), Turn{part: true}
		for i, a := range actions {
			if turn.began == i {
				turn.Seat = int(at.Turn())
			} else {
				turn.Text += " "
			}
			turn.Text += at.ActionString(a)
			turn.Ply = i + 1
			at.Play(a)
			if env.MidTurn(at) {
				continue
			}
			if w, ok := at.(env.Turner); ok && w.LastTurn() != "" {
				turn.Text = w.LastTurn()
			}
			turn.part = false
			if !yield(turn) {
				return
			}
			turn = Turn{began: i + 1, part: true}
		}
		if turn.began < len(actions) {
			yield(turn)
		}
	}
}

// notation returns the names of actions that begin at s: complete turns if the game has a
// notation for them, and otherwise single actions. An incomplete last turn is written as
// single actions.
func notation(game env.Game, s env.State, actions []env.Action) (names []string) {
	for t := range Turns(game, s, actions) {
		names = append(names, strings.Fields(t.Text)...)
	}
	return names
}
