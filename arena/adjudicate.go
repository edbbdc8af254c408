package arena

import (
	"math/rand/v2"

	"tiro/env"
	"tiro/internal/faults"
	"tiro/player"
)

// Adjudication says when a game of a match ends before its rules end it. The
// zero value leaves all games to the rules.
//
// A game is adjudicated as a win of a seat once every player that is an
// Analyzer has expected at least Threshold for that seat after each of its last
// ConsecutiveMoves moves. At least one of them must sit elsewhere: a player may
// resign against opponents that are no Analyzers, but not claim the win.
type Adjudication struct {
	Threshold        float64 `json:"threshold"`         // payoff from 0 to 1; 0 switches adjudication off
	ConsecutiveMoves int     `json:"consecutive_moves"` // at least 1 where there is a threshold

	// PlayOut is the probability, 0 to 1, that a game is played to its end
	// nevertheless, which measures how often adjudication is wrong.
	PlayOut float64 `json:"play_out"`

	MaxPlies int `json:"max_plies"` // a game of so many actions is a draw; 0: no limit
}

// Endings of games that were not ended by a rule of the game.
const (
	Adjudicated = "adjudicated"
	LengthLimit = "length-limit"
	Forfeited   = "forfeit"
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

// adjudicator follows what the players of a game expect.
type adjudicator struct {
	Adjudication
	playOut bool

	// By seat of a player: whether it is an Analyzer, the seat that it has
	// expected to win, and after how many moves in a row.
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

// observe takes notice of what the player on a seat expects after its move. The
// first agreement is final.
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

// unanimous reports whether all analyzers, not only the one on the winner's
// seat, have expected the winner often enough.
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

// ending returns the payoffs and the ending of a game that is to end after so
// many plies, or "" if it goes on.
func (j *adjudicator) ending(plies, players int) (env.Value, string) {
	switch {
	case j.agreed && !j.playOut:
		return env.WinFor(j.winner, players), Adjudicated
	case j.MaxPlies > 0 && plies >= j.MaxPlies:
		return env.Value{}, LengthLimit
	}
	return env.Value{}, ""
}

// AdjudicationStats counts the games of a match on whose winner the players
// agreed before the end.
type AdjudicationStats struct {
	Adjudicated       int      `json:"adjudicated"`         // games that ended early
	PlayedOut         int      `json:"played_out"`          // games played to an end by the rules instead
	FalsePositives    int      `json:"false_positives"`     // played_out games that the agreed seat did not win alone
	FalsePositiveRate Interval `json:"false_positive_rate"` // false_positives / played_out
}

// adjudicationStats returns nil if the players never agreed. Games that reached
// the length limit or were forfeited are left out, because nobody knows who would have
// won.
func adjudicationStats(records []GameRecord) *AdjudicationStats {
	var s AdjudicationStats
	for _, r := range records {
		switch {
		case r.AgreedWinner == nil || r.Ending == LengthLimit || r.Ending == Forfeited:
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
