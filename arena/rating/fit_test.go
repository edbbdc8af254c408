package rating

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/arena"
	"tiro/env"
)

// counted returns groups of two games, one for each seating of A and B. A wins firstWins games
// on the first seat and secondWins on the second. The given number of draws occurs in each
// seating, and B wins the other games.
func counted(games, firstWins, secondWins, draws int) []Group {
	var groups []Group
	for i := range games {
		result := func(seat, wins int) Winners {
			switch {
			case i < wins:
				return 1 << seat
			case i < wins+draws:
				return 0b11
			}
			return 1 << (1 - seat)
		}
		groups = append(groups, Group{{[]int{0, 1}, result(0, firstWins)}, {[]int{1, 0}, result(1, secondWins)}})
	}
	return groups
}

func fitPair(t *testing.T, groups []Group) *Ratings {
	r, err := Fit(Data{Players: []string{"A", "B"}, Anchor: 1, Groups: groups})
	require.NoError(t, err)
	return r
}

// TestTwoPlayers compares the ratings of two players with a calculation by hand.
func TestTwoPlayers(t *testing.T) {
	const near = 0.4 // the effect of the prior

	t.Run("without draws it is Elo's formula", func(t *testing.T) {
		r := fitPair(t, counted(200, 150, 150, 0))
		require.InDelta(t, 400*math.Log10(3), r.Elo[0], near)
		require.Zero(t, r.Elo[1])
		require.Equal(t, []int{400, 400}, r.Games)
		require.Equal(t, []float64{300, 100}, r.Points)
		require.InDelta(t, 0.75, r.Expected([]int{0, 1})[0], 1e-3)
	})

	t.Run("a draw is half a win", func(t *testing.T) {
		r := fitPair(t, counted(400, 240, 240, 120)) // 800 games: 480 wins, 240 draws, 80 losses
		require.InDelta(t, 400*math.Log10(3), r.Elo[0], near)
		require.InDelta(t, 0.75, r.Expected([]int{0, 1})[0], 1e-3)
	})

	// The players are equal and the first to move wins 60%: odds of 1.5, half of them for each
	// seat.
	t.Run("the first seat's advantage", func(t *testing.T) {
		r := fitPair(t, counted(200, 120, 80, 0))
		require.InDelta(t, 0, r.Elo[0], 1e-6)
		points := r.Expected([]int{0, 1})
		require.InDelta(t, 0.6, points[0], 1e-3)
		require.InDelta(t, 0.4, points[1], 1e-3)
	})

	// The interval equals the interval of a match report, whose variance is also between
	// groups, even if one side never wins.
	for name, draws := range map[string]float64{"without draws": 0, "with draws": 2, "never lost": 1} {
		t.Run("the interval equals a match's, "+name, func(t *testing.T) {
			rng, w := env.NewRand(1), world{strength: []float64{0.8, 0}, seats: []float64{0, 0}, ties: []float64{draws}, spread: 0.5}
			var groups []Group
			var points, games []float64
			for range 400 {
				group := w.play(seatings(2, 0, 1), rng)
				x := 0.0
				for i := range group {
					seat := group[i].Seating[0] // of A
					if name == "never lost" {
						group[i].Winners |= 1 << seat
					}
					x += group[i].Winners.points(seat)
				}
				groups, points, games = append(groups, group), append(points, x), append(games, 2)
			}
			r := fitPair(t, groups)
			want := arena.EloInterval(arena.GroupScore(2, points, games, nil), 1)
			require.InDelta(t, want.Value, r.Elo[0], near)
			require.InDelta(t, (want.High-want.Low)/2, r.Error(0, 1), 0.6)
		})
	}
}

