// Package env says what a game is.
//
// A Game hands out States; a State lists its legal actions, plays them, says
// when the game is over and what each seat is paid, and writes itself as
// planes for a network. Nothing above this package knows more of a game than
// that; what only some games can do (symmetries, position strings, a score, a
// drawing) is an optional interface, found by type assertion.
//
// # First use
//
//	game, err := games.New("connect4")
//	s := game.New()
//	for {
//		if v, over := s.Result(); over {
//			fmt.Println(v)
//			break
//		}
//		legal := s.Legal(nil)
//		s.Play(legal[rand.IntN(len(legal))])
//	}
//
// # Duties of a game
//
// The package env/envtest checks them all; docs/ADDING_A_GAME.md walks through
// a new game. The ones that are easy to forget: Legal is ascending, and empty
// exactly when the game is over; payoffs sum to 0; Observe writes every
// element; the hash covers everything that the future depends on, clocks and
// repetitions included; every game ends within Spec.MaxPlies actions.
package env
