// Package games is the table of games: it makes a game from its game string,
// such as "coerceo", "coerceo:win=competitive,price=1" or "mnk:m=15,n=15,k=5".
//
// It is for programs. Library packages take an env.Game and know no names.
package games

import (
	"fmt"
	"strings"

	"tiro/env"
	"tiro/env/coerceo"
	"tiro/env/connect4"
	"tiro/env/mnk"
	"tiro/env/pacru"
)

// Entry is one game of the table.
type Entry struct {
	Name    string   // as in game strings
	Title   string   // what it is, in a few words
	Options []Option // in the order of canonical game strings
	make    func(*env.Options) (env.Game, error)
}

// Option is one option of a game.
type Option struct {
	Name    string
	Default string
	Help    string // what it means and what it may be
}

// List returns all games, in the order in which programs show them.
func List() []Entry {
	return []Entry{
		{
			Name: "coerceo", Title: "Coerceo, two players",
			Options: []Option{
				{"win", "casual", "how to win: casual and base take the last piece, short and competitive remove twelve; casual and short draw dead positions, in competitive a threefold repetition may be claimed"},
				{"price", "2", "tiles to pay for an exchange: 1 or 2"},
				{"nomove", "auto", "a player without a move: draw, loss, or as the winning rule has it: auto"},
				{"exchangecounts", "true", "pieces taken by exchange count among the twelve: true or false; only with win=short and win=competitive"},
				{"repetition", "3", "occurrences of a position that draw by themselves: 2 to 5, or 0 for never; not with win=competitive"},
				{"noprogress", "150", "plies without progress that draw: 1 to 256, or 0 for no limit"},
				{"maxplies", "1000", "plies after which a game is drawn: 1 to 60000"},
			},
			make: coerceo.New,
		},
		{
			Name: "shacru", Title: "Shacru, two to four players",
			Options: pacruOptions(),
			make:    pacru.NewShacru,
		},
		{
			Name: "azacru", Title: "Azacru, two to four players",
			Options: pacruOptions(),
			make:    pacru.NewAzacru,
		},
		{
			Name: "pacru", Title: "Pacru, two to four players",
			Options: pacruOptions(Option{"meeting", "0", "markers that another player must have for a meeting to count: 0, or 9 as the publisher has it since 2011"}),
			make:    pacru.NewPacru,
		},
		{
			Name: "connect4", Title: "Connect Four, two players",
			make: connect4.New,
		},
		{
			Name: "mnk", Title: "k in a row on a board of m columns and n rows: tic-tac-toe, gomoku; two players",
			Options: []Option{
				{"m", "3", "columns: 2 to 19"},
				{"n", "3", "rows: 2 to 19"},
				{"k", "3", "stones in a row that win: 2 to the longer side"},
			},
			make: mnk.New,
		},
	}
}

// pacruOptions returns the options of a game of the Pacru series, which may
// have some of its own.
func pacruOptions(own ...Option) []Option {
	all := append([]Option{{"players", "2", "seats: 2 to 4"}}, own...)
	return append(all,
		Option{"noprogress", "40", "turns a seat without a change of markers that end the game: 1 to 1000, or 0 for no limit"},
		Option{"maxturns", "250", "turns a seat that end the game: 1 to 5000"},
	)
}

// Names returns the names of all games, in the order of List.
func Names() []string {
	var names []string
	for _, e := range List() {
		names = append(names, e.Name)
	}
	return names
}

// New returns the game of a game string. The error names the known games and
// the closest one, or every option that is wrong.
func New(game string) (env.Game, error) {
	name, options, err := env.ParseName(game)
	if err != nil {
		return nil, fmt.Errorf("games: %w", err)
	}
	for _, e := range List() {
		if e.Name == name {
			made, err := e.make(options)
			if err != nil {
				return nil, fmt.Errorf("games: %w", err)
			}
			return made, nil
		}
	}
	hint := ""
	if near, ok := closest(name, Names()); ok {
		hint = fmt.Sprintf("; did you mean %s?", near)
	}
	return nil, fmt.Errorf("games: unknown game %q; want %s%s", name, strings.Join(Names(), ", "), hint)
}

// closest returns the word that takes the fewest edits to get from name, if
// they are fewer than half the letters.
func closest(name string, words []string) (near string, ok bool) {
	fewest := (len(name) + 1) / 2
	for _, word := range words {
		if n := env.Edits(strings.ToLower(name), word); n < fewest {
			near, fewest, ok = word, n, true
		}
	}
	return near, ok
}
