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
	return []Entry{
		{
			Name: "coerceo", Title: "Coerceo, two players",
			Options: coerceo.Options(), make: coerceo.New,
		},
		{
			Name: "shacru", Title: "Shacru, two to four players",
			Options: pacru.Options(), make: pacru.NewShacru,
		},
		{
			Name: "azacru", Title: "Azacru, two to four players",
			Options: pacru.Options(), make: pacru.NewAzacru,
		},
		{
			Name: "pacru", Title: "Pacru, two to four players",
			Options: pacru.PacruOptions(), make: pacru.NewPacru,
		},
		{
			Name: "connect4", Title: "Connect Four, two players",
			make: connect4.New,
		},
		{
			Name: "mnk", Title: "k in a row on a board of m columns and n rows: tic-tac-toe, gomoku; two players",
			Options: mnk.Options(), make: mnk.New,
		},
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
