// Package igo implements Go on boards of 5 by 5 to 19 by 19, with area scoring and positional
// superko. (A package cannot be called go.)
//
// # Rules
//
// Black and White alternately place stones on empty points or pass. Black begins, or White
// after a handicap. Stones connected along the lines form a chain, and the empty points next
// to a chain are its liberties. A move removes the opponent's chains without a liberty. It
// must leave its own chain a liberty, unless the option suicide allows the chain to be
// removed. No move except a pass may repeat the stones of an earlier position of the game
// (positional superko). The game is over after two passes in a row. A player's area consists
// of the points with the player's stones, which all count as alive, and of the empty regions
// that border no others; White adds komi. The larger area wins. (J. Tromp and B. Taylor, "The
// Logical Rules of Go", tromp.github.io/go.html; without the option suicide, rule 7 is as on
// most servers.)
//
// # Board
//
// Columns are letters from the left without i, rows are numbers from the bottom. Row r,
// column c of the grid is row r+1, letter number c, for both players:
//
//	5 . . . . .
//	4 . X X . .
//	3 . X O O .
//	2 . . O . .
//	1 . . . . .
//	  a b c d e
//
// X is Black. A move is written as its point, c3, or pass. A position is written row by row
// from the top, with / between rows, then a blank and b or w for the player to move, and after
// another blank the points that superko forbids to this player, if any.
//
// # Actions, planes and targets
//
// New lists the actions, and the variable planes the planes, which show liberties and forbidden
// points but not which stones are alive. A pass is at cell 0 of its plane under every symmetry.
// For training, a finished game gives each point a class: 0 if it belongs to the earlier
// position's mover, 1 to the other player, 2 to neither. The score is the difference of areas
// including komi, divided by the number of points.
//
// # Rulings
//
// The game ends by "two-passes", or by "ply-limit" after three times as many plies as points,
// and is scored in both cases. Handicap stones are placed as by GTP's fixed_handicap
// (G. Farnebäck, "GTP Version 2", 4.1.1); White gets no compensation for them.
//
// # Version
//
// 1.
package igo
