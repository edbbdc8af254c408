package play

import (
	"fmt"
	"strings"

	"tiro/arena"
	"tiro/env"
	"tiro/format"
	"tiro/format/sgf"
)

// Stored are the games of a file.
type Stored struct {
	Rules env.Game
	Games []StoredGame
}

// StoredGame is a game of a file.
type StoredGame struct {
	Number  int
	Title   string   // players and result, as text
	Seats   []string // by seat: name of the player
	Start   env.State
	History []env.Action

	result string // in SGF, unless the last position ends the game
}

// ReadStored parses a file written by tiro match --records, tiro rate, or the command save of
// tiro play.
func ReadStored(data []byte, find env.Lookup) (s Stored, err error) {
	if data, err = format.Text(data); err != nil {
		return s, err
	}
	if name, ok := RecordGame(data); ok {
		err = s.readRecord(name, data, find)
	} else {
		err = s.readMatches(data, find)
	}
	return s, err
}

func (f *Stored) readRecord(name string, data []byte, find env.Lookup) (err error) {
	if f.Rules, err = find(name); err != nil {
		return err
	}
	if sgf.Is(data) {
		return f.readSGF(data)
	}
	r, err := readRecord(f.Rules, data)
	if err != nil {
		return err
	}
	title := fmt.Sprintf("%s: %s: %d plies", r.keys["players"], r.keys["result"], len(r.table.History))
	f.Games = []StoredGame{r.table.stored(title)}
	return nil
}

func (f *Stored) readSGF(data []byte) error {
	g, err := readSGF(data)
	if err != nil {
		return err
	}
	t, err := g.table(f.Rules)
	if err != nil {
		return err
	}
	f.Games = []StoredGame{t.stored(g.title(t))}
	f.Games[0].result = g.root.Text("RE")
	return nil
}

// stored returns the game as one of a file.
func (t *Table) stored(title string) StoredGame {
	seats := t.Seats
	if len(seats) == 0 { // the record does not name them
		seats = make([]string, t.Rules.Spec().Players)
	}
	g := StoredGame{Title: title, Seats: seats, Start: t.States[0], History: t.History}
	if seat, ok := t.Resigned(); ok && len(seats) == 2 {
		g.result = sgfResigned(seat)
	}
	return g
}

func (f *Stored) readMatches(data []byte, find env.Lookup) error {
	name, err := arena.GameOf(data)
	if err != nil {
		return fmt.Errorf("not a file of games from tiro match --records, tiro rate or tiro play: %w", err)
	}
	if f.Rules, err = find(name); err != nil {
		return err
	}
	matches, err := arena.ReadGames(data, f.Rules)
	if err != nil {
		return err
	}
	for _, m := range matches {
		first := 0 // number of the match's first game
		for _, g := range f.Games {
			first = max(first, g.Number+1)
		}
		for _, r := range m.Games {
			history, err := playMoves(f.Rules.New(), r.Moves, parseAction)
			if err != nil {
				return err
			}
			var who, seats []string
			for seat, player := range r.Seating {
				seats = append(seats, m.Players[player].String())
				who = append(who, env.SeatName(f.Rules, env.Player(seat))+" "+m.Players[player].String())
			}
			ending, result := "", sgfWinner(r.Result, "")
			if r.Ending != "" {
				ending = " (" + r.Ending + ")"
			}
			if r.Forfeit != nil {
				result = sgfWinner(r.Result, "F")
				ending = fmt.Sprintf(" (%s forfeits: %s)", env.SeatName(f.Rules, env.Player(r.Forfeit.Seat)), r.Forfeit.Reason)
			}
			title := fmt.Sprintf("game %d: %s: %s%s, %d plies", first+r.Number, strings.Join(who, ", "), env.FormatPayoffs(r.Result), ending, len(history))
			f.Games = append(f.Games, StoredGame{Number: first + r.Number, Title: title, Seats: seats, Start: f.Rules.New(), History: history, result: result})
		}
	}
	return nil
}
