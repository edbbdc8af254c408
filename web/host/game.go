package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"tiro/env"
	"tiro/format"
	"tiro/play"
)

// header is that of a game's file.
var header = format.Header{Format: 2, What: "tiro game of a browser"}

// file is a game as it is kept.
type file struct {
	format.Header
	Game     string      `json:"game"`
	Version  int         `json:"version"` // of the rules
	Seats    []string    `json:"seats"`   // names of players, or Human
	Moves    []string    `json:"moves"`   // actions
	Lines    [][]string  `json:"lines"`   // others, that were left
	Resigned *env.Player `json:"resigned,omitempty"`
}

// game is a game between people and players. Its fields but the first are guarded by
// its mutex.
type game struct {
	id    string
	offer *Offer
	rules env.Game

	mu       sync.Mutex
	seats    []string
	history  []env.Action
	states   []env.State    // after 0, 1, … actions
	opinions []*opinion     // of the analyst there; nil: not known
	lines    [][]env.Action // that were left, the oldest first
	resigned *env.Player
	trouble  string // of the player on turn, for people; it does not move
	unsaved  string // why the game could not be saved as it is, for people
	busy     bool   // a player is thinking
	version  int    // counts changes
	watchers map[chan int]bool
	evicted  bool // it has left memory; whoever wants it finds it anew
}

// newGame returns a game that has not begun.
func newGame(id string, offer *Offer, rules env.Game, seats []string) (*game, error) {
	if len(seats) != rules.Spec().Players {
		return nil, fmt.Errorf("number of seats is %d; want %d, as %s has", len(seats), rules.Spec().Players, offer.Game)
	}
	for i, name := range seats {
		if name != Human && !slices.ContainsFunc(offer.Players, func(p Player) bool { return p.Name == name }) {
			return nil, fmt.Errorf("seat %d: player %.100q is not offered", i+1, name)
		}
	}
	g := &game{id: id, offer: offer, rules: rules, seats: seats, watchers: map[chan int]bool{}}
	g.states, g.opinions = []env.State{rules.New()}, []*opinion{nil}
	return g, nil
}

// state returns the position at hand.
func (g *game) state() env.State { return g.states[len(g.states)-1] }

// over reports whether the game has ended.
func (g *game) over() bool {
	_, over := g.state().Result()
	return over || g.resigned != nil
}

// occupant returns who is to move, "" at the end.
func (g *game) occupant() string {
	if g.over() {
		return ""
	}
	return g.seats[g.state().Turn()]
}

// add plays a legal action.
func (g *game) add(a env.Action) {
	g.states = append(g.states, env.After(g.rules, g.state(), a))
	g.history, g.opinions = append(g.history, a), append(g.opinions, nil)
	g.trouble = ""
	g.prune()
}

// play plays what a person means by text: an action, or a complete turn.
func (g *game) play(ply int, text string) error {
	switch {
	case ply != len(g.history):
		return ErrLate
	case g.over():
		return errors.New("the game is over")
	case g.occupant() != Human:
		return fmt.Errorf("%s is to move", g.occupant())
	}
	actions, err := parse(g.state(), text)
	if err != nil {
		return err
	}
	for _, a := range actions {
		g.add(a)
	}
	return nil
}

// parse returns the actions that text names.
func parse(s env.State, text string) ([]env.Action, error) {
	if a, err := env.ParseAction(s, text); err == nil {
		return []env.Action{a}, nil
	}
	actions, err := env.ParseTurn(s, text)
	if err != nil {
		return nil, fmt.Errorf("illegal move %.100q", text)
	}
	return actions, nil
}

// undo takes back what was played since a person last moved, and that move. The line
// is kept.
func (g *game) undo(ply int) error {
	if ply != len(g.history) {
		return ErrLate
	}
	keep := len(g.history)
	if g.resigned == nil {
		for keep--; keep >= 0 && g.seats[g.states[keep].Turn()] != Human; keep-- {
		}
	}
	if keep < 0 {
		return errors.New("nobody has moved yet")
	}
	g.leave(keep)
	return nil
}

// resign gives a game of two seats up for the person on turn.
func (g *game) resign(ply int) error {
	switch {
	case ply != len(g.history):
		return ErrLate
	case len(g.seats) != 2:
		return errors.New("a resignation would rob the other players of their game")
	case g.occupant() != Human:
		return errors.New("no person is to move")
	}
	turn := g.state().Turn()
	g.resigned = &turn
	return nil
}

