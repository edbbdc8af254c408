package selfplay

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/stat/distuv"

	"tiro/env"
)

// Resignation is the Ending of a game that was broken off because its searches
// took it for won.
const Resignation = "resignation"

// Resign says when a game that is decided is broken off. Once the full searches
// of some moves in a row, of whichever seats, promise one and the same seat at
// least a certain payoff, the level, the game is given to it. With two seats
// this is the other's resignation.
//
// The level is not set but measured (Silver et al. 2017, "Mastering the game of
// Go without human knowledge", Methods, Self-play): a share of the games is
// played on to the end, and the level is the lowest at which not too many of
// those would have been given to a wrong seat. Those games were played by the
// networks before, not the one whose games are broken off: the bound is theirs,
// and holds for the next as far as it is no more sure of itself without reason.
// Metrics tell each generation what was measured anew.
type Resign struct {
	ConsecutiveMoves     int     `yaml:"consecutive_moves"`       // moves in a row that have to agree; 0: no game is broken off
	NoResignProbability  float64 `yaml:"no_resign_probability"`   // share of games that is played to the end
	MaxFalsePositiveRate float64 `yaml:"max_false_positive_rate"` // share of wrong decisions that is accepted; the true one in such games is below it with 95% confidence
}

// DefaultResign returns settings under which no game is broken off; with moves
// above 0 the others are good ones to start from.
func DefaultResign() Resign {
	return Resign{ConsecutiveMoves: 0, NoResignProbability: 0.1, MaxFalsePositiveRate: 0.05}
}

// Validate reports every field that is out of range.
func (r Resign) Validate() error {
	var faults []error
	check := func(ok bool, field string, value any, want string) {
		if !ok {
			faults = append(faults, fmt.Errorf("selfplay: resign.%s is %v; want %s", field, value, want))
		}
	}
	check(r.ConsecutiveMoves >= 0, "consecutive_moves", r.ConsecutiveMoves, "0 for never, or more")
	check(r.NoResignProbability > 0 && r.NoResignProbability <= 1, "no_resign_probability", r.NoResignProbability, "above 0, at most 1")
	check(r.MaxFalsePositiveRate > 0 && r.MaxFalsePositiveRate < 1, "max_false_positive_rate", r.MaxFalsePositiveRate, "above 0, below 1")
	return errors.Join(faults...)
}

// streak watches the payoffs that a game's searches expect.
type streak struct {
	moves int     // that have to agree; 0: no streak is long enough
	level float64 // 0: nothing reaches it
	seat  env.Player
	count int // searches in a row that promised the level to seat
}

// add takes the payoffs of the next search and reports whether the game is
// decided, in favour of seat.
func (s *streak) add(v env.Value) bool {
	best := env.Player(0)
	for seat := range v {
		if v[seat] > v[best] {
			best = env.Player(seat)
		}
	}
	switch {
	case s.level == 0 || v[best] < float32(s.level):
		s.count = 0
	case s.count > 0 && best == s.seat:
		s.count++
	default:
		s.seat, s.count = best, 1
	}
	return s.moves > 0 && s.count >= s.moves
}

// CalibrationGame is a game that was played to its end, whatever its searches said.
type CalibrationGame struct {
	Values []env.Value // payoff by seat that each full search expected, but for one that found the last action: no game is broken off there
	Result env.Value   // payoff by seat in the end
}

// Calibration says how good the decisions at a threshold are, measured by games that
// were played on.
type Calibration struct {
	Threshold        float64 `json:"threshold"`         // 0: none is good enough
	CalibrationGames int     `json:"calibration_games"` // games that it was measured by
	WouldResign      int     `json:"would_resign"`      // of those, how many would have been broken off at that level ...
	FalsePositives   int     `json:"false_positives"`   // ... and given to a seat that did not win alone
}

// Levels that are considered: from lowestLevel/levelUnit up to 1.
const (
	levelUnit   = 100
	lowestLevel = 50
)

// Calibrate returns a level at which the share of wrong decisions is bounded by
// r.Wrong. It goes down from the highest at which that is so as long as it stays
// so: further up there may have been too few decisions to tell. With none wrong
// it takes 59 of them to bound the share by 5%.
func (r Resign) Calibrate(games []CalibrationGame) Calibration {
	found := Calibration{CalibrationGames: len(games)}
	for level := levelUnit; level >= lowestLevel; level-- {
		d := r.at(float64(level)/levelUnit, games)
		good := d.WouldResign > 0 && wrongAtMost(d) <= r.MaxFalsePositiveRate
		if !good && found.Threshold > 0 {
			break
		}
		if good {
			found = d
		}
	}
	return found
}

// at counts what would have been decided at a level.
func (r Resign) at(level float64, games []CalibrationGame) Calibration {
	d := Calibration{Threshold: level, CalibrationGames: len(games)}
	for _, g := range games {
		s := streak{moves: r.ConsecutiveMoves, level: level}
		for _, v := range g.Values {
			if !s.add(v) {
				continue
			}
			d.WouldResign++
			if g.Result[s.seat] < 1 {
				d.FalsePositives++
			}
			break
		}
	}
	return d
}

// wrongAtMost returns what the true share of wrong decisions is below with 95%
// confidence (Clopper and Pearson 1934, "The use of confidence or fiducial
// limits illustrated in the case of the binomial").
func wrongAtMost(d Calibration) float64 {
	if d.FalsePositives == d.WouldResign {
		return 1
	}
	return distuv.Beta{Alpha: float64(d.FalsePositives + 1), Beta: float64(d.WouldResign - d.FalsePositives)}.Quantile(0.95)
}
