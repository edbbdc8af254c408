package study

import (
	"math"
	"time"

	"tiro/arena"
)

// Power says what ablations of one variant can find, from what trainings and games
// vary by and cost.
type Power struct {
	Deviation     float64       // standard deviation between trainings with the same settings, Elo
	GameDeviation float64       // that of a difference in rating by a single game, Elo
	Training      time.Duration // CPU time of a training
	Game          time.Duration // CPU time of a game of a match
}

// mostGames bounds the games of a training that Detectable considers.
const mostGames = 10_000

// Detectable returns the difference that is found in four of five ablations that take so
// much CPU time, with as many trainings of the variant as of the base, and with how many
// trainings of each and games of each this is best. It is infinite if two of each take
// longer.
func (p Power) Detectable(budget time.Duration) (elo float64, seeds, games int) {
	elo = math.Inf(1)
	for n := 10; n <= mostGames; n += n / 5 {
		s := int(budget / (2*p.Training + time.Duration(n)*p.Game))
		if s < 2 {
			break
		}
		variance := float64(p.Deviation*p.Deviation) + float64(p.GameDeviation*p.GameDeviation)/float64(n)
		pooled := arena.Pooled{Variance: variance, Freedom: float64(2 * (s - 1))}
		if d := pooled.Detectable(2 / float64(s)); d < elo {
			elo, seeds, games = d, s, n
		}
	}
	return elo, seeds, games
}
