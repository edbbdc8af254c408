// Package play talks to people and to programs.
//
// # People
//
// A Terminal seats people and players at one board. It draws the position,
// takes moves in the game's notation and a few commands (help lists them), and
// never loses anything to a mistyped line:
//
//	t := play.Terminal{Game: game, Seats: []arena.Player{nil, engine}, Analyst: engine}
//	err := t.Run(ctx, os.Stdin, os.Stdout)
//
// A seat of nil is a person; there may be any number of them. Seats have the
// names that the game gives them (env.SeatNamer). What the rules want announced
// is shown after each move. A draw that the rules let a player claim
// (env.Claimer) is a command.
//
// In games that write complete turns (env.Turner), a person may type either a
// turn, or its actions one by one, the board being drawn after each. Expected
// lines are shown by turns.
//
// Resignation is a command too. With two seats it ends the game. With more it
// would rob the others of theirs, so the analyst takes the seat and they go on;
// only where there is no analyst, or no other person left to play with, the
// game ends, undecided. Undo brings back who has resigned.
//
// # Programs
//
// An Engine speaks the Universal Game Interface, which is UCI made neutral:
//
//	ugi                                 → id …, option …, ugiok
//	isready                             → readyok, at any time
//	setoption name NAME value N         Nodes (of a bare go), MaxNodes (of the tree), Parallel (leaves judged at once)
//	uginewgame
//	position startpos [moves M …]
//	position fen POS [moves M …]        POS as the game writes it, blanks included
//	go [nodes N] [movetime MS]          → info …, bestmove M
//	go p1time MS p1inc MS p2time …      milliseconds on the clocks
//	go infinite
//	stop                                → bestmove M, promptly
//	query gameover|p1turn|result        → response true|false|p1win|p2win|draw|none; p2turn …, and
//	                                      p1win p3win for a win that is shared, with more players
//	quit
//
// A move M is a complete turn where the game writes those (env.Turner), though
// it be several actions, otherwise an action. In such games all limits are
// those of a turn's first decision; of the others, which that search has
// looked at too, each gets at most 64 more simulations.
//
// While it searches, and at the end, it says
//
//	info depth D nodes N nps R time MS score wdl W D L pv M …
//
// with the length of the expected line, the simulations of this search, and
// the chances of the player on turn in permille. Draws are only told apart
// where the result is certain; otherwise the value is shared between W and L. Of
// more than two players the score tells one only; a second line has them all,
// in payoffs from -1 to 1:
//
//	info string payoffs p1 V p2 V p3 V …
//
// To a command it does not know, or one that is at fault, it answers with an
// info string; the position stays as it was. A command that changes what is
// searched stops the search first. In a game that is over, go is answered by
// bestmove 0000.
//
// # Clocks
//
// An Engine is handed the clock that its info lines go by. To end a search in
// time it uses a context with a timeout, the only place in the package where
// real time decides anything. A search by nodes is a function of its inputs, of
// Parallel too, but not of how many cores its evaluator uses.
package play
