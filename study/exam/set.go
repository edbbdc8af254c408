package exam

import (
	"fmt"
	"slices"

	"tiro/env"
	"tiro/format"
)

// The kinds of sets.
const (
	Solved     = "solved"
	Tactics    = "tactics"
	Endgame    = "endgame"
	Judgement  = "judgement"
	Conversion = "conversion"
)

// kinds returns the kinds of sets in their order.
func kinds() []string { return []string{Solved, Tactics, Endgame, Judgement, Conversion} }

var header = format.Header{Format: 1, What: "tiro exam set"}

// About describes the questions of a set.
type About struct {
	format.Header
	Game     string `json:"game"`               // game string
	Version  int    `json:"version"`            // version of the game
	Kind     string `json:"kind"`               // solved, tactics, endgame, judgement or conversion
	Made     string `json:"made"`               // how the set was made, as text
	Defender string `json:"defender,omitempty"` // conversion: player of the other seats
	Plies    int    `json:"plies,omitempty"`    // conversion: number of plies within which to win
}

// Set is a set of questions about a game.
type Set struct {
	About
	Name      string `json:"-"` // file name; the kind of a bundled set; the game string of a whole game
	Questions []Question

	newJudge func() judge // makes a judge if only values are known; nil if the right actions are
}

// Judged reports whether the answers are judged by an exact solver.
func (s *Set) Judged() bool { return s.newJudge != nil }

// Question is a position with its answer.
type Question struct {
	State   env.State
	History []env.Action // actions from the start to State

	Right    []env.Action            // ascending; Solved: actions that keep the value; Tactics, Endgame: actions that keep the win
	Shortest []env.Action            // ascending; Endgame: the actions of Right that begin a shortest win
	Shares   [env.MaxPlayers]float64 // share of the win by seat; Judgement: empirical result; other kinds: exact value

	// Fields of a judged set.
	value  int                 // value to the player on turn: 1 a win, 0 a draw, -1 a loss
	judged map[env.Action]bool // whether an action is wrong
}

// WithoutHistory returns the set with positions that have no earlier positions and no clocks.
// It returns an error if game cannot read such positions.
func (s *Set) WithoutHistory(game env.Game) (Set, error) {
	bare := *s
	bare.Name += " without history"
	bare.Questions = slices.Clone(s.Questions)
	for i := range bare.Questions {
		q := &bare.Questions[i]
		position, ok := q.State.(env.Positioner)
		if !ok {
			return Set{}, fmt.Errorf("exam: %s has no notation of positions without history", s.Game)
		}
		q.State, q.History = game.New(), nil
		if err := q.State.(env.Positioner).SetPosition(position.Position()); err != nil {
			return Set{}, fmt.Errorf("exam: %s: %w", s.Name, err)
		}
	}
	return bare, nil
}

// payoff returns the value of the position to a seat, -1..1.
func (q *Question) payoff(seat env.Player, players int) float64 {
	return (q.Shares[seat]*float64(players) - 1) / float64(players-1)
}

// setMoversValue sets the value of the position of a game for two from its value to the mover:
// 1 a win, 0 a draw, -1 a loss.
func (q *Question) setMoversValue(value int) {
	v, mover := env.Value{}, q.State.Turn()
	v[mover], v[1-mover] = float32(value), -float32(value)
	q.Shares = v.Shares(2)
}
