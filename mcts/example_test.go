package mcts_test

import (
	"context"
	"fmt"

	"tiro/env"
	"tiro/env/envtest"
	"tiro/env/mnk"
	"tiro/mcts"
)

// A search without knowledge plays tic-tac-toe to the end. After two opposite corners, o
// must not take a third corner; the draw is proven at once.
func Example() {
	_, options, err := env.ParseName("mnk")
	if err != nil {
		fmt.Println(err)
		return
	}
	game, err := mnk.New(options)
	if err != nil {
		fmt.Println(err)
		return
	}
	config := mcts.Default()
	config.Root, config.Simulations, config.RootNoise = mcts.RootPUCT, 2000, false
	search, err := mcts.New(game, config)
	if err != nil {
		fmt.Println(err)
		return
	}
	position := game.New()
	if err := position.(env.Positioner).SetPosition("x../.o./..x"); err != nil {
		fmt.Println(err)
		return
	}
	search.Start(position, nil)
	var result mcts.Result
	for {
		if err := search.Run(context.Background(), mcts.Uniform{}); err != nil {
			fmt.Println(err)
			return
		}
		search.Result(&result)
		if result.Best < 0 {
			break
		}
		fmt.Println(search.State().ActionString(result.Best), result.Value[:2], result.Proven)
		search.Advance(result.Best)
	}
	fmt.Println(search.State(), result.Value[:2])
	// Output:
	// b1 [0 0] true
	// b3 [0 0] true
	// c3 [0 0] true
	// a1 [0 0] true
	// a2 [0 0] true
	// c2 [0 0] true
	// xxo/oox/xox [0 0]
}

// Two searches share one batch.
func ExampleSearch_Gather() {
	game := envtest.MustTree(3, "a(b(c(AB)c(=C)) b(c(CA)c(BB)) c(a(AB)b(=C)))")
	config := mcts.Default()
	config.Simulations, config.RootNoise = 4, false
	var searches [2]*mcts.Search
	for i := range searches {
		var err error
		if searches[i], err = mcts.New(game, config); err != nil {
			fmt.Println(err)
			return
		}
	}
	for !searches[0].Done() || !searches[1].Done() {
		first := searches[0].Gather(nil, 8)
		leaves := searches[1].Gather(first, 8)
		fmt.Println(len(leaves), "leaves")
		if err := (mcts.Uniform{}).Evaluate(context.Background(), leaves); err != nil {
			fmt.Println(err) // the next Gather asks again
			continue
		}
		searches[0].Apply(leaves[:len(first)])
		searches[1].Apply(leaves[len(first):])
	}
	var result mcts.Result
	searches[0].Result(&result)
	fmt.Println("visits", result.Visits)
	// Output:
	// 2 leaves
	// 6 leaves
	// 2 leaves
	// visits [2 1 1]
}
