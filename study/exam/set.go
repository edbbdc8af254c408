package exam

import (
	"slices"

	"tiro/env"
	"tiro/format"
)

// The kinds of sets.
const (
	Solved     = "solved"
	Tactics    = "tactics"
	Judgement  = "judgement"
	Conversion = "conversion"
)

// Kinds returns the kinds of sets, in the order in which they are taken.
func Kinds() []string { return []string{Solved, Tactics, Judgement, Conversion} }

// header is the kind of file that a set is.
var header = format.Header{Format: 1, What: "tiro exam set"}

// About describes the questions of a set.
type About struct {
	format.Header
	Game     string `json:"game"`               // game string
	Version  int    `json:"version"`            // version of the game's rules
	Kind     string `json:"kind"`               // solved, tactics, judgement or conversion
	Made     string `json:"made"`               // how the set was made, for people
	Defender string `json:"defender,omitempty"` // of a conversion: player of the other seats
	Plies    int    `json:"plies,omitempty"`    // of a conversion: plies within which to win
}

// Set is a set of questions about a game.
type Set struct {
	About
	Name      string `json:"-"` // of its file; of a bundled set its kind, of a whole game its game string
	Questions []Question

	newJudge func() judge // of positions whose value alone is known; nil: the right actions are
}

// Judged reports whether the answers are judged by an exact solver.
func (s *Set) Judged() bool { return s.newJudge != nil }

// Question is a position and what is known of it.
type Question struct {
	State   env.State
	History []env.Action // that led to it from the start

	Right  []env.Action            // ascending; of Solved what keeps the value, of Tactics what keeps the win
	Shares [env.MaxPlayers]float64 // share of the win by seat: of Judgement what it came to, of others the value with best play

	// Of a judged set.
	value  int                 // to the player on turn: 1 a win, 0 a draw, -1 a loss
	judged map[env.Action]bool // whether an action is wrong
}

// payoff returns what the question's position is worth to a seat, -1..1.
func (q *Question) payoff(seat env.Player, players int) float64 {
	return (q.Shares[seat]*float64(players) - 1) / float64(players-1)
}

// setValue makes v, a payoff by seat, what the position is worth.
func (q *Question) setValue(v env.Value, players int) { q.Shares = v.Shares(players) }

// setValues makes the position one whose every action's value is known.
func (q *Question) setValues(values []int) {
	best := slices.Max(values)
	for i, a := range q.State.Legal(nil) {
		if values[i] == best {
			q.Right = append(q.Right, a)
		}
	}
	v := env.Value{}
	mover := q.State.Turn()
	v[mover], v[1-mover] = float32(best), -float32(best)
	q.setValue(v, 2)
}

// setCounts makes the position one from which games were won so often by each seat,
// and drawn.
func (q *Question) setCounts(counts [env.MaxPlayers + 1]int, players int) {
	games := 0
	for _, n := range counts {
		games += n
	}
	for seat := range players {
		q.Shares[seat] = (float64(counts[seat]) + float64(counts[env.MaxPlayers])/float64(players)) / float64(games)
	}
}
