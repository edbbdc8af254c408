package host_test

import (
	"context"
	"fmt"
	"io/fs"

	"tiro/env"
	"tiro/env/games"
	"tiro/player"
	"tiro/web/host"
)

// memory is a store that keeps games in memory.
type memory map[string][]byte

func (m memory) Save(id string, data []byte) error { m[id] = data; return nil }

func (m memory) Load(id string) ([]byte, error) {
	if data, ok := m[id]; ok {
		return data, nil
	}
	return nil, fs.ErrNotExist
}

// Two people begin a game of tic-tac-toe, and one of them moves.
func Example() {
	h, err := host.New(host.Options{
		Offers: []host.Offer{{Game: "mnk", Title: "Tic-tac-toe", Seats: []string{"crosses", "noughts"}}},
		Find:   games.New,
		Player: func(game env.Game, name string) (player.Factory, error) { return player.Plain(game, name) },
		Store:  memory{}, MaxGames: 10, Searches: 1,
		NewID: func() string { return "firstgame" },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer h.Close()
	for _, q := range []host.Request{
		{Post: true, Path: "games", Body: []byte(`{"game":"mnk","seats":["human","human"]}`)},
		{Post: true, Path: "games/firstgame/play", Body: []byte(`{"ply":0,"move":"b2"}`)},
		{Post: true, Path: "games/firstgame/play", Body: []byte(`{"ply":0,"move":"a1"}`)},
		{Path: "games/firstgame"},
	} {
		answer, err := h.Answer(context.Background(), q)
		if err != nil {
			fmt.Println(err)
			continue
		}
		view := answer.(host.View)
		fmt.Println(view.Title, view.Ply, "played,", len(view.Legal), "legal")
	}
	// Output:
	// Tic-tac-toe 0 played, 9 legal
	// Tic-tac-toe 1 played, 8 legal
	// the game has changed meanwhile
	// Tic-tac-toe 1 played, 8 legal
}
