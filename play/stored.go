package play

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"tiro/arena"
	"tiro/env"
	"tiro/format"
)

// Stored are the games of a file.
type Stored struct {
	Rules env.Game
	Games []StoredGame
}

// StoredGame is a game of a file.
type StoredGame struct {
	Number int
	Title  string // players and result, as text
	*Record
}

// ReadStored parses PGN, SGF, or a file of tiro match --records or tiro rate.
func ReadStored(data []byte, find env.Lookup) (s Stored, err error) {
	if data, err = format.Text(data); err != nil {
		return s, err
	}
	if name, ok := RecordGame(data); ok {
		err = s.readRecords(name, data, find)
	} else {
		err = s.readMatches(data, find)
	}
	return s, err
}

// NewStored returns games of rules as the games of a file.
func NewStored(rules env.Game, games []*Record) Stored {
	s := Stored{Rules: rules}
	for i, r := range games {
		g := StoredGame{i, r.Title(), r}
		if len(games) > 1 {
			g.Title = fmt.Sprintf("game %d: %s", i, g.Title)
		}
		s.Games = append(s.Games, g)
	}
	return s
}

func (f *Stored) readRecords(name string, data []byte, find env.Lookup) error {
	if name == "" {
		return errors.New(`the first game has no tag with its game, such as [Variant "connect4"]`)
	}
	rules, err := find(name)
	if err != nil {
		return err
	}
	games, err := readRecords(rules, data)
	if err == nil {
		*f = NewStored(rules, games)
	}
	return err
}

func (f *Stored) readMatches(data []byte, find env.Lookup) error {
	name, err := arena.GameOf(data)
	switch {
	case format.OtherVersion(err):
		return err
	case err != nil:
		return fmt.Errorf("not PGN, SGF or a file of games from tiro match --records or tiro rate: %w", err)
	}
	if f.Rules, err = find(name); err != nil {
		return err
	}
	matches, err := arena.ReadGames(data, f.Rules)
	if err != nil {
		return err
	}
	next := 0 // number of the next match's first game
	for _, m := range matches {
		first := next
		names := make([]string, len(m.Players))
		for i, p := range m.Players {
			names[i] = p.String()
		}
		slices.SortFunc(m.Games, func(a, b arena.GameRecord) int { return a.Number - b.Number })
		for i := range m.Games {
			number := first + m.Games[i].Number
			r, err := recordOf(f.Rules, &m.Games[i], names)
			if err != nil {
				return err
			}
			r.Round, next = strconv.Itoa(number), max(next, number+1)
			f.Games = append(f.Games, StoredGame{number, fmt.Sprintf("game %d: %s", number, r.Title()), r})
		}
	}
	return nil
}

// WritePGN writes the games of matches of game as PGN, with the numbers that ReadStored gives
// them.
func WritePGN(w io.Writer, game env.Game, matches []arena.Report) error {
	next := 0 // number of the next match's first game
	for i := range matches {
		first := next
		var names []string
		for _, p := range matches[i].Players {
			names = append(names, p.Name)
		}
		for j := range matches[i].Records {
			g := &matches[i].Records[j]
			r, err := recordOf(game, g, names)
			if err == nil {
				r.Round = strconv.Itoa(first + g.Number)
				next = max(next, first+g.Number+1)
				_, err = w.Write(append(r.PGN(), '\n'))
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// recordOf returns a game of a match between players with the given names, without its Round.
func recordOf(rules env.Game, g *arena.GameRecord, names []string) (*Record, error) {
	r := &Record{
		Rules: rules, Event: "tiro match", Opening: g.Opening,
		Payoffs: g.Result, Ending: g.Ending,
	}
	for _, player := range g.Seating {
		r.Seats = append(r.Seats, names[player])
	}
	if g.Forfeit != nil {
		r.Detail = env.SeatName(rules, env.Player(g.Forfeit.Seat)) + ": " + g.Forfeit.Reason
	}
	var err error
	if r.Start, err = PositionAfter(rules, g.Position, nil); err == nil {
		r.History, err = playMoves(env.After(rules, r.Start), g.Moves, parseAction)
	}
	return r, err
}
