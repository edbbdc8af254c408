package othello_test

import (
	"fmt"

	"tiro/env"
	"tiro/env/othello"
)

// The first moves of a game.
func ExampleNew() {
	_, options, err := env.ParseName("othello:size=6")
	if err != nil {
		fmt.Println(err)
		return
	}
	game, err := othello.New(options)
	if err != nil {
		fmt.Println(err)
		return
	}
	s := game.New()
	for _, move := range []string{"c2", "b2", "b3"} {
		a, err := env.ParseAction(s, move)
		if err != nil {
			fmt.Println(err)
			return
		}
		s.Play(a)
	}
	fmt.Print(env.Draw(s, env.Screen{Columns: 80, Lines: 24}))
	// Output:
	//    a b c d e f
	//  1 - - - - - -   X Black 5
	//  2 - O X . - -   O White 2
	//  3 - X X X - -
	//  4 - . X O - -
	//  5 - - - - - -
	//  6 - - - - - -
}
