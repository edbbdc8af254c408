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
// (positional superko). The game is over after two passes in a row. All stones on the board
// count as alive. A player's area consists of the points with the player's stones and of the
// empty regions that do not border stones of the other player; White adds komi. The larger
// area wins. (J. Tromp and B. Taylor, "The Logical Rules of Go", tromp.github.io/go.html;
// without the option suicide, rule 7 is as on most servers.)
//
// Options: size, komi, suicide and handicap.
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
// # Actions
//
//	plane  action
//	0      place a stone on the point
//	1      pass, at cell 0 under every symmetry, since it has no point
//
// # Planes
//
//	plane  1 where
//	0      the mover has a stone
//	1      the other player has a stone
//	2-4    a chain of the mover has 1, 2, or 3 liberties
//	5-7    a chain of the other player has 1, 2, or 3 liberties
//	8      the point is empty, and the mover may not play there (ko, suicide)
//	9      the last move was played
//	10     the move before the last was played
//	11     everywhere, if the last move was a pass
//	12     everywhere: komi in points, divided by 16, from the mover's viewpoint
//	13     everywhere, which shows a convolution the edge of the board
//
// All planes follow from the rules, which define liberties and forbidden points. No plane
// shows which stones are alive.
//
// # Ownership and score
//
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
