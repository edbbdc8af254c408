package arena

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/envtest"
	"tiro/internal/effort"
	"tiro/player"
)

// rated returns the standings of a match with the given number of groups. The function winners
// returns the seats that win a game, which share the win.
func rated(players, seats int, winners func(number int, seating []int) []int, groups int) []Standing {
	tree := envtest.MustTree(seats, "(AB)")
	m := Match{Game: tree, Players: slices.Repeat([]player.Factory{player.Must(nil, "random")}, players)}
	seatings := m.seatings()
	size := len(seatings)
	var records []GameRecord
	for number := range groups * size {
		seating := seatings[number%size]
		r := GameRecord{Number: number, Group: number / size, Seating: seating}
		won := winners(number, seating)
		for seat := range seats {
			share := 0.0
			if slices.Contains(won, seat) {
				share = 1 / float64(len(won))
			}
			n := float64(seats)
			r.Result = append(r.Result, float32((n*share-1)/(n-1)))
		}
		records = append(records, r)
	}
	names := []string{"A", "B", "C", "D"}[:players]
	return standings(names, seatings[0], records, CompleteGroups(records, size))
}

// rating returns the rating of player i if the last player's rating is 0.
func rating(s []Standing, i int) Interval { return s[i].Elo[len(s)-1] }

// By hand: of every six games A wins three, B two and C one. Odds of 3, 2 and 1 are
// 400·log10(3) = 190.85 and 400·log10(2) = 120.41 points above C, and A is 400·log10(3/2) =
// 70.44 above B.
func TestRatingsByHand(t *testing.T) {
	s := rated(3, 3, func(number int, seating []int) []int {
		return []int{slices.Index(seating, []int{0, 0, 0, 1, 1, 2}[(number+number/6)%6])}
	}, 30)
	require.InDelta(t, 0.5, s[0].Score.Value, 1e-12)
	require.InDelta(t, 190.849, rating(s, 0).Value, 1e-3)
	require.InDelta(t, 120.412, rating(s, 1).Value, 1e-3)
	require.InDelta(t, 70.437, s[0].Elo[1].Value, 1e-3)
	require.Zero(t, rating(s, 2))
	require.InDelta(t, 0.25, s[0].Payoff.Value, 1e-7) // (3·1/2 - 1)/2
	require.InDelta(t, -0.25, s[2].Payoff.Value, 1e-7)

	// One player meets three equal ones. Winning half of the games means odds of 3 to 1 above
	// each of them, 400·log10(3).
	s = rated(2, 4, func(number int, seating []int) []int {
		return []int{slices.Index(seating, (number+number/4)%2)} // A, then one of the others
	}, 40)
	require.Equal(t, 3, s[1].Seats)
	require.InDelta(t, 190.849, rating(s, 0).Value, 1e-3)
	require.InDelta(t, 1.0/3, s[0].Payoff.Value, 1e-7)  // (4·1/2 - 1)/3
	require.InDelta(t, -1.0/9, s[1].Payoff.Value, 1e-7) // (4·1/6 - 1)/3

	// A win shared by A and B is half a win for each. It lowers A's lead of 3 : 1.
	s = rated(3, 3, func(number int, seating []int) []int {
		a, b := slices.Index(seating, 0), slices.Index(seating, 1)
		return [][]int{{a}, {a}, {a, b}, {a, b}, {b}, {slices.Index(seating, 2)}}[(number+number/6)%6]
	}, 30)
	require.InDelta(t, 400*math.Log10(3.0/2), s[0].Elo[1].Value, 1e-6)
	require.InDelta(t, 400*math.Log10(3), s[0].Elo[2].Value, 1e-6)
}

// A player without a win has a bound instead of a rating. Two such players cannot be compared.
func TestRatingsWithoutWins(t *testing.T) {
	s := rated(4, 4, func(_ int, seating []int) []int {
		return []int{slices.IndexFunc(seating, func(p int) bool { return p == 0 })}
	}, 20)
	require.True(t, math.IsInf(s[0].Elo[1].High, 1))
	require.InDelta(t, 400*math.Log10((1-0.1611)/0.1611), s[0].Elo[1].Low, 0.5) // Newcombe 1998: 0 of 20
	require.Regexp(t, `^at least \+287 .*\bB\b`, eloText(s[0], s[1], s[0].Elo[1]))
	require.Equal(t, "unknown", eloText(s[1], s[2], s[1].Elo[2]))
	require.True(t, math.IsInf(s[3].Elo[0].Low, -1))
}

// seatedGames draws winners with Luce's axiom. In each group of games the opening favours some
// seats by a log-normal factor with the given spread.
func seatedGames(worth []float64, size int, spread, ties float64, rng *rand.Rand) func(number int, seating []int) []int {
	var bias [env.MaxPlayers]float64
	return func(number int, seating []int) []int {
		if number%size == 0 {
			for i := range bias {
				bias[i] = math.Exp(spread * rng.NormFloat64())
			}
		}
		draw := func() int {
			sum := 0.0
			for seat, player := range seating {
				sum += worth[player] * bias[seat]
			}
			at := rng.Float64() * sum
			for seat, player := range seating {
				if at -= worth[player] * bias[seat]; at < 0 {
					return seat
				}
			}
			return len(seating) - 1
		}
		first := draw()
		if rng.Float64() < ties {
			if second := draw(); second != first {
				return []int{first, second}
			}
		}
		return []int{first}
	}
}

// In simulated matches about 95% of the intervals of differences contain the true difference,
// even if openings favour seats, wins are shared, a player hardly ever wins, or there are few
// groups.
func TestRatingsCover(t *testing.T) {
	for _, c := range []struct {
		name         string
		seats        int
		worth        []float64
		spread, ties float64
		groups       int
	}{
		{"one against two", 3, []float64{2, 1}, 0, 0, 60},
		{"three", 3, []float64{3, 2, 1}, 0, 0, 20},
		{"three, openings decide", 3, []float64{3, 2, 1}, 1.5, 0, 40},
		{"three, many ties", 3, []float64{2, 1.5, 1}, 0.5, 0.5, 40},
		{"three, one far behind", 3, []float64{20, 10, 1}, 0.5, 0, 60},
		{"one against three", 4, []float64{3, 1}, 1, 0.1, 100},
		{"three on four seats", 4, []float64{3, 2, 1}, 1, 0.1, 15},
		{"four", 4, []float64{4, 3, 2, 1}, 1, 0.1, 12},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := len(c.worth)
			m := Match{Game: envtest.MustTree(c.seats, "(AB)"), Players: make([]player.Factory, n)}
			size := m.Group()
			run := func(key uint64, groups int) []Standing {
				return rated(n, c.seats, seatedGames(c.worth, size, c.spread, c.ties, env.NewRand(5, key)), groups)
			}
			truth := run(0, 100_000/size)
			matches := effort.Of(50, 150, 2000)
			tolerance := 0.02 + 3*math.Sqrt(0.95*0.05/float64(matches))
			held := map[string]int{}
			for key := range uint64(matches) {
				s := run(1+key, c.groups)
				for i := range s {
					for j := i + 1; j < n; j++ {
						if e := s[i].Elo[j]; e.Low <= truth[i].Elo[j].Value && truth[i].Elo[j].Value <= e.High {
							held[fmt.Sprint(i, j)]++
						}
					}
				}
			}
			for pair, times := range held {
				t.Logf("%s: %.3f", pair, float64(times)/float64(matches))
				require.InDelta(t, 0.95, float64(times)/float64(matches), tolerance, pair)
			}
			require.Len(t, held, n*(n-1)/2)
		})
	}
}
