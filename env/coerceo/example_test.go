package coerceo_test

import (
	"fmt"

	"tiro/env"
	"tiro/env/coerceo"
)

func Example() {
	_, options, err := env.ParseName("coerceo:win=competitive,price=1")
	if err != nil {
		panic(err)
	}
	game, err := coerceo.New(options)
	if err != nil {
		panic(err)
	}
	s := game.New()
	a, err := env.ParseAction(s, "d1e-d1c")
	if err != nil {
		panic(err)
	}
	s.Play(a)
	fmt.Println(game.Spec().Name, len(s.Legal(nil)))
	fmt.Println(s)
	// Output:
	// coerceo:win=competitive,price=1 48
	// 14.18.0a.24.14.0a.09.28.28.00.05.05.09.11.22.24.11.12.22 b 0 0
}

func ExampleState_Draw() {
	_, options, _ := env.ParseName("coerceo")
	game, err := coerceo.New(options)
	if err != nil {
		panic(err)
	}
	fmt.Print(game.New().(env.Drawer).Draw(env.Screen{}))
	// Output:
	//                      ______
	//                     /.    .\                        () White: 18 pieces
	//                    /().  .()\                          0 tiles in hand
	//             ______/....c5....\______
	//            /.    .\    ..    /.    .\               ## Black: 18 pieces
	//           /  .  .()\  .  .  /().  .  \                 0 tiles in hand
	//    ______/....b4....\.____./....d4....\______
	//   /. ## .\ ## ..    /.    .\    .. ## /. ## .\      White to move
	//  /  .  .  \  .  .  /().  .()\  .  .  /  .  .  \
	// /....a3....\.____./....c4....\.____./....e3....\
	// \ ## ..    /. ## .\    ..    /. ## .\    .. ## /
	//  \  .  .  /  .  .  \  .  .  /  .  .  \  .  .  /
	//   \.____./....b3....\.____./....d3....\.____./
	//   /. ## .\ ## ..    /.    .\    .. ## /. ## .\
	//  /  .  .  \  .  .  /  .  .  \  .  .  /  .  .  \
	// /....a2....\.____./....c3....\.____./....e2....\
	// \    ..    /.    .\    ..    /.    .\    ..    /
	//  \  .().  /().  .  \  .  .  /  .  .()\  .().  /
	//   \.____./....b2....\.____./....d2....\.____./
	//   /.    .\    ..    /.    .\    ..    /.    .\
	//  /().  .  \  .().  /  .  .  \  .().  /  .  .()\
	// /....a1....\.____./....c2....\.____./....e1....\
	// \    ..    /.    .\ ## .. ## /.    .\    ..    /
	//  \  .().  /().  .  \  .  .  /  .  .()\  .().  /        ______
	//   \.____./....b1....\.____./....d1....\.____./        /. f  .\
	//          \    .. ## /.    .\ ## ..    /              / a.  .e \
	//           \  .  .  /  .  .  \  .  .  /              /....  ....\  fields of
	//            \.____./....c1....\.____./               \ b  ..  d /  a tile
	//                   \ ## .. ## /                       \  .c .  /
	//                    \  .  .  /                         \.____./
	//                     \.____./
}

func ExamplePosition_Record() {
	p, err := coerceo.Parse("--.--.--.--.--.--.--.--.--.02.--.--.--.--.01.--.--.--.-- w 2 0", 2)
	if err != nil {
		panic(err)
	}
	r := p.Record()
	fmt.Println(r.Result, r.Legal)
	fmt.Printf("%+v\n", r.Children[len(r.Children)-1])
	// Output:
	// * [c3e-c3a c3e-c3c c3e-c4c xc4f]
	// {Move:xc4f After:--.--.--.--.--.--.--.--.--.02.--.--.--.--.--.--.--.--.-- b 0 0 Captured:[] Removed:[c4] Collected:0 Result:1-0}
}

func ExamplePosition_Perft() {
	p := coerceo.Start(2)
	fmt.Println(p.Perft(1), p.Perft(2), p.Perft(3), p.Perft(4))
	// Output: 48 2304 110304 5280654
}
