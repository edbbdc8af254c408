// Package pacru implements the Pacru series for two, three and four players: the games Shacru,
// Azacru and Pacru, which share a board, chevrons and markers.
//
// # Rules in brief
//
// A chevron faces one of eight directions. It moves straight ahead or 45 degrees to either
// side, and then faces the direction of its move. It stands on neutral fields and on fields
// with its owner's marker, never on another player's. A move crosses a border if it begins and
// ends in different borderlands, the nine squares of 3 by 3 fields.
//
// The power of movement of a chevron is the number of its owner's markers in its borderland,
// including those under chevrons, and at least 1. The chevron moves up to that many fields,
// over fields of any colour. It may pass over chevrons only from one own marker to another,
// which is a connection jump.
//
// Sources: the booklet of the "Pacru series 302 game set", whose rule ids are quoted in this
// package's comments as {S-R4}, {A-R7} and {R10}; where it is silent, the publisher's web
// pages. Numbers such as 4.1 refer to the sections below.
//
// # Shacru
//
// In a turn a player moves one chevron by one field and marks its destination {S-R3}. If the
// move crosses a border, the chevron may then turn by 45 degrees, a twist {S-R4}. A player who
// cannot move passes and stays in the game {S-R2}. The game ends when no player can gain
// another field {S-R6}; the most markers win.
//
// # Azacru
//
// Like Shacru, but with the power of movement {A-R5}. A move between two own markers with no
// chevron between them connects them: the player gains all fields between, and if one of them
// belonged to another player, the chevron leaves the board {A-R7}. After the first pass every
// other player has one more turn {A-R10}; the most markers win.
//
// # Pacru
//
// The first player with 42, 28 or 24 markers wins (two, three or four players), and so does
// the last player with a chevron {R16}. A move does not mark its destination, but may bring
// one benefit. A player who crosses a border marks a neutral field of the borderland entered,
// if it has any {R4}, and otherwise takes over a field of another colour there {R10}. A player
// who connects two own markers may mark the fields between instead {R8}. Fields with chevrons
// do not change, except that the field under the moved chevron may be marked if it is neutral.
// If the chevron then meets another of its owner's, face to face on own markers, the owner may
// mark any field without a chevron {R12}.
//
// A chevron attacked by two chevrons of another player may be captured by one of them,
// whatever it stands on {R11}: a pincer. Instead of moving, a player may turn a chevron on the
// spot by 45 or 90 degrees, for two or four of the player's markers {R14}. A player who cannot
// move at the beginning of a turn is out: the player's chevrons leave the board and the
// markers stay {R15}.
//
// # Board
//
// Fields are a1 to i9, file before rank, and numbered from a1 (0) along the ranks to i9 (80).
// The start position for two players:
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
// A position is one line, "players;turn;markers;chevrons;final": the seat on turn ("-" if the
// game is over), a character for each field ("." or the seat), the chevrons by field such as
// "e1:0N", and in Azacru the seat that was the first to pass, otherwise "-". During a turn of
// Pacru there is a sixth part, the beginning of the move string, and the board shows the turn
// so far.
//
// A complete turn is written "a3-b4". If there is a choice of twist, "^", "<" or ">" follows
// for none, left and right. "pass" is a pass and "a3xb4" a pincer. Then, in parentheses, come
// the marked field or "*" for the connection, and last the field of a meeting: "a3-b4(c5,h2)",
// "(*,h2)", "(h2)". Turns on the spot are "a3<(x,y)" and "a3>>(w,x,y,z)", with the fields given
// back.
//
// # Options
//
// Options and PacruOptions declare the options, and tiro games prints them. Noprogress and
// maxturns are not part of the rules; they are multiplied by the number of seats. A game ended
// by them is won by the most markers, in Pacru among the players who are not out. None of
// 1,000 random games of each kind comes near the limits (BenchmarkEndings): the longest have
// 246 turns in Shacru, 81 in Azacru and 361 in Pacru, with 59, 8 and 24 turns in a row without
// a change. All of the Pacru games are won by the last player with chevrons, because players
// who choose at random spend their markers on turns on the spot.
//
// Ending returns the rule that ended the game: no-gain, final-round, target, last-player,
// no-progress or turn-limit. Seats with equally many markers share the win: with n players, a
// share x is worth (n*x-1)/(n-1).
//
// # Turns and actions
//
// A turn of Shacru or Azacru is one action, including twist and pass. A turn of Pacru consists
// of up to five actions: first the move or the turn on the spot; then the benefit, if there is
// a choice; then a meeting, if there is one; after a turn on the spot, the fields given back,
// one by one. Decisions without a choice are made automatically, except at the beginning of a
// turn, so that each player takes every turn, including forced passes.
//
// Fields are given back in a fixed order, so that every choice of fields corresponds to one
// sequence of actions. The order is by number on the board rotated and reflected such that the
// chevron faces north or northeast and has turned to the right. The numbers of the original
// board would also work, but would break the symmetries.
//
// # Frame and grid
//
// The grid is the board: cell i is field i, with the same orientation for every player. Only
// the seats are numbered from the player on turn. The rules do not distinguish the sides of the
// board, so a frame rotated to the player's side would show the network nothing that the
// symmetries do not: every training row is rotated and reflected at random.
//
// The eight symmetries of the square preserve the rules. They preserve the start position at
// most up to an exchange of seats, which changes the order of play. The image of a game
// therefore begins with State.SetImage.
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
//	                        68  mark the field, for crossing a border
//	                        69  connection, at the field of the moved chevron
//	                        70  mark the field, for a meeting
//	                        71  no meeting, at the field of the moved chevron
//	                        72  give back the marker on the field
//
// # Planes
//
// The planes hold 1 for each field described, or one number in all 81 cells. With n players:
//
//	 0- 7  chevrons that face each direction, of all players
//	 8-11  fields at the north, east, south and west edge of their borderland
//	12     the board: 1 everywhere
//	13     neutral fields
//	14     turns without a change of markers, divided by the limit; 0 without a limit
//	15     turns played, divided by the limit
//	16-    for each player, in turn order from the player on turn:
//	         chevrons
//	         markers
//	         number of markers, divided by 81, in Pacru by the number that wins
//	         attacked enemy chevrons, halves (Pacru)
//	         1 if the player is not out (Pacru)
//	         fields that a chevron can move to
//	         chevrons, by the number of open directions of each, thirds
//	         total number of open directions, divided by three per chevron at the start
//	         1 if the player is blocked: no direction is open
//	         power of movement in the field's borderland, ninths, 0 where it counts as 1 (Azacru, Pacru)
//	         1/n if a chevron could reach the field in the player's n-th turn, 0 for never (Shacru, Azacru)
//	         number of neutral fields that the player could reach before all others, divided by 81 (Shacru, Azacru)
//	         fields that the player would gain by a connection if on turn (Azacru)
//
// The times to reach a field assume that no chevron is in the way and that markers stay as
// they are. A comparison between players shows who may get which part of the board, which the
// network would otherwise have to work out field by field.
//
// Azacru ends with one plane, Pacru with ten:
//
//	0      turns left in the final round, divided by n; 0 before it
//
//	0      1 if a meeting counts in this turn
//	1- 3   1 if the benefit, the meeting, a field to give back must be chosen
//	4  5   the field that this turn's chevron has left, and its field now
//	6      fields that may be chosen now, excluding the connection
//	7      fields of the connection that may be chosen
//	8      the order in which fields are given back, from 0 to 1
//	9      fields still to be given back, quarters
//
// That is 16+9n planes in Shacru, 17+11n in Azacru, 26+10n in Pacru.
//
// # Ownership and score
//
// For training, a finished game gives the owner of each field: 0 if it has a marker of the
// player on turn in the earlier position, 1 for the next player, and so on; n is neutral. In
// Shacru, where markers never change, fields already marked in the earlier position are left
// out. The score of a player is the number of the player's markers minus the mean of the
// others', divided by 81.
//
// # Sections and rulings
//
// Sections: 1 common (1.1 start positions, 1.2 movement), 2 Shacru (2.1 its end), 3 Azacru, 4
// Pacru (4.1 move, 4.2 turn on the spot, 4.3 after the turn), 5 decisions, 6 results, 7
// notation, 8 perft. Rulings where the booklet is silent or unclear:
//
//	 1     a slide colours its destination, nothing else; start fields stay neutral
//	 4     a twist may follow any crossing, and is a choice
//	 5     the end of Shacru: no chevron that is not permanently stuck could reach a neutral field even if all others that are not stuck were gone
//	 6     Azacru has no such end
//	 8     a connection in Azacru is mandatory
//	 9     a chevron that is removed leaves its markers, and does not twist
//	11     twists in the final round of Azacru are legal, though they have no effect
//	13 14  the border marker may go under the chevron that arrives, not under others
//	15     a borderland whose neutral fields are all occupied gives nothing
//	16     only fields of another colour without a chevron are transformed
//	17     a borderland is examined after a pincer has coloured its field
//	18     the connection may be chosen even if it changes nothing
//	19 20  a connection jump still crosses borders, but does not attack
//	21     a pincer also captures a chevron on its owner's colour
//	22 23  chevrons meet face to face, and a meeting is a choice
//	25 26  markers for meeting=9 are counted after the move and before its benefit, including markers of players who are out
//	27     a meeting may mark the field just left
//	28     turns on the spot make no meeting
//	29 30  a turn on the spot costs exactly two or four markers without a chevron on them
//	31 33  a player who can only turn on the spot at the beginning of a turn is out
//	34     the target is checked at the end of a turn
//
// A position string is taken literally: if it puts a seat on turn, that turn is played, even
// if the rules would have ended the game before.
//
// # Version
//
// This is version 2 of rules, planes and actions of Shacru and Azacru, and version 1 of
// Pacru's. Version 1 lacked the planes for connections and for the time to reach a field.
package pacru
