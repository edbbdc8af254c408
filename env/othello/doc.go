// Package othello plays Othello on square boards of an even side, 8 by default.
//
// # Rules
//
// Black and White put discs on empty cells by turns; Black begins. A disc must enclose
// at least one straight line of enemy discs, in any of the eight directions, between
// itself and another disc of its colour; all enemy discs so enclosed are flipped. A
// player without such a cell passes, and may not pass otherwise. The game is over
// when neither player can move, and the player with more discs wins. (World Othello
// Federation, "Official rules of Othello", worldothello.org; the start position and
// the notation are theirs.)
//
// The option size is the side of the board: 4, 6, 8 or 10.
//
// # Board
//
// Columns are letters from the left, rows are numbers from the top. Row r, column c of
// the grid is row r+1, letter number c, for both players:
//
//	  a b c d e f g h
//	1 - - - - - - - -
//	2 - - - - - - - -
//	3 - - - - - - - -
//	4 - - - O X - - -
//	5 - - - X O - - -
//	6 - - - - - - - -
//	7 - - - - - - - -
//	8 - - - - - - - -
//
// X is Black. A move is written as its cell, d3, or pass. A position is written as the
// cells from a1 to h1, then the next row, and after a blank who is to move, as most
// Othello programs write it.
//
// # Actions
//
//	plane  action
//	0      put a disc on the cell
//	1      pass, at cell 0 whatever the symmetry, since it has no cell
//
// # Planes
//
//	plane  1 where
//	0      the mover has a disc
//	1      the other player has a disc
//	2      the mover may put a disc
//	3      the other player might, if it were their turn
//	4      everywhere: tells a convolution where the board ends
//
// # Ownership and score
//
// For learning, a finished game says of each cell: 0 a disc of the earlier position's
// mover, 1 of the other player, 2 none. The score is the difference of discs as a
// share of the cells.
//
// # Rulings
//
// A pass is an action and a ply. The game ends by "full" or by "no-moves", without
// passes: none is legal if the other player could not move either. Empty cells count
// for neither player. The longest game has twice as many plies as cells that are empty
// at the start.
//
// # Version
//
// 1.
package othello
