// Package play lets people and other programs play.
//
// # People
//
// A Terminal seats people and players in one terminal. It draws the position and
// takes moves in the game's notation and a few commands, which help lists. A
// mistyped line is explained and changes nothing.
//
//	t := play.Terminal{Game: game, Seats: []arena.Player{nil, engine}, Analyst: engine}
//	err := t.Run(ctx, os.Stdin, os.Stdout)
//
// A nil seat is a person; there may be any number of them. Seats are called by
// the game's names (env.SeatNamer), announcements of the rules (env.Announcer)
// are shown after each move, and a draw that the rules let a player claim
// (env.Claimer) is a command.
//
// In games with a notation for complete turns (env.Turner), a person may type a
// turn or its actions one by one. Principal variations are shown by turns.
//
// A resignation ends a game of two seats. With more seats it would rob the others
// of their game, so the analyst takes the seat. Only where there is no analyst,
// or no other person, the game ends undecided. Undo takes resignations back too.
//
// # Programs
//
// An Engine speaks the Universal Game Interface, a game-neutral form of UCI:
//
//	ugi                                 → id …, option …, ugiok
//	isready                             → readyok, at any time
//	setoption name NAME value N         Nodes (of go without limits), MaxNodes (of the tree), Parallel (leaves)
//	uginewgame
//	position startpos [moves M …]
//	position fen POS [moves M …]        POS in the game's notation, which may have spaces
//	go [nodes N] [movetime MS]          → info …, bestmove M
//	go p1time MS p1inc MS p2time …      the clocks in milliseconds
//	go infinite
//	stop                                → bestmove M, promptly
//	query gameover|p1turn|result        → response true|false|p1win|p2win|draw|none; p2turn …, and
//	                                      p1win p3win for a win that is shared, with more players
//	quit
//
// A move M is a complete turn where the game has a notation for turns, otherwise
// an action. The limits of a search are those of a turn's first decision; each
// further decision, which that search has covered too, gets at most 64 more
// simulations.
//
// Every second of a search, and at its end, the engine prints
//
//	info depth D nodes N nps R time MS score wdl W D L pv M …
//
// with the length of the principal variation, the simulations of this search and
// the expected score of the player on turn in permille. Draws are told apart only
// where the result is certain; otherwise they count half as wins. With more than
// two players, of whom the score tells one only, a second line has the payoffs of
// all, from -1 to 1:
//
//	info string payoffs p1 V p2 V p3 V …
//
// The answer to an unknown or faulty command is an info string, and the position
// stays as it was. A command that changes what is searched stops the search
// first. If the game is over, the answer to go is bestmove 0000.
//
// # Clocks
//
// The times in info lines are those of the clock that an Engine is given. The
// only other use of real time in the package is a context with a timeout, which
// ends a search by time. A search by nodes depends on its inputs and Parallel
// only, not on the number of cores that its evaluator uses.
package play
