package rating

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/internal/effort"
)

// world is a game with players whose strengths are known.
type world struct {
	strength []float64 // by player, in log-odds
	seats    []float64 // by seat, sum 0
	ties     []float64 // weights of shared wins, by number of winners minus 2 (Firth, Kosmidis and Turner 2019)
	spread   float64   // standard deviation of an opening's effect on each seat
}

// play plays a group: each seating with the same opening.
func (w world) play(seatings [][]int, rng *rand.Rand) Group {
	opening := make([]float64, len(w.seats))
	for i := range opening {
		opening[i] = w.spread * rng.NormFloat64()
	}
	var group Group
	for _, seating := range seatings {
		var weights []float64
		sum := 0.0
		for set := 1; set < 1<<len(seating); set++ {
			weight, k := 1.0, 0
			for seat, player := range seating {
				if set&(1<<seat) != 0 {
					weight *= math.Exp(w.strength[player] + w.seats[seat] + opening[seat])
					k++
				}
			}
			weight = math.Pow(weight, 1/float64(k))
			if k > 1 {
				weight *= w.ties[k-2]
			}
			weights = append(weights, weight)
			sum += weight
		}
		at, winners := rng.Float64()*sum, Winners(0)
		for i, weight := range weights {
			winners = Winners(i + 1)
			if at -= weight; at < 0 {
				break
			}
		}
		group = append(group, Game{Seating: seating, Winners: winners})
	}
	return group
}

// seatings returns the seatings of one player a with player b on all other seats.
func seatings(seats, a, b int) [][]int {
	var all [][]int
	for seat := range seats {
		seating := make([]int, seats)
		for i := range seating {
			seating[i] = b
		}
		seating[seat] = a
		all = append(all, seating)
	}
	return all
}

// ladder returns the data of a simulated ladder. Neighbours, and players two rungs apart, meet
// in the given number of groups.
func (w world) ladder(anchor, groups int, seed uint64) Data {
	d, rng := Data{Anchor: anchor}, env.NewRand(seed)
	for a := range w.strength {
		d.Players = append(d.Players, fmt.Sprint(a))
		for b := a + 1; b <= a+2 && b < len(w.strength); b++ {
			for range groups {
				d.Groups = append(d.Groups, w.play(seatings(len(w.seats), a, b), rng))
			}
		}
	}
	return d
}

// TestCoverage simulates ladders whose ratings are known. 95% of the 95% intervals must contain
// the truth, both for ratings and for differences between neighbours. With shared wins or
// openings that favour seats, effects outside the model, the truth is the ratings' limit for very
// many games.
func TestCoverage(t *testing.T) {
	const anchor, rung = 2, 0.7 // log-odds between neighbours, about 120 Elo
	for _, test := range []struct {
		name   string
		world  world
		groups int
	}{
		{"two seats", world{seats: []float64{0.2, -0.2}, ties: []float64{0}}, 30},
		{"two seats, draws", world{seats: []float64{0.2, -0.2}, ties: []float64{1.5}}, 30},
		{"two seats, few games", world{seats: []float64{0.2, -0.2}, ties: []float64{0.5}}, 10},
		{"two seats, openings that favour a seat", world{seats: []float64{0, 0}, ties: []float64{0.5}, spread: 0.7}, 30},
		{"three seats", world{seats: []float64{0.3, 0, -0.3}, ties: []float64{0, 0}}, 20},
		{"three seats, shared wins", world{seats: []float64{0.3, 0, -0.3}, ties: []float64{0.4, 0.2}}, 20},
		{"three seats, openings that favour a seat", world{seats: []float64{0.3, 0, -0.3}, ties: []float64{0.1, 0.1}, spread: 0.5}, 20},
		{"four seats, shared wins", world{seats: []float64{0.3, 0, -0.1, -0.2}, ties: []float64{0.2, 0.1, 0.1}}, 16},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := test.world
			for i := range 6 {
				w.strength = append(w.strength, rung*float64(i))
			}
			truth := func(a, b int) float64 { return float64(eloUnit * rung * float64(a-b)) }
			if w.spread > 0 || slices.Max(w.ties) > 0 {
				r, err := Fit(w.ladder(anchor, 8000, 0))
				require.NoError(t, err)
				truth = func(a, b int) float64 { return r.Elo[a] - r.Elo[b] }
			}
			replications := effort.Of(30, 60, 500)
			held, all, bias, width := 0, 0, 0.0, 0.0
			check := func(r *Ratings, a, b int) {
				interval := r.Difference(a, b)
				if interval.Low <= truth(a, b) && truth(a, b) <= interval.High {
					held++
				}
				all++
				bias += (interval.Value - truth(a, b)) / float64(a-b)
				width += (interval.High - interval.Low) / 2
			}
			for replication := range replications {
				r, err := Fit(w.ladder(anchor, test.groups, uint64(replication+1)))
				require.NoError(t, err)
				for i := range w.strength {
					if i != anchor {
						check(r, i, anchor)
					}
					if i > 0 {
						check(r, i, i-1)
					}
				}
			}
			rate := float64(held) / float64(all)
			t.Logf("%.1f%% of %d intervals, mean half width %.0f, bias %.1f Elo", 100*rate, all, width/float64(all), bias/float64(all))
			require.InDelta(t, 0.96, rate, 0.02+0.2/math.Sqrt(float64(replications)))
		})
	}
}
