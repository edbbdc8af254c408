package host

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"tiro/env"
	"tiro/play"
)

// game is a game between humans and players. The mutex guards the fields below it.
type game struct {
	id    string
	offer *Offer

	mu sync.Mutex
	*play.Table
	opinions []*opinion     // by ply: the analyst's opinion; nil if unknown
	lines    [][]env.Action // abandoned lines, oldest first
	trouble  string         // error of the player on turn, which does not move; "" for none
	unsaved  string         // error of saving the game; "" for none
	busy     bool           // whether a player is thinking
	stop     func()         // stops the player
	version  int            // counts changes
	evicted  bool           // whether it has left memory, so that it must be looked up again
}

// newGame returns a game that has not begun. offers reports whether a player may take a seat.
func newGame(id string, offer *Offer, rules env.Game, seats []string, offers func(*Offer, string) bool) (*game, error) {
	if len(seats) != rules.Spec().Players {
		return nil, fmt.Errorf("%d seats, but %s has %d", len(seats), offer.Game, rules.Spec().Players)
	}
	for i, name := range seats {
		if name != Human && !offers(offer, name) {
			return nil, fmt.Errorf("seat %d: player %.100q is %w", i+1, name, errNotOffered)
		}
	}
	return &game{
		id: id, offer: offer, Table: play.NewTable(rules, seats, rules.New()), opinions: []*opinion{nil},
	}, nil
}

// add plays legal actions. It drops lines that become part of the current line.
func (g *game) add(actions ...env.Action) {
	g.Play(actions...)
	g.opinions = append(g.opinions, make([]*opinion, len(actions))...)
	g.trouble = ""
	g.lines = slices.DeleteFunc(g.lines, func(line []env.Action) bool { return begins(g.History, line) })
}

// move plays the move that a user entered: an action or a complete turn.
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

// undo takes back the last human move and all later moves. The line is kept.
func (g *game) undo() error {
	keep := g.LastDecision()
	if keep < 0 {
		return errors.New("there is no move to take back")
	}
	g.leave(keep)
	return nil
}

// resign resigns a game of two seats for the human on turn.
func (g *game) resign() error {
	if len(g.Seats) != 2 {
		return errors.New("only games of two players can be resigned")
	}
	return g.Resign()
}
