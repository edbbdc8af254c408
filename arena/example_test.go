package arena_test

import (
	"context"
	"fmt"

	"tiro/arena"
	"tiro/env/envtest"
	"tiro/env/games"
)

// Two players meet at Connect Four, 20 openings from both sides.
func Example() {
	game, err := games.New("connect4")
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := arena.Parse(game, "alphabeta:4")
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := arena.Play(context.Background(), arena.Match{
		Game: game, Players: []arena.Maker{a, arena.Greedy(game)}, Games: 40, Seed: 1, Workers: 2, Opening: 4,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(report)
	// Output:
	// connect4: alphabeta:4 against greedy, 40 games, seed 1
	//
	// alphabeta:4       won  drawn   lost
	//   as player 1      16      2      2
	//   as player 2      15      1      4
	//   in all           31      3      6
	//
	// score     81.2%, 95% interval 69.5% to 89.2%
	// Elo       +255, 95% interval +143 to +367
	// openings  20, by points of alphabeta:4: 2 ×11, 1.5 ×3, 1 ×6
	// endings   four-in-row ×37, full ×3
	// length    7 to 42 plies, mean 21.9
	// distinct  38 of 40 games; identical games tell nothing new, so the intervals are too narrow
}

// A game of three seats: one player that looks ahead against two that do not,
// on every seat, in twenty groups of three games.
func Example_threeSeats() {
	game := envtest.MustTree(3, "( a(b(c(A B) C) c(B C)) b(a(C A) c(B b(A B))) c(a(b(B C) A) =) )")
	report, err := arena.Play(context.Background(), arena.Match{
		Game: game, Players: []arena.Maker{arena.AlphaBeta(game, 4), arena.Random()},
		Games: 60, Seed: 1, Workers: 2,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	a := report.Players[0]
	fmt.Printf("%s won %.1f of %d games; chance is %.1f%%\n", a.Name, a.Total.Won, a.Total.Games, 100*a.Total.Chance)
	fmt.Printf("Elo %+.0f above %s, 95%% interval %+.0f to %+.0f\n", a.Elo[1].Value, report.Players[1].Name, a.Elo[1].Low, a.Elo[1].High)
	// Output:
	// alphabeta:4 won 34.3 of 60 games; chance is 33.3%
	// Elo +171 above random, 95% interval +92 to +250
}
