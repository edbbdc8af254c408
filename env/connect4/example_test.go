package connect4_test

import (
	"fmt"

	"tiro/env"
	"tiro/env/connect4"
)

// A position from its moves.
func ExampleFromMoves() {
	s, err := connect4.FromMoves("4453")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s)
	fmt.Print(s.Draw(env.Screen{}))
	// Output:
	// ......./......./......./......./...o.../..oxx..
	//  . . . . . . .
	//  . . . . . . .
	//  . . . . . . .
	//  . . . . . . .
	//  . . . o . . .
	//  . . o x x . .
	//  1 2 3 4 5 6 7
}

// The value of each move in a middle game to the player who makes it.
func ExampleSolver() {
	s, err := connect4.FromMoves("5554224333234511764415115")
	if err != nil {
		fmt.Println(err)
		return
	}
	solver := connect4.NewSolver(20)
	fmt.Println("score:", solver.Score(s))
	for _, a := range s.Legal(nil) {
		next := *s
		next.Play(a)
		fmt.Printf("column %s: %d\n", s.ActionString(a), -solver.Score(&next))
	}
	// Output:
	// score: 4
	// column 6: 4
	// column 7: -8
	// column 2: -8
	// column 3: -8
	// column 1: -8
	// column 4: -8
}
