// Package pacru is the Pacru series for two, three and four players: the games
// Shacru, Azacru and Pacru, which share a board, chevrons and markers.
//
// # Rules in brief
//
// A chevron faces one of eight directions. It may go straight ahead or 45
// degrees to either side, and then faces the way it went. It stands on neutral
// fields and on fields with its owner's marker, never on another's. A move
// crosses a border if it begins and ends in different borderlands, the nine
// squares of 3 by 3 fields.
//
// The power of movement of a chevron is the number of its owner's markers in
// its borderland, those under chevrons included, and at least 1. It may go so
// far, over fields of any colour. Over chevrons it may only go from one own
// marker to another, which is a connection jump.
//
// Sources: the booklet of the "Pacru series 302 game set", whose rule ids this
// package's comments quote as {S-R4}, {A-R7} and {R10}; where it is silent, the
// publisher's web pages. Numbers such as 4.1 are those of the sections below.
//
// # Shacru
//
// On your turn you move one chevron one field and mark the field it reaches
// {S-R3}. If it crosses a border it may then turn by 45 degrees, a twist
// {S-R4}. Who cannot move passes, and stays in the game {S-R2}. The game ends
// when nobody can gain a field any more {S-R6}; the most markers win.
//
// # Azacru
//
// As Shacru, but with the power of movement {A-R5}. A move between two own
// markers with no chevron between them connects them: all fields between
// become yours, and if one of them had been another player's, your chevron
// leaves the board {A-R7}. After the first pass every other player has one more
// turn {A-R10}; the most markers win.
//
// # Pacru
//
// The first with 42, 28 or 24 markers wins (two, three or four players), and so
// does the last with a chevron {R16}. A move marks nothing by itself, but may
// bring one benefit: who crosses a border marks a neutral field of the
// borderland he comes to, if it has any {R4}, else turns a field there from
// another's colour to his {R10}; who connects two own markers may mark the
// fields between instead {R8}. Fields with chevrons are not changed, but the
// one under the chevron that has moved may be, if it is neutral. If the
// chevron then meets another of its owner, face to face on own markers, he may
// mark any field without a chevron {R12}.
//
// A chevron of another player that two of yours attack may be taken by one of
// them, whatever it stands on {R11}: a pincer. Instead of moving you may turn a
// chevron on the spot by 45 or 90 degrees, for two or four of your markers
// {R14}. Who cannot move when it is his turn is out: his chevrons leave the
// board and his markers stay {R15}.
//
// # Board
//
// Fields are a1 to i9, file before rank, and numbered from a1 (0) along the
// ranks to i9 (80). This is the start for two players:
//
//	    a   b   c    d   e   f    g   h   i
//	  ┌────────────┬────────────┬────────────┐
//	9 │ ·   ·   ·  │ ·   Y↓  ·  │ ·   ·   G↙ │ 9 G Green   0/42 markers, 4 chevrons
//	8 │ ·   ·   ·  │ ·   ·   ·  │ ·   ·   ·  │ 8 Y Yellow  0/42 markers, 4 chevrons
//	7 │ Y→  ·   ·  │ ·   ·   ·  │ ·   ·   Y← │ 7
//	  ├────────────┼────────────┼────────────┤
//	6 │ ·   ·   ·  │ ·   ·   ·  │ ·   ·   ·  │ 6
//	5 │ ·   ·   ·  │ ·   ·   ·  │ ·   ·   ·  │ 5
//	4 │ ·   ·   ·  │ ·   ·   ·  │ ·   ·   ·  │ 4
//	  ├────────────┼────────────┼────────────┤
//	3 │ G→  ·   ·  │ ·   ·   ·  │ ·   ·   G← │ 3  g   Green's marker
//	2 │ ·   ·   ·  │ ·   ·   ·  │ ·   ·   ·  │ 2  G↑  chevron on a neutral field
//	1 │ Y↗  ·   ·  │ ·   G↑  ·  │ ·   ·   ·  │ 1 [G↑] chevron on an own marker
//	  └────────────┴────────────┴────────────┘
//
// A position is one line, "players;turn;markers;chevrons;final": the seat on
// turn ("-" when the game is over), a character for each field ("." or the
// seat), the chevrons by field as "e1:0N", and in Azacru the seat that was the
// first to pass, else "-". A turn of Pacru that is under way is a sixth part,
// the beginning of its move string, and the board is as it then stands.
//
// A complete turn is written "a3-b4"; with "^", "<" or ">" for no twist, left
// and right where there is the choice; "pass"; "a3xb4" for a pincer; then in
// parentheses the field marked or "*" for the connection, and last that of a
// meeting: "a3-b4(c5,h2)", "(*,h2)", "(h2)". Turns on the spot are "a3<(x,y)"
// and "a3>>(w,x,y,z)", with the fields given back.
//
// # Options
//
// Options and PacruOptions declare them, and tiro games prints them. Noprogress
// and maxturns are not in the rules; they are multiplied by the seats. A game that
// they end is won by the most markers, in Pacru among the players who are not out.
// None of 1,000 random games of each kind comes near them (BenchmarkEndings): the
// longest have 246 turns in Shacru, 81 in Azacru and 361 in Pacru, with 59, 8 and
// 24 in a row without a change. All of those of Pacru are won by the last player:
// turns on the spot eat the markers of a player who chooses at random.
//
// Result and Ending name the rule that ended a game: no-gain, final-round,
// target, last-player, no-progress or turn-limit. Seats with as many markers
// share the win: with n players a share x of it is worth (n*x-1)/(n-1).
//
// # Turns and actions
//
// A turn of Shacru or Azacru is one action, twist and pass included. A turn of
// Pacru is up to five: first the move or the turn on the spot; then, where
// there is a choice, the benefit; then a meeting, if there is one; after a turn
// on the spot the fields given back, one by one. What leaves no choice within a
// turn is done at once, but a turn always begins with an action, so that each
// player takes all of his, a forced pass too.
//
// Fields are given back in an order, so that every choice of them is reached
// in one way: the order of their numbers on a board turned and mirrored until
// the chevron faces north or northeast and has turned to the right. Numbers on
// the board as it lies would do as well, but would break the symmetries.
//
// # Frame and grid
//
// The grid is the board: cell i is field i, and it lies the same for every
// player; only the seats are counted from the player on turn. Nothing in the
// rules tells one side of the board from another, so that a frame turned to the
// player's home would show the network nothing that the symmetries do not: in
// training every row is turned and mirrored at random.
//
// The eight symmetries of the square keep the rules. They do not keep the start
// position, at most with its seats exchanged, which changes who is next; so the
// image of a game begins with State.SetImage.
//
// # Actions
//
// An action is plane*81 + field. Directions d count clockwise from north,
// distances k from 1, twists t are 0 none, 1 left, 2 right.
//
//	Shacru   25 planes   0- 23  one step from the field, d*3 + t
//	                        24  pass, in the middle field only
//	Azacru  193 planes   0-191  slide from the field, (d*8 + k-1)*3 + t
//	                       192  pass, in the middle field only
//	Pacru    73 planes   0- 63  slide or pincer from the field, d*8 + k-1
//	                     64- 67 turn on the spot of the field's chevron by -90, -45, +45, +90 degrees
//	                        68  marker on the field, for a border crossed
//	                        69  connection, at the field of the chevron that has moved
//	                        70  marker on the field, for a meeting
//	                        71  no meeting, at the field of the chevron that has moved
//	                        72  marker on the field given back
//
// # Planes
//
// The planes hold 1 for the fields meant, or one number in all 81 cells. With
// n players:
//
//	 0- 7  chevrons that face each direction, of all players
//	 8-11  fields at the north, east, south and west edge of their borderland
//	12     the board: 1 everywhere
//	13     neutral fields
//	14     turns without a change of markers, as a share of the limit; 0 without one
//	15     turns played, as a share of the limit
//	16-    for each player, the one on turn first and then in order:
//	         his chevrons
//	         his markers
//	         the number of his markers, as a share of 81, in Pacru of those that win
//	         enemy chevrons that he attacks, halves (Pacru)
//	         1 if he is not out (Pacru)
//	         fields that he can go to
//	         his chevrons, by the ways that are open to each, thirds
//	         the ways that are open in all, as a share of three for each chevron of the start
//	         1 if he is blocked: none is open
//	         his power of movement in the field's borderland, ninths, 0 where it counts as 1 (Azacru, Pacru)
//	         how soon he could move a chevron to the field: 1/n for his n-th turn, 0 for never (Shacru, Azacru)
//	         the neutral fields that he could so reach before all others, as a share of 81 (Shacru, Azacru)
//	         fields that would become his by a connection, were he on turn (Azacru)
//
// How soon is counted as if no chevron were in the way and markers stayed as they are.
// Compared between the players it tells who may get which part of the board, which the
// network would otherwise have to work out field by field.
//
// Azacru ends with one plane, Pacru with ten:
//
//	0      turns left in the final round, as a share of n; 0 before it
//
//	0      1 if a meeting counts in this turn
//	1- 3   1 if the benefit, the meeting, a field to give back is to be chosen
//	4  5   the field that the chevron of this turn has left, and where it is
//	6      fields that may be chosen now; the connection not included
//	7      fields of the connection that may be chosen
//	8      the order in which fields are given back, from 0 to 1
//	9      fields still to be given back, quarters
//
// That is 16+9n planes in Shacru, 17+11n in Azacru, 26+10n in Pacru.
//
// # Ownership and score
//
// For learning, a game that is over tells of each field whose marker it has:
// those of the player on turn in an earlier position are 0, of the next player
// 1, and so on; n is neutral. In Shacru, where they never change, fields that
// had a marker in that position are left out. The score of a player is the
// number of his markers less the mean of the others', eighty-firsts.
//
// # Sections and rulings
//
// The sections: 1 common (1.1 start positions, 1.2 movement), 2 Shacru (2.1 its
// end), 3 Azacru, 4 Pacru (4.1 move, 4.2 turn on the spot, 4.3 after the turn),
// 5 decisions, 6 results, 7 notation, 8 perft. Where the booklet is silent or
// unclear:
//
//	 1     a slide colours the field it reaches, nothing else; start fields stay neutral
//	 4     a twist may follow any crossing, and is a choice
//	 5     the end of Shacru: no chevron that is not stuck for ever could reach a neutral field even if the others that are not stuck were gone
//	 6     Azacru has no such end
//	 8     a connection of Azacru is made whether one wants it or not
//	 9     a chevron that is removed leaves its markers, and does not twist
//	11     twists in the final round of Azacru are legal, though they change nothing
//	13 14  the border marker may go under the chevron that arrives, not under others
//	15     a borderland whose neutral fields are all occupied gives nothing
//	16     only fields of another colour without a chevron are transformed
//	17     what a borderland offers is looked at after a pincer has coloured its field
//	18     the connection may be chosen even if it changes nothing
//	19 20  a connection jump still crosses borders; nobody attacks through one
//	21     a pincer takes a chevron off its own colour too
//	22 23  chevrons meet face to face, and a meeting is a choice
//	25 26  markers for meeting=9 are counted after the move and before its benefit, those of players who are out included
//	27     a meeting may mark the field just left
//	28     turns on the spot make no meeting
//	29 30  a turn on the spot costs exactly two or four markers without a chevron on them
//	31 33  a player who can only turn on the spot when his turn comes is out
//	34     the target is looked at when a turn ends
//
// A position string is taken at its word: if it says that a seat is on turn,
// that turn is played, even if the rules would have ended the game before.
//
// # Version
//
// This is version 2 of rules, planes and actions of Shacru and Azacru, and version 1 of
// those of Pacru. Version 1 did not show what connections bring and how soon which field
// can be reached.
package pacru
