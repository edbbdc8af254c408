// Package igo plays Go on boards of 5 by 5 to 19 by 19, by area scoring and positional
// superko. (A package cannot be called go.)
//
// # Rules
//
// Black and White put stones on empty points by turns, or pass; Black begins, or White
// after a handicap. Stones that are connected along the lines form a chain, and the empty
// points next to a chain are its liberties. A move takes the opponent's chains that have
// no liberty left off the board. It must leave its own chain a liberty, unless the option
// suicide allows it to be taken off. No move but a pass may repeat the stones of an
// earlier position of the game (positional superko). The game is over after two passes in
// a row. All stones on the board count as alive. A player's area is the points with a
// stone of theirs, and the empty regions that border no stone of the other; White adds
// komi. The larger area wins. (J. Tromp and B. Taylor, "The Logical Rules of Go",
// tromp.github.io/go.html; without the option suicide, rule 7 is that of most servers.)
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
// X is Black. A move is written as its point, c3, or pass. A position is written row by
// row from the top, with / between rows, then a blank and b or w for the player to move,
// and after another blank the points on which superko forbids this player to play, if any.
//
// # Actions
//
//	plane  action
//	0      put a stone on the point
//	1      pass, at cell 0 whatever the symmetry, since it has no point
//
// # Planes
//
//	plane  1 where
//	0      the mover has a stone
//	1      the other player has a stone
//	2-4    a chain of the mover has 1, 2, or 3 liberties
//	5-7    a chain of the other player has 1, 2, or 3 liberties
//	8      the point is empty, and the mover may not play there (ko, suicide)
//	9      the last move was
//	10     the move before was
//	11     everywhere, if the last move was a pass
//	12     everywhere: how much komi is for the mover, in points, divided by 16
//	13     everywhere: tells a convolution where the board ends
//
// All of them follow from the rules. Liberties and forbidden points are what the rules
// speak of; nothing says which stones are alive.
//
// # Ownership and score
//
// For learning, a finished game says of each point: 0 it belongs to the earlier position's
// mover, 1 to the other player, 2 to neither. The score is the difference of areas, komi
// included, as a share of the points.
//
// # Rulings
//
// The game ends by "two-passes", or by "ply-limit" after three times as many plies as
// points, and is scored in both cases. Handicap stones lie as GTP's fixed_handicap puts
// them (G. Farnebäck, "GTP Version 2", 4.1.1); nothing is added to White's score for them.
//
// # Version
//
// 1.
package igo
