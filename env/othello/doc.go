// Package othello implements Othello on square boards of an even side, 8 by default.
//
// # Rules
//
// Black and White alternately place discs on empty cells; Black begins. A disc must enclose at
// least one straight line of enemy discs, in any of the eight directions, between itself and
// another disc of its colour. All enclosed enemy discs are flipped. A player passes if and
// only if there is no such cell. The game is over when neither player can move, and the
// player with more discs wins. (World Othello Federation, "Official rules of Othello",
// worldothello.org, also the source of the start position and the notation.)
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
// X is Black. A move is written as its cell, d3, or pass. A position is written as the cells
// from a1 to h1, then the next row and so on, and after a blank the player to move, as in most
// Othello programs.
//
// # Actions, planes and targets
//
// New lists the actions, and the variable planes the planes. A pass is at cell 0 of its plane
// under every symmetry. For training, a finished game gives each cell a class: 0 a disc of the
// earlier position's mover, 1 a disc of the other player, 2 none. The score is the difference of
// discs divided by the number of cells.
//
// # Rulings
//
// A pass is an action and a ply. The game ends by "full" or by "no-moves", without final
// passes. Empty cells count for neither player. The longest game has twice as many plies as
// there are empty cells at the start.
//
// # Version
//
// 1.
package othello
