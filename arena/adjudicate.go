package arena

import (
	"math/rand/v2"

	"tiro/env"
	"tiro/internal/faults"
	"tiro/player"
)

// Adjudication ends games of a match before their rules do. The zero value
// leaves all games to the rules.
//
// A game is adjudicated as a win of a seat once every player that implements
// player.Analyzer has expected at least Threshold for that seat after each of
// its last ConsecutiveMoves moves. At least one of these players must sit on
// another seat: a player can resign against opponents that are not Analyzers,
// but cannot claim a win.
type Adjudication struct {
	Threshold        float64 `json:"threshold"`         // payoff from 0 to 1; 0 disables adjudication
	ConsecutiveMoves int     `json:"consecutive_moves"` // at least 1 if there is a threshold

	// PlayOut is the probability, 0 to 1, that an agreed game is played to its
	// end anyway. Such games measure the error rate of adjudication.
	PlayOut float64 `json:"play_out"`

	MaxPlies int `json:"max_plies"` // a game of MaxPlies actions is a draw; 0 for no limit
}

// Endings of games that were not ended by a rule of the game.
const (
	Adjudicated = "adjudicated"
	LengthLimit = "length-limit"
	Forfeited   = "forfeit"
	TimeForfeit = "time-forfeit" // a forfeit by loss on time
)

// Validate reports every field that is out of range.
func (a Adjudication) Validate() error {
	var f faults.List
	faults.Within(&f, "threshold", a.Threshold, 0, 1)
	f.Check(a.Threshold == 0 || a.ConsecutiveMoves >= 1, "consecutive_moves", a.ConsecutiveMoves, "at least 1")
	faults.Within(&f, "play_out", a.PlayOut, 0, 1)
	f.Check(a.MaxPlies >= 0, "max_plies", a.MaxPlies, "0 for none, or more")
	return f.Err()
}

// adjudicator tracks the expectations of the players in one game.
type adjudicator struct {
	Adjudication
	playOut bool

	// For the player of each seat: whether it is an Analyzer, the seat that it
	// expects to win, and the number of consecutive moves for which it has.
	analyzes [env.MaxPlayers]bool
	expected [env.MaxPlayers]env.Player
	moves    [env.MaxPlayers]int

	agreed bool
	winner env.Player // if agreed
}

func newAdjudicator(a Adjudication, players []player.Player, rng *rand.Rand) adjudicator {
	j := adjudicator{Adjudication: a, playOut: rng.Float64() < a.PlayOut}
	for seat, p := range players {
		_, j.analyzes[seat] = p.(player.Analyzer)
	}
	return j
}

// observe records the expectation of player p on a seat after its move. The first
// agreement is final.
func (j *adjudicator) observe(seat env.Player, p player.Player) {
	analyzer, ok := p.(player.Analyzer)
	if j.Threshold == 0 || j.agreed || !ok {
		return
	}
	value := analyzer.Analysis().Value
	best := env.Player(0)
	for i := range value {
		if value[i] > value[best] {
			best = env.Player(i)
		}
	}
	switch {
	case value[best] < float32(j.Threshold):
		j.moves[seat] = 0
	case j.moves[seat] > 0 && j.expected[seat] == best:
		j.moves[seat]++
	default:
		j.moves[seat], j.expected[seat] = 1, best
	}
	j.winner = best
	j.agreed = j.unanimous()
}

// unanimous reports whether all analyzers, at least one of them on another seat,
// have expected j.winner for ConsecutiveMoves moves.
func (j *adjudicator) unanimous() bool {
	conceded := false
	for seat, analyzes := range j.analyzes {
		if analyzes && (j.moves[seat] < j.ConsecutiveMoves || j.expected[seat] != j.winner) {
			return false
		}
		conceded = conceded || analyzes && env.Player(seat) != j.winner
	}
	return conceded
}

// ending returns the payoffs and the ending of a game that has reached state after
// the given number of plies, and whether it ends there.
func (j *adjudicator) ending(state env.State, plies, players int) (v env.Value, ending string, over bool) {
	v, over = state.Result()
	switch {
	case over:
		return v, env.Ending(state), true
	case j.agreed && !j.playOut:
		return env.WinFor(j.winner, players), Adjudicated, true
	case j.MaxPlies > 0 && plies >= j.MaxPlies:
		return env.Value{}, LengthLimit, true
	}
	return env.Value{}, "", false
}

// AdjudicationStats counts the games of a match in which the players agreed on
// a winner before the end.
type AdjudicationStats struct {
	Adjudicated       int      `json:"adjudicated"`         // games that ended early
	PlayedOut         int      `json:"played_out"`          // games played to an end by the rules instead
	FalsePositives    int      `json:"false_positives"`     // played_out games that the agreed seat did not win alone
	FalsePositiveRate Interval `json:"false_positive_rate"` // false_positives / played_out
}

// adjudicationStats returns the statistics of the records, nil if the players
// never agreed. It ignores games that were forfeited or reached the length
// limit, because their results without that are unknown.
func adjudicationStats(records []GameRecord) *AdjudicationStats {
	var s AdjudicationStats
	for _, r := range records {
		switch {
		case r.AgreedWinner == nil || r.Ending == LengthLimit || r.Forfeit != nil:
		case r.Ending == Adjudicated:
			s.Adjudicated++
		default:
			s.PlayedOut++
			if r.Result[*r.AgreedWinner] < 1 {
				s.FalsePositives++
			}
		}
	}
	if s.Adjudicated+s.PlayedOut == 0 {
		return nil
	}
	s.FalsePositiveRate = WilsonInterval(float64(s.FalsePositives), float64(s.PlayedOut))
	return &s
}
