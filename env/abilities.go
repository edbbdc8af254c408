package env

import (
	"context"
	"fmt"
	"math/rand/v2"
)

// Positioner is a State that can be written as one line and read back.
type Positioner interface {
	// Position returns the position in the game's notation. Anything that the notation
	// cannot express (clocks, earlier positions) is lost.
	Position() string

	// SetPosition replaces the state with the position pos, with clocks at zero and no
	// earlier positions. On error, which names the fault in pos, the state is unchanged.
	SetPosition(pos string) error
}

// Symmetry is a bijection of the board, given as permutations, that preserves the rules and
// the mover's frame.
type Symmetry struct {
	Input  []int32  // [Inputs]: the image's observation element i is the original's element Input[i]
	Action []Action // [Actions]: the image of action a is Action[a]
}

// NewSymmetry returns the symmetry that maps observation element i to input(i) and action a
// to action(a).
func NewSymmetry(inputs, actions int, input, action func(i int) int) Symmetry {
	s := Symmetry{Input: make([]int32, inputs), Action: make([]Action, actions)}
	for i := range s.Input {
		s.Input[input(i)] = int32(i)
	}
	for a := range s.Action {
		s.Action[a] = Action(action(a))
	}
	return s
}

// Symmetric is a Game with symmetries. They preserve the rules, but not necessarily the
// start position. If an image of the start position is another position, env/envtest needs a
// method SetImage(src State, n int) of the States, which sets the state to the image of src
// under symmetry n, history included.
type Symmetric interface {
	// Symmetries returns all symmetries, the identity first. The caller must not change
	// them.
	Symmetries() []Symmetry
}

// Sampler is a State that draws a random legal action without listing all of them, which
// makes random playouts faster.
type Sampler interface {
	// Sample returns Legal(nil)[rng.IntN(n)], where n is the number of legal actions, with
	// exactly that one draw. The game must not be over. Sample does not allocate.
	Sample(rng *rand.Rand) Action
}

// Finisher is a State that cheaply finds the actions that may end the game. To detect
// immediate wins, the search tries these actions only.
type Finisher interface {
	// Finishing appends to dst the legal actions that may end the game at once: all that do
	// and possibly others, in the order of legal. The argument legal is the result of
	// Legal. Finishing does not allocate if dst has room.
	Finishing(dst, legal []Action) []Action
}

// Scorer is a State with a heuristic evaluation, for players that look ahead without a
// network.
type Scorer interface {
	// Score returns an estimate of each seat's payoff in (-1, 1), based on material for
	// example. With more than two seats it need not sum to 0.
	Score() Value
}

// Ender is a State that reports which rule ended the game.
type Ender interface {
	// Ending returns a short fixed name of the rule, such as "last-piece", or "" if the
	// game is not over. The name ends in Limit if the rule exists only to bound the length
	// of games.
	Ending() string
}

// Ending returns the name of the rule that ended the game at s, or "" if the game is not over or
// s is no Ender.
func Ending(s State) string {
	if e, ok := s.(Ender); ok {
		return e.Ending()
	}
	return ""
}

// Ranker is a State of a game that ranks all seats.
type Ranker interface {
	// Ranking returns the place of each seat at the end of the game, 1 for the best. Equal
	// seats have the same place.
	Ranking() (places [MaxPlayers]int8)
}

// Repeater is a State of a game in which positions can repeat and repetition draws. To the
// search, a position that repeats within its tree is a draw.
type Repeater interface {
	// LastOccurrence returns the number of actions since the position last occurred. It is 0 if
	// the position is new or if the rules ignore repetition.
	LastOccurrence() int

	// Quiet returns the number of actions since the last irreversible one, such as a
	// capture. Positions before that action cannot repeat.
	Quiet() int
}

// Limit is the suffix of the names of rules that bound the length of games.
const Limit = "-limit"

