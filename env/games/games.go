// Package games is the table of games: it makes a game from its game string,
// such as "coerceo", "coerceo:win=competitive,price=1" or "mnk:m=15,n=15,k=5".
//
// People may also type an alias, such as "tictactoe".
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
		{"connect4", "Connect Four, two players", connect4.Options(), connect4.New},
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

// Alias is another name of a game with certain options.
type Alias struct {
	Name string
	Game string // the game string that it stands for
}

// Aliases returns all aliases. They are for people to type: files have the game
// string that an alias stands for.
func Aliases() []Alias {
	return []Alias{{"tictactoe", "mnk"}, {"gomoku", "mnk:m=15,n=15,k=5"}}
}

// Known returns all names that New knows: those of the games, then the aliases.
func Known() []string {
	names := Names()
	for _, a := range Aliases() {
		names = append(names, a.Name)
	}
	return names
}

// New returns the game of a game string or of an alias, which has no options. The
// error names the known games and the closest one, or every option that is wrong.
func New(game string) (env.Game, error) {
	name, options, err := env.ParseName(game)
	if err != nil {
		return nil, fmt.Errorf("games: %w", err)
	}
	for _, a := range Aliases() {
		switch {
		case game == a.Name:
			return New(a.Game)
		case name == a.Name:
			return nil, fmt.Errorf("games: game string %q: %s stands for %s and has no options; change those of %[3]s", game, name, a.Game)
		}
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
	if near, ok := suggest.Closest(name, Known()); ok {
		hint = fmt.Sprintf("; did you mean %s?", near)
	}
	return nil, fmt.Errorf("games: unknown game %q; want %s%s", name, strings.Join(Known(), ", "), hint)
}
