// Package env says what a game is.
//
// A Game hands out States; a State lists its legal actions, plays them, says
// when the game is over and what each seat is paid, and writes itself as
// planes for a network. Nothing above this package knows more of a game than
// that.
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
// # Optional abilities
//
// What only some games can do is an optional interface, found by type assertion.
// All stand in abilities.go, explainer.go and describer.go, and env/envtest checks those that a game has.
//
//	of a Game
//	  Symmetric        symmetries: learning sees each position in all of them
//	  SeatNamer        names of the seats, for messages
//	  Explainer        its rules for people: tiro rules, play
//	  Describer        what planes and actions mean to other programs: tiro export
//	  GTPGame          programs that speak GTP can play it: tiro match
//	  Solvable         an exact judge of moves and files of solved positions: tiro exam
//
//	of a State
//	  Positioner       position strings: play, the engine, tiro moves, perft --position
//	  Sampler          a random action without a list: random playouts are faster
//	  Finisher         which actions may end the game: the search plays no others to look
//	  Scorer           a rough estimate: the players greedy and alphabeta
//	  Ender            which rule ended the game: episodes, reports of matches, play
//	  Repeater         positions that come back: the player stubborn
//	  OwnershipScorer  who owns each cell at the end, and the score: auxiliary targets
//	  Claimer          claims of a draw: play
//	  Turner           turns of several actions, read and written as one: play
//	  TurnCounter      which turns perft counts: tiro perft
//	  TurnRecorder     records with more than moves and positions: tiro moves
//	  Drawer           the board as text, for the size of a screen: play
//	  SVGDrawer        the board as a picture: tiro report, the browser
//	  Narrator         what a turn has done, and what must be announced: play, the browser
//
// # Duties of a game
//
// The package env/envtest checks them all; docs/ADDING_A_GAME.md walks through
// a new game. The ones that are easy to forget: Legal is ascending, and empty
// exactly when the game is over; payoffs sum to 0; Observe writes every
// element; the hash covers everything that the future depends on, clocks and
// repetitions included; every game ends within Spec.MaxPlies actions.
package env
