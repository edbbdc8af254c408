// Package coerceo is the game Coerceo for two players.
//
// # Rules in brief
//
// The board is made of 19 hexagonal tiles, each cut into six triangular
// fields, by turns white and black. White's 18 pieces live on white fields,
// Black's on black ones. On your turn you either move or exchange.
//
// A move takes a piece to an empty field of its colour that shares exactly one
// corner with its own. If that leaves its tile empty, and the tile's
// neighbours form one unbroken run of at most three, the tile leaves the board
// and you keep it; so does, after it, every other empty tile that has become
// removable. Then the opponent's pieces next to where you went, or facing a
// tile that has gone, are captured if all their two or three neighbouring
// fields are occupied or missing. Your own pieces are never captured in your
// turn, and may walk into an enclosure.
//
// An exchange pays two tiles (or one, by agreement) for any piece of the
// opponent. Its tile may leave the board, which nobody then keeps, and pieces
// that this encloses are captured.
//
// Sources: the publisher's booklets v0.20 and v0.21, and its sheet "Coerceo
// variations #1 'winning'". Numbers such as 4.2 and R12 in this package's
// comments are those of the section "Sections and rulings" below.
//
// # Board
//
// Tiles are named by file a to e and rank from the bottom; fields by their
// tile and a letter, from the upper left against the clock. Inside the program
// field f counts clockwise from the top, "fedcba"[f], so that odd f are white
// and point up. A tile has axial coordinates x, y from -2 to 2 with
// |x+y| <= 2, c3 in the middle; +y is up and +x up to the right.
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
// Moves are written "d1e-d1c", exchanges "xa3f", the claim of a draw "claim".
// A position is one line: the tiles in index order (see geometry.go), "--" for
// one that is gone, else its occupied fields as a mask in hexadecimal, bit f
// for field f; then the player on turn and the tiles in White's and Black's
// hand.
//
// # Options
//
// Options declares them, and tiro games prints them. Repetition, noprogress and
// maxplies are not in the rules, but for the claim; they keep games between
// programs short. The defaults come from 2,000 random games of every rule set
// (BenchmarkEndings): without the last two, half of the casual games last at most
// 628 plies, 99% at most 929, the longest 1,170, and in 99% of them something
// leaves the board at least every 162 plies. With them, 89.4% of the casual games
// end by the last piece, 7.1% by repetition, 1.6% by no progress, 1.5% in dead
// positions, 0.4% without a move and 0.1% by the ply limit. Short and competitive
// games (half end within 429 plies, 99% within 694) are won by twelve pieces but
// for 0.8% without progress.
//
// With noprogress=0, only the last 256 plies are looked at for repetitions.
//
// Result and Ending name the rule that ended a game: last-piece, twelve,
// dead-position, no-move, repetition, claim, no-progress or ply-limit. Wins
// are tested first. Resigning and agreeing to a draw are no actions.
//
// # Frame and grid
//
// The grid is 5 by 5: cell (y+2)*5 + (x+2) is tile (x, y), six corners are no
// tile, and a 3x3 convolution covers a tile's six neighbours. The mover's
// fields always are 1, 3, 5 and the enemy's 0, 2, 4. For that Black sees the
// board turned by 180 degrees: cell i becomes 24-i and field f becomes f+3. A
// turn by 60 or 300 degrees would do as well, for they differ from it by turns
// that keep the colours; this one reverses the cells, no more.
//
// # Actions
//
// An action is plane*25 + cell; 22 planes. Fields are those of the mover's
// frame, D[k] is one step across side k.
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
// The observation has 38 planes. Groups of three are for fields 1, 3, 5 (own)
// or 0, 2, 4 (enemy) of the mover's frame; the others hold 1 for the tiles
// meant, or one number in all 25 cells.
//
//	 0- 2  own pieces
//	 3- 5  enemy pieces
//	 6- 8  empty fields that an own piece can go to
//	 9-11  empty fields that an enemy piece could go to
//	12-14  moves of the own piece there, sixths
//	15-17  moves of the enemy piece there, sixths
//	18-20  own pieces that one enemy move could capture now
//	21-23  enemy pieces that one own move can capture now
//	24     tiles on the board
//	25     tiles that would leave it if they were empty
//	26     tiles that leave it if their only piece, an own one, moves to another tile
//	27     the same for the enemy's
//	28 29  tiles in the own and the enemy's hand, eighths
//	30 31  exchanges that these pay for, quarters
//	32 33  pieces that the mover and the enemy have still to remove to win, eighteenths
//	34     tiles on the board, nineteenths
//	35     earlier occurrences of the position, as a share of those that draw or may be claimed
//	36     plies without progress, as a share of the limit; 0 without one
//	37     plies played, as a share of the limit
//
// # Ownership and score
//
// For learning, a game that is over tells of each tile that an earlier position
// had on the board: 0 collected by that position's mover, 1 by the enemy, 2 out
// of play, 3 still there. The score is the difference of the pieces left,
// eighteenths.
//
// # Sections and rulings
//
// The sections: 1 geometry (1.1 tiles, 1.3 fields, 1.4 edge neighbours, 1.5
// destinations, 1.6 symmetries), 2 start, 4 turn (4.1 tile removal, 4.2
// capture), 5 facts, 6 end (6.1 dead positions, 6.2 no turn, 6.3 threefold
// repetition), 7 Cura, 10 perft. Where the booklets are silent or unclear:
//
//	R2      pieces may pass over enemies
//	R4      a missing neighbour encloses like an enemy
//	R5      single pieces are captured, not groups
//	R6      a piece that walks into an enclosure stays
//	R7      and stays in later turns: only new enclosures capture
//	R8      a player's own tile removal never captures his own pieces
//	R9      removable: one unbroken run of at most three neighbours
//	R10     cascades are complete; the mover keeps all tiles of a move, nobody those of an exchange
//	R11     tiles leave before pieces are captured
//	R12     exchanged pieces count among the twelve (exchangecounts)
//	R13     dead: neither side can ever remove a piece, even with the other's help
//	R14     no turn: see nomove
//	R15     Cura is announced after a turn if its player threatens to capture by a move; an exchange is no threat
//	R16     an exchange is allowed when no move is possible
//	R17     an exchange captures what its tile removal encloses
//	R21     repetition is claimed by the player on turn, for the position on the board
//
// A position is found dead if (D1) each side has one piece and too few tiles
// are left for another exchange, (D2) the player on turn has no turn, which
// ends the game as no-move, or (D3) each of his turns removes nothing and
// leaves the opponent so. On small boards a search finds no others.
//
// # Version
//
// This is version 1 of rules, planes and actions.
package coerceo
