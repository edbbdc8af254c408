package train

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/rundir"
)

// TestRatingByHand: three points of four are 191 Elo by Elo's formula. With the prior's drawn
// game they are 3.5 points of 5, or 147 Elo; if the points are divided equally, the rating is 0.
func TestRatingByHand(t *testing.T) {
	require.Nil(t, rate(2, nil))
	for _, test := range []struct {
		seats int
		all   []met
		want  float64
	}{
		{2, []met{{rundir.Rating{}, 4, 3}}, 147},
		{2, []met{{rundir.Rating{Elo: 100}, 4, 3}}, 247},
		{2, []met{{rundir.Rating{}, 40, 20}}, 0},
		{3, []met{{rundir.Rating{}, 30, 10}}, 0},
		{4, []met{{rundir.Rating{Elo: -30}, 40, 10}}, -30},
		{2, []met{{rundir.Rating{}, 40, 40}}, math.Round(400 * math.Log10(40.5/0.5))},
		{2, []met{{rundir.Rating{}, 40, 0}}, -math.Round(400 * math.Log10(40.5/0.5))},
	} {
		elo := rate(test.seats, test.all).Elo
		require.InDelta(t, test.want, elo, 0.5, test)
		require.False(t, elo == 0 && math.Signbit(elo), "-0")
	}
	two := rate(2, []met{{rundir.Rating{}, 39, 19.5}})
	require.InDelta(t, 1.96*400/math.Ln10/math.Sqrt(40*0.25), two.Error, 0.5)
	far := rate(2, []met{{rundir.Rating{Error: 50}, 39, 19.5}})
	require.InDelta(t, math.Hypot(two.Error, 50), far.Error, 1)
}

// TestRatingsAreRecovered: in a run of generations of known strength, each of which plays
// generation 0 and an earlier one, the true rating is within the error in at least nine of ten
// cases, with two seats and with four.
func TestRatingsAreRecovered(t *testing.T) {
	for _, seats := range []int{2, 4} {
		t.Run(fmt.Sprint(seats), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, uint64(seats)))
			const games, step = 40, 60.0 // Elo between generations with duels
			within, all := 0, 0
			for range 200 {
				ratings := []rundir.Rating{{}}
				for g := 1; g <= 12; g++ {
					var opponents []met
					for _, other := range []int{0, g - 1} {
						p := 1 / (1 + float64(seats-1)*math.Pow(10, -step*float64(g-other)/400))
						o := met{rating: ratings[other], games: games}
						for range games {
							if rng.Float64() < p {
								o.points++
							}
						}
						opponents = append(opponents, o)
					}
					r := rate(seats, opponents)
					ratings = append(ratings, *r)
					all++
					if math.Abs(r.Elo-step*float64(g)) <= r.Error {
						within++
					}
				}
			}
			require.Greater(t, float64(within)/float64(all), 0.9)
		})
	}
}
