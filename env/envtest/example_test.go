package envtest_test

import (
	"fmt"

	"tiro/env/envtest"
)

// A tree for three players, solved.
func ExampleTree() {
	game, err := envtest.Tree(3, "(b(A=) c([0.5,0.5,-1] C))")
	if err != nil {
		fmt.Println(err)
		return
	}
	solution, err := envtest.Solve(game, 100)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range solution.States() {
		v, _ := solution.Value(s)
		fmt.Println(s, v[:game.Spec().Players])
	}
	fmt.Println("best:", solution.Best(game.New()))
	// Output:
	// /0/0 [1 -0.5 -0.5]
	// /0/1 [0 0 0]
	// /0 [0 0 0]
	// /1/0 [0.5 0.5 -1]
	// /1/1 [-0.5 -0.5 1]
	// /1 [-0.5 -0.5 1]
	// / [0 0 0]
	// best: [0]
}
