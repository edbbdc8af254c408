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
	"tiro/internal/suggest"
)

// Entry is one game of the table.
type Entry struct {
	Name    string       // as in game strings
	Title   string       // what it is, in a few words
	Options []env.Option // in the order of canonical game strings
	make    func(*env.Options) (env.Game, error)
}

// List returns all games, in the order in which programs show them.
func List() []Entry {
	const inRow = "k in a row on a board of m columns and n rows: tic-tac-toe, gomoku; two players"
	return []Entry{
		{"coerceo", "Coerceo, two players", coerceo.Options(), coerceo.New},
		{"shacru", "Shacru, two to four players", pacru.Options(), pacru.NewShacru},
		{"azacru", "Azacru, two to four players", pacru.Options(), pacru.NewAzacru},
		{"pacru", "Pacru, two to four players", pacru.PacruOptions(), pacru.NewPacru},
		{"connect4", "Connect Four, two players", nil, connect4.New},
		{"mnk", inRow, mnk.Options(), mnk.New},
	}
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
		if n := suggest.Distance(strings.ToLower(name), word); n < fewest {
			near, fewest, ok = word, n, true
		}
	}
	return near, ok
}
