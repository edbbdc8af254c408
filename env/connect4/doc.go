// Package connect4 implements Connect Four.
//
// # Rules
//
// Two players, x and o, alternately drop stones into one of seven columns, where a stone falls
// on top of the column; a column holds six stones. x begins. The first player with four or
// more stones in an unbroken row, column or diagonal wins. A full board without four is a
// draw. (J. D. Allen 1989, "Expert Play in Connect-Four"; V. Allis 1988, "A Knowledge-based
// Approach of Connect-Four", section 2.) With best play x wins with its last stone by
// beginning in the middle.
//
// # Options
//
//	option  values       default
//	planes  all, stones  all      observation planes of the network; the rules are the same
//
// # Board
//
// A move is written as its column, 1 to 7 from the left, and a game as its moves, 4453, which
// FromMoves parses. Row 0 of the grid is the lowest, column 0 the leftmost:
//
//	. . . . . . .
//	. . . . . . .
//	. . . . . . .
//	. . . . . . .
//	. . . o . . .
//	. . o x x . .
//	1 2 3 4 5 6 7
//
// A position is written row by row from the top, with / between rows and . for an empty cell.
// The one above is ......./......./......./......./...o.../..oxx.. . The number of stones
// determines the player on turn.
//
// # Actions and planes
//
// An action is the cell on which the stone lands, so actions have the shape of the grid and
// every column has at most one legal action. The variable planes lists the planes.
//
// Planes 0 to 3 are the position and the edge of the board, which plane 3 shows to a
// convolution. Planes 4 to 7 are strategic knowledge beyond the rules: the cells that would
// win, and the parity of rows, which determines who must eventually fill the cell below
// (Allis's zugzwang, section 3). They are included because a network with planes 0 to 3 only
// makes more errors in solved positions after 60 generations than one with all planes after 10
// (docs/measurements/connect4.md). Planes 8 and 9 count the lines that are still open. Planes
// 10 and 11 show the results that a player can force by Allis's follow-up, in which it answers
// every stone with one on top of it. With planes 8 to 11 a network learns more from the same
// games. With planes=stones there are only planes 0, 1 and 3, for comparison with programs
// whose networks see only the stones.
//
// # Ownership and score
//
// For training, a finished game gives each cell that was empty in an earlier position a class:
// 0 a stone of that position's mover, 1 a stone of the other player, 2 none. The score is the
// payoff times the fraction of cells left empty.
//
// # Rulings
//
// The game ends by "four-in-row" or "full". The longest game has 42 plies. Positions that
// cannot occur in play are accepted if no stone hangs in the air, the numbers of stones match,
// and the player on turn has not won.
//
// # Version
//
// This is version 3 of rules, planes and actions. Version 1 had only planes 0 to 3, version 2
// planes 0 to 7.
package connect4
