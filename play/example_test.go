package play_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"tiro/env"
	"tiro/env/games"
	"tiro/mcts"
	"tiro/play"
	"tiro/player"
)

// A person mistypes a move of tic-tac-toe.
func ExampleTerminal() {
	game, err := games.New("mnk")
	if err != nil {
		fmt.Println(err)
		return
	}
	t := play.Terminal{Game: game, Seats: []player.Player{nil, nil}, Position: "xx./oo./..."}
	if err := t.Run(context.Background(), strings.NewReader("c4\nquit\n"), os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// mnk: type a move, or help, or rules
	//
	//  3 x x .
	//  2 o o .
	//  1 . . .
	//    a b c    x player 1, o player 2
	// Player 1 to move> "c4" is neither a legal move nor a command; similar moves: c1 c2 c3 (moves
	// lists all, help explains)
	// Player 1 to move>
}

// Another program asks the engine for the winning move.
func ExampleEngine() {
	game, err := games.New("mnk")
	if err != nil {
		fmt.Println(err)
		return
	}
	e := play.Engine{
		Game: game, Name: "Tiro", Author: "the Tiro authors", Search: player.RolloutConfig(),
		Evaluator: mcts.NewRollout(game, env.NewRand(1)),
		Now:       func() time.Time { return time.Unix(0, 0) },
	}
	commands := "position fen xx./oo./...\ngo nodes 100\n"
	if err := e.Run(context.Background(), strings.NewReader(commands), os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// info depth 1 nodes 0 nps 0 time 1 score cp 10000 wdl 1000 0 0 exact pv c3
	// bestmove c3
}
