// Package connect4 plays Connect Four.
//
// # Rules
//
// Two players, x and o, drop stones of theirs by turns into one of seven
// columns, where a stone falls on the topmost one; a column holds six. x
// begins. Whoever first has four stones or more in an unbroken row, column or
// diagonal wins. A full board without four is a draw. (J. D. Allen 1989,
// "Expert Play in Connect-Four"; V. Allis 1988, "A Knowledge-based Approach of
// Connect-Four", section 2.) With best play x wins, with its last stone, by
// beginning in the middle.
//
// # Options
//
//	option  values       default
//	planes  all, stones  all      which planes the network sees; the rules are the same
//
// # Board
//
// A move is written as its column, 1 to 7 from the left, and a game as its
// moves, 4453; FromMoves reads one. Row 0 of the grid is the lowest, column 0
// the leftmost:
//
//	. . . . . . .
//	. . . . . . .
//	. . . . . . .
//	. . . . . . .
//	. . . o . . .
//	. . o x x . .
//	1 2 3 4 5 6 7
//
// A position is written row by row from the top, with / between rows and . for
// an empty cell; the one above is
// ......./......./......./......./...o.../..oxx.. and who is on turn follows
// from the number of stones.
//
// # Actions
//
// An action is the cell on which the stone comes to lie, so that actions have
// the grid's shape and every column has one legal action at most.
//
//	plane  action
//	0      drop a stone that comes to lie on the cell
//
// # Planes
//
//	plane  1 where
//	0      the mover has a stone
//	1      the other player has a stone
//	2      a stone dropped now would come to lie
//	3      everywhere: tells a convolution where the board ends
//	4      empty cells, reachable or not, on which a stone makes four for the mover
//	5      likewise for the other player
//	6      the first, third and fifth row from the bottom
//	7      everywhere, if the mover has begun the game
//
// Planes 0 to 3 are the position. Planes 4 to 7 are strategy beyond the rules: which
// cells would win, and the parity of rows, on which it hangs who is forced to fill
// the cell below one (Allis's zugzwang, section 3). They are there because a network
// with planes 0 to 3 alone makes more errors in solved positions after 60
// generations than one with all of them after 10 (docs/measurements/connect4.md).
// With planes=stones there are planes 0, 1 and 3 only, for comparison with
// programs whose networks see no more than the stones.
//
// # Ownership and score
//
// For learning, a game that is over tells of each cell that was empty in an
// earlier position: 0 a stone of that position's mover, 1 of the other player,
// 2 none. The score is the payoff times the share of cells left empty.
//
// # Rulings
//
// The game ends by "four-in-row" or "full". The longest game has 42 plies.
// Positions that play cannot reach are accepted as long as stones do not hang
// in the air, their numbers fit, and the player on turn has not won.
//
// # Version
//
// This is version 2 of rules, planes and actions. Version 1 had planes 0 to 3 alone.
package connect4
