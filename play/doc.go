// Package play lets humans and other programs play.
//
// # Humans
//
// A Table is a game between humans and players: seats, turns, undo, resignation, the
// result as text and the record. The terminal and the browser (package host) use it.
//
// A Terminal runs a game in a terminal. It draws the position and reads moves in the
// game's notation, complete turns or single actions, and a few commands, which help
// lists. A mistyped line is explained and changes nothing.
//
//	t := play.Terminal{Game: game, Seats: []player.Player{nil, engine}, Analyst: engine}
//	err := t.Run(ctx, os.Stdin, os.Stdout)
//
// A nil seat is a human; there may be any number of them. With an Editor, Interrupts and
// Files, users can edit lines, stop a thinking player with Ctrl-C, and save and load games
// (see Record). Unfinished games are then saved at the end.
//
// A resignation ends a game of two seats. With more seats other humans continue, and the
// analyst takes the seat. Without an analyst, or if all humans have resigned, the game
// ends without a result. Undo also takes back resignations. A saved game of more than two
// seats does not record them: when it is loaded, all humans have their seats again.
//
// # Programs
//
// An Engine speaks the Universal Game Interface, a game-neutral form of UCI. StartProgram
// is the other side: it makes a player of another program, which speaks UGI or, for games
// that implement env.GTPGame, the Go Text Protocol. An Analyst answers questions about
// positions as JSON lines, and annotates games. docs/PROTOCOL.md describes both protocols.
//
// All searches of an Engine use Engine.Search. go nodes evaluates one leaf at a time, like
// a Terminal's engine and players in matches. Every other search evaluates several leaves
// at a time, which is faster. If a turn has several actions, go nodes N spends N
// simulations on each, like players in matches. A search with a time limit spends the time on the
// first action that is not forced and at most 64 simulations on each of the others. A search
// that is stopped at once plays the network's favourite move.
//
// A tree takes at most Hash MiB and then stops growing, so that a search by nodes may end
// before its limit. The process takes more memory while the tree grows, because the garbage
// collector has not yet freed old memory: with the default of 256 MiB, go infinite peaked
// at 398 MiB in Coerceo.
//
// # Clocks
//
// The times in info lines come from the clock of the Engine. The package uses real time
// only for contexts with timeouts, which end a search with a time or the wait for another
// program's answer. A search by nodes depends only on its inputs and Parallel, not on the
// number of cores of its evaluator.
package play
