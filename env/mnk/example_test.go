package mnk_test

import (
	"fmt"

	"tiro/env"
	"tiro/env/mnk"
)

// A game of tic-tac-toe.
func ExampleNew() {
	_, options, err := env.ParseName("mnk:m=3,n=3,k=3")
	if err != nil {
		fmt.Println(err)
		return
	}
	game, err := mnk.New(options)
	if err != nil {
		fmt.Println(err)
		return
	}
	s := game.New()
	for _, move := range []string{"b2", "a1", "c1", "a3", "a2", "c2", "b3", "b1", "c3"} {
		a, err := env.ParseAction(s, move)
		if err != nil {
			fmt.Println(err)
			return
		}
		s.Play(a)
	}
	v, over := s.Result()
	fmt.Println(game.Spec().Name, v[:2], over, s.(env.Ender).Ending())
	fmt.Println(s)
	fmt.Print(s.(env.Drawer).Draw(env.Screen{}))
	// Output:
	// mnk [0 0] true full
	// oxx/xxo/oox
	//  3 o x x
	//  2 x x o
	//  1 o o x
	//    a b c
}

// Names with options become canonical, and errors describe the valid values.
func ExampleNew_options() {
	for _, name := range []string{"mnk:k=5,n=15,m=15", "mnk:m=40"} {
		_, options, err := env.ParseName(name)
		if err != nil {
			fmt.Println(err)
			return
		}
		if game, err := mnk.New(options); err != nil {
			fmt.Println(err)
		} else {
			fmt.Println(game.Spec().Name)
		}
	}
	// Output:
	// mnk:m=15,n=15,k=5
	// game mnk: option m=40: must be a whole number from 2 to 19
}
