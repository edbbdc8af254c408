package selfplay

import (
	"tiro/env"
	"tiro/internal/faults"
	"tiro/internal/portable"
)

// Resignation is the Ending of a game that ended early because its searches considered it
// decided.
const Resignation = "resignation"

// Resign configures resignation. If several consecutive searches, by whichever players,
// expect a payoff of at least the resignation threshold for the same seat, that seat wins
// the game. With two seats this is the opponent's resignation.
//
// The threshold is calibrated (Silver et al. 2017, "Mastering the game of Go without human
// knowledge", Methods, Self-play): a fraction of the games is played to the end, and the
// threshold is the lowest at which the rate of false positives, games that the seat did not
// win, stays below the limit. Calibration games come from earlier networks. The limit
// therefore holds for the current network only if it is no more overconfident than they
// were.
type Resign struct {
	ConsecutiveMoves     int     `yaml:"consecutive_moves"`       // number of searches that must agree; 0 turns resignation off
	NoResignProbability  float64 `yaml:"no_resign_probability"`   // probability that a game is played to its end
	MaxFalsePositiveRate float64 `yaml:"max_false_positive_rate"` // limit on the rate of wrong resignations, with 95% confidence
}

// Validate returns an error that lists all fields out of range.
func (r Resign) Validate() error {
	var f faults.List
	f.Check(r.ConsecutiveMoves >= 0, "consecutive_moves", r.ConsecutiveMoves, "0 (never) or more")
	f.Check(r.NoResignProbability > 0 && r.NoResignProbability <= 1, "no_resign_probability", r.NoResignProbability, "above 0, at most 1")
	f.Check(r.MaxFalsePositiveRate > 0 && r.MaxFalsePositiveRate < 1, "max_false_positive_rate", r.MaxFalsePositiveRate, "above 0, below 1")
	return f.Err()
}

// streak counts consecutive searches that expect the same seat to win.
type streak struct {
	moves     int     // number of searches that must agree; 0 disables the streak
	threshold float64 // expected payoff; 0 disables the streak
	seat      env.Player
	count     int // number of consecutive searches with at least threshold for seat
}

// add adds the payoffs by seat expected by the next search. It reports whether the game is
// decided in favour of s.seat.
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

// CalibrationGame is a game that was played to its end without resignation.
type CalibrationGame struct {
	// Values are the payoffs by seat expected by each search except the search for the last
	// action, where resignation is pointless.
	Values []env.Value
	Result env.Value // payoffs by seat at the end
}

// Calibration is a resignation threshold and its statistics on calibration games.
type Calibration struct {
	Threshold        float64 `json:"threshold"`         // expected payoff, 0 to 1, that decides a game; 0 for never
	CalibrationGames int     `json:"calibration_games"` // games played to their end to measure the threshold
	WouldResign      int     `json:"would_resign"`      // calibration games that would have been cut short
	FalsePositives   int     `json:"false_positives"`   // would_resign games that the seat did not win alone
}

// Range of tested thresholds, in percent.
const (
	lowestThreshold  = 50
	highestThreshold = 100
)

// Calibrate returns the lowest threshold that satisfies r.MaxFalsePositiveRate. It starts
// at the highest threshold that does, since higher ones may have too few decisions, and
// stops at the first lower one that does not. Without false positives, 59 decisions are
// needed to bound the rate by 5%.
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

// at counts the games that would have been decided at a threshold, and the wrong decisions.
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

// rateBelow reports whether the true rate of false positives is below rate with 95%
// confidence: whether, at the given rate, the chance of c.FalsePositives or fewer among
// c.WouldResign decisions is less than 5% (Clopper and Pearson 1934, "The use of confidence
// or fiducial limits illustrated in the case of the binomial").
func (c Calibration) rateBelow(rate float64) bool {
	right, wrong := portable.Log(1-rate), portable.Log(rate)
	n, chance, ways := c.WouldResign, 0.0, 0.0 // ways is the logarithm of the binomial coefficient n over k
	for k := range c.FalsePositives + 1 {
		chance += portable.Exp(ways + float64(float64(k)*wrong) + float64(float64(n-k)*right))
		ways += portable.Log(float64(n-k) / float64(k+1))
	}
	return chance < 0.05
}
