// Package mnk plays m,n,k-games: tic-tac-toe, gomoku and what lies between.
//
// # Rules
//
// Two players, x and o, put stones of theirs by turns on empty cells of a board
// of m columns and n rows; x begins. Whoever first has k stones or more in an
// unbroken row, column or diagonal wins. A full board without one is a draw.
// (J. W. H. M. Uiterwijk and H. J. van den Herik 2000, "The advantage of the
// initiative", Information Sciences 122, section 2.)
//
// The options are m, n and k: mnk is tic-tac-toe, mnk:m=15,n=15,k=5 freestyle
// gomoku.
//
// # Board
//
// Columns are letters from the left, rows are numbers from the bottom. A move
// is written as its cell, b2. Row r, column c of the grid is row r+1, letter
// number c:
//
//	3 . . o
//	2 . x .
//	1 . . .
//	  a b c
//
// A position is written row by row from the top, with / between rows and . for
// an empty cell: the one above is ..o/.x./... . Who is on turn follows from the
// number of stones.
//
// # Actions
//
//	plane  action
//	0      put a stone on the cell
//
// # Planes
//
//	plane  1 where
//	0      the mover has a stone
//	1      the other player has a stone
//	2      everywhere: tells a convolution where the board ends
//
// # Ownership and score
//
// For learning, a game that is over tells of each cell that was empty in an
// earlier position: 0 a stone of that position's mover, 1 of the other player,
// 2 none. The score is the payoff times the share of cells left empty.
//
// # Rulings
//
// More than k in a row win as well (no overline rule). The game ends by
// "k-in-row" or "full". The longest game has m·n plies.
//
// # Version
//
// 1.
package mnk
