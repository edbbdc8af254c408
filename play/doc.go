// Package play lets people and other programs play.
//
// # People
//
// A Table is a game between people and players: seats, turns, undo, resignation, the
// result in words and the record. The terminal and the browser (package host) play on one.
//
// A Terminal seats people and players in one terminal. It draws the position and
// takes moves in the game's notation and a few commands, which help lists. A
// mistyped line is explained and changes nothing.
//
//	t := play.Terminal{Game: game, Seats: []player.Player{nil, engine}, Analyst: engine}
//	err := t.Run(ctx, os.Stdin, os.Stdout)
//
// A nil seat is a person; there may be any number of them. Seats are called by
// the game's names (env.SeatNamer), and a draw that the rules let a player claim
// (env.Claimer) is a command. The board is drawn when a person is to move, for the
// size of the terminal, with marks on what has changed (env.Drawer). Below it
// are the moves since, what they have done, and what the rules want announced
// (env.Narrator).
//
// A Terminal with an Editor, Interrupts and Files is at its best: lines can be
// edited, Ctrl-C stops a player that thinks, and games are saved, loaded (see
// Record) and kept when they are left.
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
//	setoption name NAME value N         Nodes (of go without limits), Hash (MiB of the tree), Parallel (leaves),
//	                                      Threads (with Engine.WithThreads), Level (with Engine.Levels)
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
// an action. If a turn has several actions, go nodes N spends N simulations on
// each, as players in matches do; a search by time spends its time on the first
// and at most 64 simulations on each of the others.
//
// All searches are by Engine.Search, like those of a Terminal's engine and of players
// in matches. Go nodes evaluates one leaf at a time, as these do; every other search
// evaluates several at a time, which is faster.
//
// Every second of a search, and at its end, the engine prints
//
//	info depth D nodes N nps R time MS score permille S pv M …
//
// with the length of the principal variation, the simulations of this search and
// the expected score, from 0 to 1000, of the player on turn once the first move of
// the variation is played; "exact" follows it if the result is proven. A draw
// counts as half a win. With Engine.Outcome, as with a network, a second line has the
// probabilities of all results, and with more than two players, of whom the score
// tells one only, another one their payoffs, from -1 to 1:
//
//	info string outcome p1 P p2 P … draw P
//	info string payoffs p1 V p2 V p3 V …
//
// The commands after go wait for the end of the search, so that a list of
// positions can be piped in; only stop and quit end it early, and isready, query
// and ugi are answered during it. Go infinite ends with the next command that
// would wait for it. However soon a search ends, its move is at least the network's
// favourite.
//
// The answer to an unknown or faulty command is an info string. After a faulty
// position command there is no position until the next one: go and query answer
// with an error. Whenever go cannot search, that or an end of the game, it answers
// bestmove 0000.
//
// A tree takes at most Hash MiB and then grows no more, so that a search by nodes
// may end before its limit. The process takes more while the tree grows, because
// the garbage collector holds memory that has been left: with the default of 256
// MiB, go infinite peaked at 398 MiB in Coerceo.
//
// docs/PROTOCOL.md describes all of it. UGIKind is the other side: a player that is
// another program. An Analyst answers questions about positions as JSON lines, and
// annotates games.
//
// # Clocks
//
// The times in info lines are those of the clock that an Engine is given. The
// only other uses of real time in the package are contexts with timeouts, which
// end a search by time, and how long another program may take to answer. A search by
// nodes depends on its inputs and Parallel only, not on the number of cores that its
// evaluator uses.
package play
