package selfplay_test

import (
	"context"
	"fmt"

	"tiro/env"
	"tiro/env/mnk"
	"tiro/mcts"
	"tiro/selfplay"
)

// A generation with one game of tic-tac-toe and an evaluator without knowledge.
func ExamplePlay() {
	_, options, err := env.ParseName("mnk:m=3,n=3,k=3")
	if err != nil {
		fmt.Println(err)
		return
	}
	game, err := mnk.New(options)
	if err != nil {
		fmt.Println(err)
		return
	}
	c := selfplay.Default()
	c.Search.Simulations = 2000
	c.Search.RootNoise = false
	c.RandomOpeningProbability = 0
	c.TemperaturePlies = 0
	episodes, stats, err := selfplay.Play(context.Background(), selfplay.Job{
		Game: game, Config: c, Seed: 1, Games: 1, Workers: 1,
		Evaluator: func() mcts.Evaluator { return mcts.Uniform{} },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range episodes {
		fmt.Println(len(e.Actions), "actions,", len(e.Samples), "positions to learn from,", e.Ending, e.Result[:2])
	}
	fmt.Println(stats.Games, "game")
	// Output:
	// 9 actions, 9 positions to learn from, full [0 0]
	// 1 game
}