// OwnershipScorer is a State that can report, at the end of the game, who owns each cell
// and by how much each seat is ahead. Networks trained to predict both learn to evaluate
// positions sooner (Wu 2019, "Accelerating self-play learning in Go", section 4.1). Neither
// the rules nor the search use them.
type OwnershipScorer interface {
	// Ownership writes the owner class of each cell at the end of the game to dst, [Height,
	// Width], every element. The classes are seen from earlier, a position of the same
	// game, in the frame of earlier's mover. Each is a class below Spec.OwnershipClasses,
	// or NoOwnership if the owner was already settled in earlier. The first classes are the
	// seats, the mover's first, then the others in turn order; classes without a seat
	// follow.
	//
	// The score is each seat's lead at the end, from -1 to 1. It sums to 0 and does not
	// depend on earlier. Neither position is changed.
	Ownership(dst []int8, earlier State) (score Value)
}

// Clocked is a State with limits, such as a number of turns after which the game is drawn, whose
// planes show the fraction of each limit that is used.
type Clocked interface {
	// ObserveLate overwrites these planes in dst, an observation. They then show a limit only in
	// the last plies before it: 1 at the limit, less by 1/horizon with each ply that is left, at
	// least 0, and 0 without a limit.
	ObserveLate(dst []float32, horizon int)
}

// Nearing returns the number that Clocked.ObserveLate writes after used plies of a limit, 0 for no
// limit.
func Nearing(used, limit, horizon int) float32 {
	if limit == 0 {
		return 0
	}
	return float32(max(0, horizon-(limit-used))) / float32(horizon)
}

// NoOwnership marks a cell that has no ownership target.
const NoOwnership int8 = -1

// Turner is a State of a game with a notation for complete turns, each of which may consist
// of several actions by one player.
type Turner interface {
	// ParseTurn returns the actions of the complete turn written as text. In the middle of
	// a turn, text is still the whole turn and ParseTurn returns the remaining actions. The
	// error explains why there is no such turn.
	ParseTurn(text string) ([]Action, error)

	// LastTurn returns the notation of the turn that the last action completed, or "" if
	// that action completed none.
	LastTurn() string

	// Prompt returns the choice that the player must make in the middle of a turn, such as
	// "a field to give back". Otherwise it returns "".
	Prompt() string
}

// ParseTurn returns the actions of the complete turn written as text. In a game without a
// notation for turns, a turn is one action.
func ParseTurn(s State, text string) ([]Action, error) {
	if t, ok := s.(Turner); ok {
		return t.ParseTurn(text)
	}
	a, err := ParseAction(s, text)
	return []Action{a}, err
}

// MidTurn reports whether the action that led to s left its turn incomplete.
func MidTurn(s State) bool {
	t, ok := s.(Turner)
	_, over := s.Result()
	return ok && !over && t.LastTurn() == ""
}

// Screen describes the output that a State is drawn on.
type Screen struct {
	Columns int   // of text; 0 means unlimited
	Lines   int   // for the board; 0 means unlimited
	Colour  bool  // allow ANSI escape sequences; the text is complete without them
	Since   State // an earlier position: changes since then are marked; nil marks nothing
}

// Drawer is a State that can draw itself as text.
type Drawer interface {
	// Draw returns the board as lines of text, each ended by a newline. The drawing fits
	// the screen if possible and marks the changes since screen.Since.
	Draw(screen Screen) string
}

// Draw returns s drawn for a screen, or s.String() if s is not a Drawer.
func Draw(s State, screen Screen) string {
	if d, ok := s.(Drawer); ok {
		return d.Draw(screen)
	}
	return s.String() + "\n"
}

// SVGDrawer is a State that can draw itself as a picture.
type SVGDrawer interface {
	// DrawSVG returns a self-contained SVG element. Each part is on a line of its own, so
	// that the pictures of one game share most lines. Cells that differ from since,
	// an earlier position or nil, are marked. The page chooses the colour of text
	// (currentColor).
	//
	// A part that is a place on the board has the attribute data-cell: the place's name in
	// action notation, with which a page lets users click on places. If the place is
	// occupied, the attribute data-holds describes the occupant for screen readers, such as
	// "White piece". The svg element may have the attribute data-seats, the colours of the
	// seats' pieces separated by spaces, and data-upright if the board must not be turned.
	// At the end, the picture marks the cells of a winning row.
	DrawSVG(since State) string
}

