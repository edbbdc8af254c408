// Package coerceo implements the game Coerceo for two players.
//
// # Rules in brief
//
// The board consists of 19 hexagonal tiles, each divided into six triangular fields,
// alternately white and black. White's 18 pieces stand on white fields, Black's on black
// fields. On each turn a player either moves or exchanges.
//
// A move takes a piece to an empty field of its colour that shares exactly one corner with
// its own. If that leaves its tile empty, and the tile's neighbours form one unbroken run of at
// most three, the tile leaves the board and the mover keeps it; so does every other empty
// tile that has become removable. Then the opponent's pieces next to the moved piece, or
// facing a removed tile, are captured if all their two or three neighbouring fields are
// occupied or missing. A player's own pieces are never captured on the player's turn, and may
// walk into an enclosure.
//
// An exchange pays two tiles (or one, by agreement) for any piece of the opponent. The
// piece's tile may leave the board, in which case neither player keeps it, and pieces that
// this encloses are captured.
//
// Sources: the publisher's booklets v0.20 and v0.21, and its sheet "Coerceo variations #1
// 'winning'". Numbers such as 4.2 and R12 in this package's comments refer to the section
// "Sections and rulings" below.
//
// # Board
//
// Tiles are named with file a to e and rank from the bottom, fields with their tile and a
// letter, counterclockwise from the upper left. Internally, field f is numbered clockwise
// from the top, and its letter is "fedcba"[f]; odd fields are white and point up. A tile has
// axial coordinates x, y from -2 to 2 with |x+y| <= 2 and c3 at the origin; +y is up and +x
// is up to the right.
//
//	                     ______
//	                    /.    .\
//	                   /().  .()\
//	            ______/....c5....\______
//	           /.    .\    ..    /.    .\
//	          /  .  .()\  .  .  /().  .  \
//	   ______/....b4....\.____./....d4....\______
//	  /. ## .\ ## ..    /.    .\    .. ## /. ## .\
//	 /  .  .  \  .  .  /().  .()\  .  .  /  .  .  \
//	/....a3....\.____./....c4....\.____./....e3....\
//	\ ## ..    /. ## .\    ..    /. ## .\    .. ## /
//	 \  .  .  /  .  .  \  .  .  /  .  .  \  .  .  /
//	  \.____./....b3....\.____./....d3....\.____./
//	  /. ## .\ ## ..    /.    .\    .. ## /. ## .\          ______
//	 /  .  .  \  .  .  /  .  .  \  .  .  /  .  .  \        /. f  .\
//	/....a2....\.____./....c3....\.____./....e2....\      / a.  .e \
//	\    ..    /.    .\    ..    /.    .\    ..    /     /....  ....\
//	 \  .().  /().  .  \  .  .  /  .  .()\  .().  /      \ b  ..  d /
//	  \.____./....b2....\.____./....d2....\.____./        \  .c .  /
//	  /.    .\    ..    /.    .\    ..    /.    .\         \.____./
//	 /().  .  \  .().  /  .  .  \  .().  /  .  .()\
//	/....a1....\.____./....c2....\.____./....e1....\
//	\    ..    /.    .\ ## .. ## /.    .\    ..    /
//	 \  .().  /().  .  \  .  .  /  .  .()\  .().  /
//	  \.____./....b1....\.____./....d1....\.____./
//	         \    .. ## /.    .\ ## ..    /
//	          \  .  .  /  .  .  \  .  .  /
//	           \.____./....c1....\.____./
//	                  \ ## .. ## /
//	                   \  .  .  /
//	                    \.____./
//
// Moves are written "d1e-d1c", exchanges "xa3f", the claim of a draw "claim". A position is
// one line: the tiles in index order (see geometry.go), "--" for a removed tile and otherwise
// its occupied fields as a hexadecimal mask, bit f for field f; then the player on turn and
// the number of tiles in White's and Black's hand.
//
// # Options
//
// Options declares the options, and tiro games prints them. Repetition (except for the
// claim), noprogress and maxplies are not part of the rules; they keep games between programs
// short. The defaults are based on 2,000 random games of every rule set (BenchmarkEndings).
// Without noprogress and maxplies, half of the casual games last at most 628 plies, 99% at
// most 929, the longest 1,170; in 99% of the games a piece or tile leaves the board at least
// every 162 plies. With the defaults, 89.4% of the casual games end with the last piece,
// 7.1% by repetition, 1.6% without progress, 1.5% in dead positions, 0.4% without a move and
// 0.1% at the ply limit. In short and competitive games (half end within 429 plies, 99%
// within 694), 99.2% are won by twelve pieces and 0.8% end without progress.
//
// With noprogress=0, only the last 256 plies are searched for repetitions.
//
// Ending returns the rule that ended a game: last-piece, twelve, dead-position, no-move,
// repetition, claim, no-progress or ply-limit. Wins are tested first. Resigning and agreeing
// to a draw are not actions.
//
// # Frame and grid
//
// The grid has 5 by 5 cells: cell (y+2)*5 + (x+2) is tile (x, y), six corner cells are not
// tiles, and a 3x3 convolution covers a tile's six neighbours. The mover's fields are always
// 1, 3, 5 and the enemy's 0, 2, 4. To achieve this, Black sees the board rotated by 180
// degrees: cell i becomes 24-i and field f becomes f+3. Rotations by 60 or 300 degrees would
// do as well, since they differ from it by rotations that preserve the colours, but this one
// simply reverses the order of the cells.
//
// # Actions
//
// An action is plane*25 + cell; there are 22 planes. Fields are in the mover's frame, and D[k]
// is one step across side k.
//
//	0-17   move of the piece on field f = 1, 3, 5 of the cell's tile (plane/6), by plane%6:
//	         0  to field f+2 of the tile       3  to field f+4 of the tile at D[f]
//	         1  to field f+4 of the tile       4  to field f+2 of the tile at D[f-1]
//	         2  to field f+2 of D[f]'s tile    5  to field f+4 of the tile at D[f+1]
//	18-20  exchange for the piece on field 0, 2, 4 of the cell's tile
//	21     claim, in the middle cell only; in competitive games
//
// # Planes
//
// The observation has 86 planes. Groups of three are for fields 1, 3, 5 (own) or 0, 2, 4
// (enemy) of the mover's frame, groups of 18 for the planes of moves. The other planes hold 1 for
// each tile described, or one number in all 25 cells.
//
//	 0- 2  own pieces
//	 3- 5  enemy pieces
//	 6- 8  empty fields that an own piece can move to
//	 9-11  empty fields that an enemy piece could move to
//	12-14  moves of the own piece there, sixths
//	15-17  moves of the enemy piece there, sixths
//	18-20  own pieces that one enemy move could capture now
//	21-23  enemy pieces that one own move can capture now
//	24-26  1/n for empty fields that an own piece can reach in n moves if nothing else changes
//	27-29  likewise for enemy pieces
//	30-32  1/n for own pieces whose empty neighbouring fields the enemy can occupy in n moves,
//	       counted one by one as in planes 27 to 29; n is 2 if all are occupied or missing
//	33-35  likewise for enemy pieces
//	36     tiles on the board
//	37     tiles that would leave it if they were empty
//	38     tiles that leave it if their only piece, the mover's, moves to another tile
//	39     tiles that leave it if their only piece, the enemy's, moves to another tile
//	40 41  tiles in the own and the enemy's hand, eighths
//	42 43  exchanges that these can pay for, quarters
//	44 45  pieces that the mover and the enemy must still remove to win, eighteenths
//	46     tiles on the board, nineteenths
//	47     earlier occurrences of the position, divided by one less than the number that draws or allows a claim
//	48     plies without progress, divided by the limit; 0 without a limit
//	49     plies played, divided by the limit
//	50-67  how many own pieces more than now a single enemy move could enclose after the move
//	68-85  how many enemy pieces more than now another own move could enclose after the move
//
// Planes 50 to 85 count only pieces whose last empty neighbouring field is entered, not those
// enclosed by the removal of tiles.
//
// # Ownership and score
//
// For training, a finished game gives each tile that was on the board of an earlier position
// a class: 0 collected by that position's mover, 1 collected by the enemy, 2 out of play, 3
// still on the board. The score is the difference of the remaining pieces, in eighteenths.
//
// # Sections and rulings
//
// Sections: 1 geometry (1.1 tiles, 1.3 fields, 1.4 edge neighbours, 1.5 destinations, 1.6
// symmetries), 2 start, 4 turn (4.1 tile removal, 4.2 capture), 5 facts, 6 end (6.1 dead
// positions, 6.2 no turn, 6.3 threefold repetition), 7 Cura, 10 perft. Rulings where the
// booklets are silent or unclear:
//
//	R2      pieces may pass over enemies
//	R4      a missing neighbour encloses like an enemy
//	R5      pieces are captured one by one, not in groups
//	R6      a piece that walks into an enclosure stays
//	R7      it also stays in later turns: only new enclosures capture
//	R8      a player's tile removal never captures the player's own pieces
//	R9      removable: one unbroken run of at most three neighbours
//	R10     cascades are complete; the mover keeps all tiles of a move, and no player the tiles of an exchange
//	R11     tiles leave before pieces are captured
//	R12     exchanged pieces count among the twelve (exchangecounts)
//	R13     dead: neither side can ever remove a piece, even with the other's help
//	R14     no turn: see nomove
//	R15     Cura is announced after a turn if its player threatens to capture with a move; an exchange is no threat
//	R16     an exchange is allowed when no move is possible
//	R17     an exchange captures the pieces that its tile removal encloses
//	R21     repetition is claimed by the player on turn, for the current position
//
// A position is recognised as dead if (D1) each side has one piece and too few tiles are left
// for another exchange, (D2) the player on turn has no turn, which ends the game as no-move, or
// (D3) each turn removes nothing and leaves the opponent without a turn. On small boards an
// exhaustive search finds no other dead positions.
//
// # Version
//
// This is version 3 of rules, planes and actions. Version 1 lacked planes 24 to 35, version 2 planes 50
// to 85. Older networks that ship with the program have zero weights for them, and play as before.
package coerceo
