package exam_test

import (
	"context"
	"fmt"
	"strings"

	"tiro/arena"
	"tiro/env/games"
	"tiro/mcts"
	"tiro/player"
	"tiro/study/exam"
)

// Three in a row win at once, and two with room on both sides in three moves: the search finds what
// an evaluator without knowledge does not see.
func ExampleSet_Take() {
	game, err := games.New("connect4")
	if err != nil {
		panic(err)
	}
	set, err := exam.Read(strings.NewReader(
		`{"format":1,"what":"tiro exam set","game":"connect4","version":3,"kind":"tactics","made":"by hand"}
{"moves":"4 4 5 5 6 6","wins":"3 7"}
{"moves":"4 1 5 1","wins":"3 6"}
`), game)
	if err != nil {
		panic(err)
	}
	result, err := set.Take(context.Background(), game, arena.EngineUnderTest{
		Search:    player.NetworkConfig(1000),
		Evaluator: func() mcts.Evaluator { return mcts.Uniform{} },
		Workers:   1,
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(result.Searched.Right, "of", result.Positions)
	// Output: 2 of 2
}
