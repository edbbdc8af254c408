package ladder_test

import (
	"context"
	"fmt"
	"os"

	"tiro/env/games"
	"tiro/net/kernel"
	"tiro/player"
	"tiro/study/ladder"
)

// Where does a player stand on the ladder of tic-tac-toe?
func ExampleRate() {
	dir, err := os.MkdirTemp("", "rate")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	game, err := games.New("mnk")
	if err != nil {
		fmt.Println(err)
		return
	}
	l, err := ladder.Find(game)
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := ladder.Rate(context.Background(), ladder.Options{
		Ladder: l, Game: game,
		Candidates: []ladder.Candidate{{Factory: player.Must(game, "mcts:400")}},
		Games:      24, Error: 40, Seed: 1, Workers: 2, Backend: kernel.Best(), Dir: dir, Tiro: "example",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range report.Players {
		fmt.Printf("%-8s above %s: %v\n", p.Name, report.Anchor, p.Elo.Value > 0)
	}
	// Output:
	// mcts:400 above mcts:5: true
	// mcts:50  above mcts:5: true
	// mcts:15  above mcts:5: true
	// mcts:5   above mcts:5: false
	// mcts:2   above mcts:5: false
	// random   above mcts:5: false
}
