package host

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"tiro/env"
	"tiro/play"
)

// game is a game between people and players. Its fields but the first are guarded by
// its mutex.
type game struct {
	id    string
	offer *Offer

	mu sync.Mutex
	*play.Table
	opinions []*opinion     // of the analyst there; nil: not known
	lines    [][]env.Action // that were left, the oldest first
	trouble  string         // of the player on turn, for people; it does not move
	unsaved  string         // why the game could not be saved as it is, for people
	busy     bool           // a player is thinking
	stop     func()         // ends that
	version  int            // counts changes
	evicted  bool           // it has left memory; whoever wants it finds it anew
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
	return &game{
		id: id, offer: offer, Table: play.NewTable(rules, seats, rules.New()), opinions: []*opinion{nil},
	}, nil
}

// add plays legal actions.
func (g *game) add(actions ...env.Action) {
	g.Play(actions...)
	g.opinions = append(g.opinions, make([]*opinion, len(actions))...)
	g.trouble = ""
	g.prune()
}

// move plays what a person means by text: an action, or a complete turn.
func (g *game) move(text string) error {
	switch {
	case g.Over():
		return errors.New("the game is over")
	case g.Occupant() != Human:
		return fmt.Errorf("%s is to move", g.Occupant())
	}
	actions, err := g.Parse(text)
	if err != nil {
		return err
	}
	g.add(actions...)
	return nil
}

// undo takes back what was played since a person last moved, and that move. The line
// is kept.
func (g *game) undo() error {
	keep := g.LastDecision()
	if keep < 0 {
		return errors.New("nobody has moved yet")
	}
	g.leave(keep)
	return nil
}

// resign gives a game of two seats up for the person on turn.
func (g *game) resign() error {
	if len(g.Seats) != 2 {
		return errors.New("a resignation would rob the other players of their game")
	}
	return g.Resign()
}
