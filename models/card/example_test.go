package card_test

import (
	"fmt"
	"os"

	"tiro/models/card"
)

// tiro rate has written this card.
func ExampleRead() {
	data, err := os.ReadFile("testdata/card.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := card.Read(data)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s, %d games, %.2f core-hours\n", c.Game, c.Games, c.CoreHours)
	for _, r := range c.Ratings {
		fmt.Printf("%-11s  %5.1f%%  %s\n", r.Opponent, 100*r.Score.Value, r.Elo)
	}
	// Output:
	// connect4, 16000 games, 3.25 core-hours
	// random       100.0%  at least +566
	// alphabeta:4   92.0%  +424 (+336 to +512)
	// mcts:2000     50.0%  +0 (-41 to +41)
}
