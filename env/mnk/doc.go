// Package mnk implements m,n,k-games, such as tic-tac-toe and gomoku.
//
// # Rules
//
// Two players, x and o, alternately place stones on empty cells of a board of m columns and n
// rows; x begins. The first player with k or more stones in an unbroken row, column or
// diagonal wins. A full board without one is a draw. (J. W. H. M. Uiterwijk and H. J. van den
// Herik 2000, "The advantage of the initiative", Information Sciences 122, section 2.)
//
// The options are m, n and k: mnk is tic-tac-toe, mnk:m=15,n=15,k=5 is freestyle gomoku.
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
// A position is written row by row from the top, with / between rows and . for an empty cell.
// The one above is ..o/.x./... . The number of stones determines the player on turn.
//
// # Actions, planes and targets
//
// An action is the cell of a stone. The variable planes lists the planes. A window is k cells in a
// line without a stone of the other player. A stone makes a four if a window then lacks one stone, and
// a three if it lacks two. With k=5 these are the usual terms: a stone that makes two fours, of which
// only one can be blocked, wins unless the other player wins first, and two threes in one direction
// usually are an open three (L. V. Allis, H. J. van den Herik and M. P. H. Huntjens 1993, "Go-Moku
// solved by new search techniques", AAAI Technical Report FS-93-02).
//
// For training, a finished game gives each cell that was empty in an earlier position a class: 0 a
// stone of that position's mover, 1 a stone of the other player, 2 none. The score is the payoff times
// the fraction of cells left empty.
//
// # Rulings
//
// More than k in a row win as well (no overline rule). The game ends by
// "k-in-row" or "full". The longest game has m·n plies.
//
// # Version
//
// This is version 2 of rules, planes and actions. Version 1 had only the first three planes.
package mnk