// changed tells all watchers that the game has changed.
func (g *game) changed() {
	g.version++
	for w := range g.watchers {
		select {
		case w <- g.version:
		default: // has one waiting already
		}
	}
}

// file returns the game as it is kept.
func (g *game) file() ([]byte, error) {
	f := file{Header: header, Game: g.offer.Game, Version: g.rules.Spec().Version, Seats: g.seats, Moves: g.names(g.history), Lines: [][]string{}, Resigned: g.resigned}
	for _, line := range g.lines {
		f.Lines = append(f.Lines, g.names(line))
	}
	return json.Marshal(f)
}

// replay plays actions by their names.
func (g *game) replay(moves []string) error {
	for i, name := range moves {
		a, err := env.ParseAction(g.state(), name)
		if err != nil {
			return fmt.Errorf("move %d: %w", i+1, err)
		}
		g.add(a)
	}
	return nil
}

// readResigned reads who has resigned as it is kept, nil if nobody has.
func (g *game) readResigned(seat *env.Player) error {
	switch {
	case seat != nil && len(g.seats) != 2:
		return fmt.Errorf("resigned is %d; nobody can resign a game of %d seats", *seat, len(g.seats))
	case seat != nil && *seat != 0 && *seat != 1:
		return fmt.Errorf("resigned is %d; want 0 or 1", *seat)
	}
	g.resigned = seat
	return nil
}

// result returns how the game stands or ended, for people.
func (g *game) result() (payoff *env.Value, text string) {
	players := g.rules.Spec().Players
	if g.resigned != nil {
		v := env.WinFor(1-*g.resigned, players)
		return &v, env.SeatName(g.rules, *g.resigned) + " resigned"
	}
	s := g.state()
	v, over := s.Result()
	if !over {
		return nil, ""
	}
	if e, ok := s.(env.Ender); ok {
		text = e.Ending()
	}
	return &v, text
}

// record returns the game as text that tiro play loads, too, without a turn under way.
func (g *game) record() []byte {
	r := play.Record{Game: g.offer.Game, Version: g.rules.Spec().Version, Result: env.FormatResult(g.state(), len(g.seats))}
	for i, name := range g.seats {
		r.Players = append(r.Players, env.SeatName(g.rules, env.Player(i))+" ("+name+")")
	}
	if _, text := g.result(); text != "" {
		r.Result += " (" + text + ")"
	}
	turns := g.turns()
	if t, ok := g.state().(env.Turner); ok && len(turns) > 0 && t.LastTurn() == "" {
		if _, over := g.state().Result(); !over {
			turns = turns[:len(turns)-1]
		}
	}
	for _, t := range turns {
		r.Turns = append(r.Turns, t.Text)
	}
	return r.Text()
}

// Turn is a complete turn, or the part of one that has been played.
type Turn struct {
	Text string `json:"text"`
	Seat int    `json:"seat"`
	Ply  int    `json:"ply"` // actions up to its end
	Did  string `json:"did"` // captures and the like, for people
}

// turns returns the game by turns.
func (g *game) turns() []Turn {
	turns, began := []Turn{}, 0
	for i, a := range g.history {
		seat := int(g.states[i].Turn())
		name, next := g.states[i].ActionString(a), g.states[i+1]
		whole, ok := next.(env.Turner)
		_, over := next.Result()
		begun := ok && i > 0 && len(turns) > 0 && turns[len(turns)-1].Ply < 0
		if !begun {
			turns, began = append(turns, Turn{Seat: seat}), i
		}
		t := &turns[len(turns)-1]
		t.Text += map[bool]string{true: " "}[begun] + name
		switch {
		case !ok || over:
			t.Ply = i + 1
		case whole.LastTurn() != "":
			t.Text, t.Ply = whole.LastTurn(), i+1
		default:
			t.Ply = -1
		}
		if n, ok := next.(env.Narrator); ok && t.Ply > 0 {
			t.Did = n.Narrate(g.states[began])
		}
	}
	if n := len(turns); n > 0 && turns[n-1].Ply < 0 {
		turns[n-1].Ply = len(g.history)
	}
	return turns
}
