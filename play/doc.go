// Package play lets people and other programs play.
//
// # People
//
// A Table is a game between people and players: seats, turns, undo, resignation, the
// result in words and the record. The terminal and the browser (package host) play on one.
//
// A Terminal seats people and players in one terminal. It draws the position and takes
// moves in the game's notation, complete turns or single actions, and a few commands, which
// help lists. A mistyped line is explained and changes nothing.
//
//	t := play.Terminal{Game: game, Seats: []player.Player{nil, engine}, Analyst: engine}
//	err := t.Run(ctx, os.Stdin, os.Stdout)
//
// A nil seat is a person; there may be any number of them. With an Editor, Interrupts and
// Files, lines can be edited, Ctrl-C stops a player that thinks, and games are saved,
// loaded (see Record) and kept when they are left.
//
// A resignation ends a game of two seats. With more seats it would rob the others
// of their game, so the analyst takes the seat. Only where there is no analyst,
// or no other person, the game ends undecided. Undo takes resignations back too.
//
// # Programs
//
// An Engine speaks the Universal Game Interface, a game-neutral form of UCI, and
// StartProgram is the other side: a player that is another program, which speaks UGI or, for
// games that have it (env.GTPGame), the Go Text Protocol. An Analyst answers
// questions about positions as JSON lines, and annotates games. docs/PROTOCOL.md describes
// both protocols.
//
// All searches are by Engine.Search, like those of a Terminal's engine and of players
// in matches. Go nodes evaluates one leaf at a time, as these do; every other search
// evaluates several at a time, which is faster. If a turn has several actions, go nodes N
// spends N simulations on each, as players in matches do; a search by time spends its time
// on the first and at most 64 simulations on each of the others. However soon a search
// ends, its move is at least the network's favourite.
//
// A tree takes at most Hash MiB and then grows no more, so that a search by nodes
// may end before its limit. The process takes more while the tree grows, because
// the garbage collector holds memory that has been left: with the default of 256
// MiB, go infinite peaked at 398 MiB in Coerceo.
//
// # Clocks
//
// The times in info lines are those of the clock that an Engine is given. The
// only other uses of real time in the package are contexts with timeouts, which
// end a search by time, and how long another program may take to answer. A search by
// nodes depends on its inputs and Parallel only, not on the number of cores that its
// evaluator uses.
package play
