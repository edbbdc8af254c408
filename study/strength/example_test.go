package strength_test

import (
	"fmt"
	"io"

	"tiro/arena"
	"tiro/study/ladder"
	"tiro/study/strength"
)

// Draw the rating of a checkpoint.
func ExampleDraw() {
	half := 25.0
	report := ladder.Report{Game: "coerceo", Anchor: "mcts:200", Players: []ladder.Standing{{
		Player: ladder.Player{Name: "runs/coerceo/checkpoints/000010"}, Candidate: true,
		Elo: arena.Interval{Value: 310, Low: 285, High: 335}, Error: &half,
		Checkpoint: &ladder.Checkpoint{Run: "runs/coerceo", Generation: 10, Games: 1280, CPUHours: 0.2},
	}}}
	fmt.Println(strength.Curves(&report)[0].Points[0].Elo)
	fmt.Println(strength.Draw(io.Discard, "svg", &report))
	// Output:
	// 310
	// <nil>
}
