package play

import (
	"fmt"
	"strings"

	"tiro/arena"
	"tiro/env"
)

// Stored are the games of a file.
type Stored struct {
	Rules env.Game
	Games []StoredGame
}

// StoredGame is a game of a file.
type StoredGame struct {
	Number  int
	Title   string // who played, and how it ended, for people
	Start   env.State
	History []env.Action
}

// ReadStored reads a file that tiro match --records, tiro rate or save in tiro play has
// written.
func ReadStored(data []byte, find env.Lookup) (s Stored, err error) {
	if name, ok := RecordGame(data); ok {
		err = s.readRecord(name, data, find)
	} else {
		err = s.readMatches(data, find)
	}
	return s, err
}

// readRecord reads a game that was saved in tiro play.
func (f *Stored) readRecord(name string, data []byte, find env.Lookup) (err error) {
	if f.Rules, err = find(name); err != nil {
		return err
	}
	r, err := readRecord(f.Rules, data)
	if err != nil {
		return err
	}
	title := fmt.Sprintf("%s: %s: %d plies", r.keys["players"], r.keys["result"], len(r.table.History))
	f.Games = []StoredGame{{Title: title, Start: r.table.States[0], History: r.table.History}}
	return nil
}

// readMatches reads the games of matches.
func (f *Stored) readMatches(data []byte, find env.Lookup) error {
	name, err := arena.GameOf(data)
	if err != nil {
		return fmt.Errorf("neither games of tiro match --records or tiro rate, nor a game saved in tiro play: %w", err)
	}
	if f.Rules, err = find(name); err != nil {
		return err
	}
	matches, err := arena.ReadGames(data, f.Rules)
	if err != nil {
		return err
	}
	first := 0 // number of a match's first game
	for _, m := range matches {
		if err := f.addMatch(m, first); err != nil {
			return err
		}
		for _, g := range f.Games {
			first = max(first, g.Number+1)
		}
	}
	return nil
}

// addMatch adds the games of a match, whose numbers begin with first.
func (f *Stored) addMatch(m *arena.LoggedMatch, first int) error {
	for _, r := range m.Games {
		g := StoredGame{Number: first + r.Number, Start: f.Rules.New()}
		var err error
		if g.History, err = playMoves(f.Rules.New(), r.Moves, parseAction); err != nil {
			return err
		}
		var who []string
		for seat, player := range r.Seating {
			who = append(who, env.SeatName(f.Rules, env.Player(seat))+" "+m.Players[player].String())
		}
		ending := ""
		if r.Ending != "" {
			ending = " (" + r.Ending + ")"
		}
		if r.Forfeit != nil {
			ending = fmt.Sprintf(" (%s forfeits: %s)", env.SeatName(f.Rules, env.Player(r.Forfeit.Seat)), r.Forfeit.Reason)
		}
		g.Title = fmt.Sprintf("game %d: %s: %s%s, %d plies", g.Number, strings.Join(who, ", "), env.FormatPayoffs(r.Result), ending, len(g.History))
		f.Games = append(f.Games, g)
	}
	return nil
}
