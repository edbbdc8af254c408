package selfplay

import (
	"tiro/env"
	"tiro/internal/faults"
	"tiro/internal/portable"
)

// Resignation is the Ending of a game that was broken off because its searches
// took it for won.
const Resignation = "resignation"

// Resign says when a decided game is broken off. Once several searches in
// a row, of whichever seats, expect for one and the same seat a payoff of at
// least the resignation threshold, that seat is given the win. With two seats
// this is the other's resignation.
//
// The threshold is calibrated (Silver et al. 2017, "Mastering the game of Go
// without human knowledge", Methods, Self-play): a fraction of the games is
// played to the end, and the threshold is the lowest at which not too many of
// those would have been given to a seat that did not win. The networks before
// played those games, not the one whose games are broken off: the bound on the
// false positives holds for the next network as far as it is no more
// overconfident.
type Resign struct {
	ConsecutiveMoves     int     `yaml:"consecutive_moves"`       // searches that must agree; 0: no game is broken off
	NoResignProbability  float64 `yaml:"no_resign_probability"`   // of a game to be played to its end
	MaxFalsePositiveRate float64 `yaml:"max_false_positive_rate"` // of decisions, with 95% confidence
}

// Validate reports every field that is out of range.
func (r Resign) Validate() error {
	var f faults.List
	f.Check(r.ConsecutiveMoves >= 0, "consecutive_moves", r.ConsecutiveMoves, "0 for never, or more")
	f.Check(r.NoResignProbability > 0 && r.NoResignProbability <= 1, "no_resign_probability", r.NoResignProbability, "above 0, at most 1")
	f.Check(r.MaxFalsePositiveRate > 0 && r.MaxFalsePositiveRate < 1, "max_false_positive_rate", r.MaxFalsePositiveRate, "above 0, below 1")
	return f.Err()
}

// streak counts consecutive searches that expect the same seat to win.
type streak struct {
	moves     int     // searches that must agree; 0: no streak is long enough
	threshold float64 // payoff; 0: nothing reaches it
	seat      env.Player
	count     int // consecutive searches with at least the threshold for seat
}

// add takes the payoffs by seat of the next search and reports whether the game
// is decided in favour of seat.
func (s *streak) add(v env.Value) bool {
	best := env.Player(0)
	for seat := range v {
		if v[seat] > v[best] {
			best = env.Player(seat)
		}
	}
	switch {
	case s.threshold == 0 || v[best] < float32(s.threshold):
		s.count = 0
	case s.count > 0 && best == s.seat:
		s.count++
	default:
		s.seat, s.count = best, 1
	}
	return s.moves > 0 && s.count >= s.moves
}

// CalibrationGame is a game that was played to its end whatever its searches
// expected.
type CalibrationGame struct {
	// Values are the payoffs by seat that each search expected, without one
	// that found the last action, because no game is broken off there.
	Values []env.Value
	Result env.Value // payoffs by seat in the end
}

// Calibration is a resignation threshold and its record on games that were played to
// their end.
type Calibration struct {
	Threshold        float64 `json:"threshold"`         // expected payoff, 0 to 1, that decides a game; 0 for never
	CalibrationGames int     `json:"calibration_games"` // games played to their end to measure the threshold
	WouldResign      int     `json:"would_resign"`      // calibration games that would have been cut short
	FalsePositives   int     `json:"false_positives"`   // would_resign games that the seat did not win alone
}

// Thresholds that are tried, in percent.
const (
	lowestThreshold  = 50
	highestThreshold = 100
)

// Calibrate returns a threshold at which r.MaxFalsePositiveRate holds. It goes
// down from the highest good one for as long as the thresholds are good; above
// that there may have been too few decisions to tell. If none is wrong, it takes
// 59 decisions to bound the rate by 5%.
func (r Resign) Calibrate(games []CalibrationGame) Calibration {
	found := Calibration{CalibrationGames: len(games)}
	for percent := highestThreshold; percent >= lowestThreshold; percent-- {
		c := r.at(float64(percent)/100, games)
		good := c.WouldResign > 0 && c.rateBelow(r.MaxFalsePositiveRate)
		if good {
			found = c
		} else if found.Threshold > 0 {
			break
		}
	}
	return found
}

// at counts what would have been decided at a threshold.
func (r Resign) at(threshold float64, games []CalibrationGame) Calibration {
	c := Calibration{Threshold: threshold, CalibrationGames: len(games)}
	for _, g := range games {
		s := streak{moves: r.ConsecutiveMoves, threshold: threshold}
		for _, v := range g.Values {
			if !s.add(v) {
				continue
			}
			c.WouldResign++
			if g.Result[s.seat] < 1 {
				c.FalsePositives++
			}
			break
		}
	}
	return c
}

// rateBelow reports whether the true rate of false positives is below that rate with
// 95% confidence: whether so few of so many decisions would be wrong with a chance of
// less than 5% if it were that rate (Clopper and Pearson 1934, "The use of confidence
// or fiducial limits illustrated in the case of the binomial").
func (c Calibration) rateBelow(rate float64) bool {
	right, wrong := portable.Log(1-rate), portable.Log(rate)
	n, chance, ways := c.WouldResign, 0.0, 0.0 // ways: logarithm of the binomial coefficient n over k
	for k := range c.FalsePositives + 1 {
		chance += portable.Exp(ways + float64(float64(k)*wrong) + float64(float64(n-k)*right))
		ways += portable.Log(float64(n-k) / float64(k+1))
	}
	return chance < 0.05
}