// TestThreeSeats works out a game of one A against two Bs by hand: without shared wins, A's
// share p satisfies p/(1-p) = worth/2.
func TestThreeSeats(t *testing.T) {
	var groups []Group
	for i := range 300 {
		var group Group
		for j, seating := range seatings(3, 0, 1) {
			w := Winners(1 << j)
			if i%2 == 0 {
				w = 1 << ((j + 1 + i/2%2) % 3)
			}
			group = append(group, Game{seating, w})
		}
		groups = append(groups, group)
	}
	r := fitPair(t, groups)
	require.InDelta(t, arena.Elo(0.5, 2), r.Elo[0], 0.4)
	require.InDelta(t, 0.5, r.Expected([]int{1, 0, 1})[1], 1e-3)
	require.Equal(t, 900, r.Games[1], "a player on two seats plays one game")
}

// TestProbabilities compares the model with its formula, written out for a game of three seats.
func TestProbabilities(t *testing.T) {
	l := layout{players: 3, seats: 3}
	parameters := []float64{0.3, -0.2, 0.9, 0.1, -0.4}
	d := l.newDistribution([]int{2, 0, 1})
	d.set(parameters)
	worths := []float64{math.Exp(0.9 + 0.1), math.Exp(0.3 - 0.4), math.Exp(-0.2 + 0.3)} // the advantages sum to 0
	for seat, worth := range worths {
		p := worth / (worths[0] + worths[1] + worths[2])
		require.InDelta(t, p, d.p[seat], 1e-12)
		require.InDelta(t, math.Log(p), d.logP(seat, parameters), 1e-12)
	}
}

// TestDerivatives compares gradient and information with differences of the value.
func TestDerivatives(t *testing.T) {
	w := world{strength: []float64{0, 0.5, 1, 1.5}, seats: []float64{0.3, 0, -0.3}, ties: []float64{0.4, 0.2}}
	data := w.ladder(0, 5, 1)
	l, err := data.check()
	require.NoError(t, err)
	f := newFit(data, l)
	rng := env.NewRand(2)
	for i := range f.parameters {
		f.parameters[i] = rng.NormFloat64()
	}
	at := func(i int, by float64) (value float64, gradient []float64) {
		before := f.parameters[i]
		f.parameters[i] += by
		defer func() { f.parameters[i] = before }()
		value = f.value(f.parameters)
		return value, f.gradient()
	}
	const step = 1e-5
	_, gradient := at(0, 0)
	information := f.information
	for i := range f.parameters {
		above, up := at(i, step)
		below, down := at(i, -step)
		require.InDelta(t, (above-below)/(2*step), gradient[i], 1e-5)
		for j := range f.parameters {
			require.InDelta(t, -(up[j]-down[j])/(2*step), information.At(i, j), 1e-5)
		}
	}
}

// TestPointsAreReproduced: at the maximum, every player's expected points equal its actual
// points.
func TestPointsAreReproduced(t *testing.T) {
	w := world{strength: []float64{0, 0.5, 1, 1.5}, seats: []float64{0.3, 0, -0.3}, ties: []float64{0.4, 0.2}}
	data := w.ladder(0, 100, 1)
	r, err := Fit(data)
	require.NoError(t, err)
	expected := make([]float64, 4)
	for _, group := range data.Groups {
		for _, g := range group {
			for seat, x := range r.Expected(g.Seating) {
				expected[g.Seating[seat]] += x
			}
		}
	}
	require.InDeltaSlice(t, r.Points, expected, 0.1)
}

// TestBounds: a player who has won every game, or none, has a bound, which equals the bound of
// a match. The other ratings are shifted by no more than the prior's effect.
func TestBounds(t *testing.T) {
	w := world{strength: []float64{0, 0.5}, seats: []float64{0, 0}, ties: []float64{0}}
	data := w.ladder(0, 200, 1)
	alone, err := Fit(data)
	require.NoError(t, err)
	data.Players = append(data.Players, "winner", "loser")
	for range 20 {
		data.Groups = append(data.Groups, Group{{[]int{2, 0}, 1}, {[]int{0, 2}, 2}}, Group{{[]int{3, 0}, 2}, {[]int{0, 3}, 1}})
	}
	r, err := Fit(data)
	require.NoError(t, err)
	require.InDelta(t, alone.Elo[1], r.Elo[1], 0.5)
	require.True(t, r.Bounded(2))
	require.True(t, r.Bounded(3))
	require.False(t, r.Bounded(1))

	winner, loser := r.Interval(2), r.Interval(3)
	require.InDelta(t, arena.Elo(arena.WilsonInterval(20, 20).Low, 1), winner.Low, 1)
	require.InDelta(t, -winner.Low, loser.High, 1)
	require.True(t, math.IsInf(winner.High, 1))
	require.True(t, math.IsInf(loser.Low, -1))
	require.True(t, math.IsNaN(winner.Value))
	require.Greater(t, r.Elo[2], winner.Low)
	require.Less(t, r.Elo[2], 2000.)
	require.InDelta(t, r.Elo[1]-winner.Low, r.Difference(1, 2).High, 1e-9)
	both := r.Difference(2, 3)
	require.True(t, math.IsInf(both.Low, -1) && math.IsInf(both.High, 1))
}

