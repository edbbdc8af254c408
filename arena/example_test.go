package arena_test

import (
	"context"
	"fmt"

	"tiro/arena"
	"tiro/env/envtest"
	"tiro/env/games"
	"tiro/player"
)

// Two players play Connect Four: 20 openings, each from both sides.
func Example() {
	game, err := games.New("connect4")
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := player.Plain(game, "alphabeta:4")
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := arena.Play(context.Background(), arena.Match{
		Game: game, Players: []player.Factory{a, player.Must(game, "greedy")}, Games: 40, Seed: 1, Workers: 2, Opening: 4,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(report)
	// Output:
	// connect4: alphabeta:4 vs greedy, 40 games, seed 1
	//
	// player         wins draws losses  points  score  95% interval
	// alphabeta:4      31     3      6    32.5  81.2%  69.5 to 89.2%
	//   as player 1    16     2      2    17.0  85.0%  65.9 to 94.3%
	//   as player 2    15     1      4    15.5  77.5%  56.0 to 90.3%
	// greedy            6     3     31     7.5  18.8%  10.8 to 30.5%
	//   as player 1     4     1     15     4.5  22.5%  9.7 to 44.0%
	//   as player 2     2     2     16     3.0  15.0%  5.7 to 34.1%
	//
	// Elo       alphabeta:4 above greedy: +255, 95% interval +143 to +367
	// openings  20, each played with every seating; points of alphabeta:4 per opening: 2 ×11, 1.5 ×3, 1 ×6
	// endings   four-in-row ×37, full ×3
	// length    7 to 42 plies, mean 21.9
	// distinct  38 of 40 games; repeated groups count once in intervals and tests
}

// A game of three seats: one player that looks ahead against two that do not, on every seat, in
// twenty groups of three games.
func Example_threeSeats() {
	game := envtest.MustTree(3, "( a(b(c(A B) C) c(B C)) b(a(C A) c(B b(A B))) c(a(b(B C) A) =) )")
	report, err := arena.Play(context.Background(), arena.Match{
		Game: game, Players: []player.Factory{player.Must(game, "alphabeta:4"), player.Must(nil, "random")},
		Games: 60, Seed: 1, Workers: 2,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	a := report.Players[0]
	fmt.Printf("%s scored %.1f of %d; equal players score %.1f%%\n", a.Name, a.Points, a.Games, 100*a.EqualScore)
	fmt.Printf("Elo %+.0f above %s, 95%% interval %+.0f to %+.0f\n", a.Elo[1].Value, report.Players[1].Name, a.Elo[1].Low, a.Elo[1].High)
	// Output:
	// alphabeta:4 scored 34.3 of 60; equal players score 33.3%
	// Elo +171 above random, 95% interval +88 to +254
}

// Five openings, each played from both seats: the points in two games each.
func ExampleGroupScore() {
	score := arena.GroupScore(2, []float64{2, 1.5, 1, 2, 1}, []float64{2, 2, 2, 2, 2}, nil)
	elo := arena.EloInterval(score, 1)
	fmt.Printf("score %.1f%%, %.1f to %.1f%%\n", 100*score.Value, 100*score.Low, 100*score.High)
	fmt.Printf("Elo %+.0f, %+.0f to %+.0f\n", elo.Value, elo.Low, elo.High)
	// Output:
	// score 75.0%, 49.7 to 90.1%
	// Elo +191, -2 to +384
}