// Narrator is a State that describes events that its notation leaves out, such as captures.
type Narrator interface {
	// Narrate describes the changes since before, the position at the beginning of the last
	// turn, such as "captures c3f; tile b4 leaves the board", or returns "". At the end of
	// a game that ranks all players it also lists their places.
	Narrate(before State) string

	// Announcement returns the message that the last action requires the players to hear,
	// or "".
	Announcement() string
}

// SeatNamer is a Game whose seats have traditional names, such as White and Black.
type SeatNamer interface {
	// SeatName returns the name of seat p. It is capitalised, has no white space and is
	// unique.
	SeatName(p Player) string
}

// SeatName returns the name of a seat in messages: its traditional name if there is one,
// otherwise "player" and its number, counted from 1.
func SeatName(game Game, p Player) string {
	if n, ok := game.(SeatNamer); ok {
		return n.SeatName(p)
	}
	return fmt.Sprintf("player %d", p+1)
}

// SeatNames returns the names of all seats.
func SeatNames(game Game) (names []string) {
	for seat := range Player(game.Spec().Players) {
		names = append(names, SeatName(game, seat))
	}
	return names
}

// Claimer is a State of a game in which the player on turn may claim a draw.
type Claimer interface {
	// DrawClaim returns the action that claims a draw and ends the game, and whether it is
	// legal.
	DrawClaim() (claim Action, legal bool)
}

// TurnCounter is a State of a game whose rules define the turns that perft counts. Perft is
// the usual check of a move generator. Without this interface, a turn is the sequence of
// actions until another player is on turn or the game is over.
type TurnCounter interface {
	// Perft returns the number of sequences of depth complete turns, 1 for depth 0. A
	// sequence that ends the game earlier may be counted as well.
	Perft(depth int) uint64

	// Divide returns the first turns of these sequences.
	Divide() []CountedTurn
}

// CountedTurn is a complete turn counted by perft, and the position after it.
type CountedTurn struct {
	Move  string
	After TurnCounter
}

// TurnRecorder is a State of a game whose records contain more than the legal actions and
// the positions after them.
type TurnRecorder interface {
	// Record returns a value that encoding/json writes as an object. Its "pos" is the
	// position and "result" the result, "*" if the game is not over. Its "children" has an
	// object for each complete turn, with the notation as "move" and the next position as
	// "after".
	Record() any
}

// Solvable is a Game whose positions can be solved exactly.
type Solvable interface {
	Game

	// ParseSolved parses a line of a file of solved positions. It returns the position,
	// which is not over, and its value to the player on turn: 1 if that player can force a
	// win, 0 for a draw, -1 for a loss.
	ParseSolved(line string) (s State, value int, err error)

	// NewJudge returns a function that reports whether action a is a mistake in s: whether
	// it leaves the player on turn with less than value, the value of s. If ctx ends first,
	// the function returns an error that wraps ctx's error. The function must be used by
	// one goroutine only.
	NewJudge() func(ctx context.Context, s State, a Action, value int) (bool, error)
}

// GTPGame is a Game that programs can play over the Go Text Protocol (G. Farnebäck 2002,
// "GTP Version 2"). The names of its seats are the colours and the names of its actions are
// the vertices; case is ignored.
type GTPGame interface {
	// GTPSetup returns the commands that set up a new game, such as "boardsize 9".
	GTPSetup() []string

	// Lead returns the first player's lead in points if the game ended at s.
	Lead(s State) float64

	// Stones returns the points on which stones stand at s, by chain.
	Stones(s State) [][]Action
}

// Handicapper is a GTPGame in which the first player may begin with several moves.
type Handicapper interface {
	GTPGame

	// Handicap returns the moves that place n stones on fixed points, or fewer if there are
	// not enough points.
	Handicap(n int) []Action
}
