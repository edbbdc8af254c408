// Package games is the table of Tiro's games. It creates a game from its game string,
// such as "coerceo", "coerceo:win=competitive,price=1" or "mnk:m=15,n=15,k=5".
//
// It is meant for programs, which may append games of their own to All. Library packages take
// an env.Game or an env.Lookup such as New, and do not know the names of games.
package games

import (
	"tiro/env"
	"tiro/env/coerceo"
	"tiro/env/connect4"
	igo "tiro/env/go"
	"tiro/env/mnk"
	"tiro/env/othello"
	"tiro/env/pacru"
)

// All returns the table of all games.
func All() env.Table {
	return env.Table{
		{Name: "coerceo", Title: "Coerceo, two players", Options: coerceo.Options(), Make: coerceo.New},
		{Name: "shacru", Title: "Shacru, two to four players", Options: pacru.Options(), Make: pacru.NewShacru},
		{Name: "azacru", Title: "Azacru, two to four players", Options: pacru.Options(), Make: pacru.NewAzacru},
		{Name: "pacru", Title: "Pacru, two to four players", Options: pacru.PacruOptions(), Make: pacru.NewPacru},
		{Name: "connect4", Title: "Connect Four, two players", Options: connect4.Options(), Make: connect4.New},
		{Name: "go", Title: "Go, two players", Options: igo.Options(), Make: igo.New},
		{Name: "othello", Title: "Othello, two players", Options: othello.Options(), Make: othello.New},
		{
			Name: "mnk", Title: "k in a row, on a board of m columns and n rows: tic-tac-toe, gomoku; two players",
			Options: mnk.Options(), Make: mnk.New,
			Aliases: []env.Alias{{Name: "tictactoe", Game: "mnk", Title: "Tic-tac-toe"}, {Name: "gomoku", Game: "mnk:m=15,n=15,k=5", Title: "Gomoku"}},
		},
	}
}

// New returns the game of a game string or an alias; see env.Table.New.
func New(game string) (env.Game, error) { return All().New(game) }
