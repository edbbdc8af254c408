// Package breakthrough implements Breakthrough. docs/ADDING_A_GAME.md walks through it.
//
// # Rules
//
// White and Black have two rows of pieces at opposite ends of a square board; White begins. A
// piece moves one row ahead: straight or diagonally onto an empty cell, or diagonally onto an
// enemy piece, which it captures. The player who reaches the last row or captures the last
// enemy piece wins. (D. Troyka 2000.) There is always a legal move: no own piece is ahead of
// the foremost piece, so its diagonals are open.
//
// # Board
//
// Columns are letters from the left, rows are numbers from White's side. A move is written
// b2-b3.
//
// # Actions
//
//	plane  action, from the cell
//	0      ahead to the left
//	1      straight ahead
//	2      ahead to the right
//
// # Planes
//
//	plane  1 where
//	0      the mover has a piece
//	1      the other player has a piece
//	2      everywhere, which shows a convolution the edge of the board
//
// The board is rotated by 180 degrees for Black.
//
// # Version
//
// 1.
package breakthrough
