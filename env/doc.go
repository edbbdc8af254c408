// Package env defines games.
//
// A Game creates States. A State lists its legal actions, plays them, reports the payoff of
// each seat once the game is over, and encodes itself as planes for a network. The packages
// above know games through these interfaces only.
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
// Abilities of only some games are optional interfaces, found by type assertion. They are
// declared in abilities.go, explainer.go and describer.go. The package env/envtest checks
// those that a game implements, except Clocked, GTPGame, Handicapper, Narrator and Ranker.
//
//	of a Game
//	  Symmetric        symmetries of the board, to augment training data
//	  SeatNamer        names of the seats, for messages
//	  Explainer        rules to read: tiro rules, play
//	  Describer        meaning of planes and actions, for other programs: tiro export
//	  GTPGame          play against GTP programs: tiro match, tiro engine
//	  Handicapper      handicap stones: tiro engine
//	  Solvable         exact judgement of moves, files of solved positions: tiro exam
//
//	of a State
//	  Positioner       position strings: play, the engine, tiro moves, perft --position
//	  Sampler          random actions without a list: faster random playouts
//	  Finisher         actions that may end the game: the search tries these for wins
//	  Scorer           heuristic evaluation: the players greedy and alphabeta
//	  Ender            the rule that ended the game: episodes, reports of matches, play
//	  Ranker           places of all seats at the end: the browser
//	  Repeater         repetition of positions: the search, the player stubborn
//	  OwnershipScorer  ownership of each cell at the end, and score: auxiliary targets
//	  Clocked          limits seen only shortly before them: net.clock_horizon
//	  Claimer          draw claims: play
//	  Turner           notation for turns of several actions: play
//	  TurnCounter      the turns that perft counts: tiro perft
//	  TurnRecorder     records with more than moves and positions: tiro moves
//	  Drawer           the board as text that fits a screen: play
//	  SVGDrawer        the board as a picture: tiro report, the browser
//	  Narrator         descriptions of turns, and announcements: play, the browser
//
// # Duties of a game
//
// The package env/envtest checks all of them; docs/ADDING_A_GAME.md walks through a new game.
// These are easy to forget: Legal is ascending, and empty exactly when the game is over;
// payoffs sum to 0; Observe writes every element; the hash covers everything that affects the
// future, including clocks and repetitions; every game ends within Spec.MaxPlies actions.
package env