// TestBoundsByKnownPlayers: only games against players whose ratings are known bound a rating.
func TestBoundsByKnownPlayers(t *testing.T) {
	fit := func(pairs ...[2]int) *Ratings {
		d := Data{Players: []string{"anchor", "x", "y"}}
		for _, p := range pairs {
			for range 20 { // the first player of a pair wins all games
				d.Groups = append(d.Groups, Group{{[]int{p[0], p[1]}, 1}, {[]int{p[1], p[0]}, 2}})
			}
		}
		r, err := Fit(d)
		require.NoError(t, err)
		return r
	}
	least := arena.Elo(arena.WilsonInterval(20, 20).Low, 1)

	r := fit([2]int{0, 2}, [2]int{1, 2}) // y lost to both others, which have not met
	require.InDelta(t, -least, r.Interval(2).High, 1)
	require.True(t, math.IsInf(r.Interval(1).Low, -1) && math.IsInf(r.Interval(1).High, 1))

	r = fit([2]int{1, 0}, [2]int{2, 0}, [2]int{2, 1}) // y beat x, which beat the anchor
	for _, player := range []int{1, 2} {
		require.InDelta(t, least, r.Interval(player).Low, 1)
		require.True(t, math.IsInf(r.Interval(player).High, 1))
	}
}

// TestEvenGroups: groups that all ended 1:1 still leave an error.
func TestEvenGroups(t *testing.T) {
	var groups []Group
	for i := range 10 {
		w := Winners(1 + i%2) // the seat that the opening favours
		groups = append(groups, Group{{[]int{0, 1}, w}, {[]int{1, 0}, w}})
	}
	r := fitPair(t, groups)
	require.InDelta(t, 0, r.Elo[0], 1e-6)
	require.Greater(t, r.Error(0, 1), 20.)
	require.Less(t, r.Error(0, 1), 100.)
}

func TestFaultyData(t *testing.T) {
	two := []string{"A", "B"}
	game := Game{[]int{0, 1}, 1}
	for _, test := range []struct {
		name, want string
		data       Data
	}{
		{"one player", "1 players", Data{Players: two[:1]}},
		{"anchor", "anchor 2", Data{Players: two, Anchor: 2}},
		{"twice", `player "A"`, Data{Players: []string{"A", "A"}}},
		{"no games", "no games", Data{Players: two}},
		{"seats", "group 1: a game of 3 seats", Data{Players: two, Groups: []Group{{game}, {{[]int{0, 1, 1}, 1}}}}},
		{"many seats", "a game of 5 seats", Data{Players: two, Groups: []Group{{{[]int{0, 1, 1, 1, 1}, 1}}}}},
		{"no winner", "winners 0", Data{Players: two, Groups: []Group{{{[]int{0, 1}, 0}}}}},
		{"winners", "winners 100", Data{Players: two, Groups: []Group{{{[]int{0, 1}, 4}}}}},
		{"player", "group 0: player 7", Data{Players: two, Groups: []Group{{{[]int{0, 7}, 1}}}}},
		{
			"not linked", "no games link C, D with A",
			Data{Players: []string{"A", "B", "C", "D"}, Groups: []Group{{game}, {{[]int{2, 3}, 1}}}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Fit(test.data)
			require.ErrorContains(t, err, test.want)
		})
	}
}
