package arena

import (
	"context"
	"encoding/json"
	"errors"
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

// simulated is a match of players of known strength. Each opening favours one seat by fixed
// odds, and some games are drawn.
type simulated struct {
	name    string
	players []int   // seats of each player; the test is of the first against the second
	favour  float64 // odds by which an opening favours a seat
	draws   float64 // fraction of drawn games
	elo     [2]float64
}

// probabilities returns each player's probability of winning a game whose opening favours the
// given seat.
func (m *simulated) probabilities(seating []int, favoured int, worth float64) []float64 {
	p, sum := make([]float64, len(m.players)), 0.0
	for seat, player := range seating {
		w := 1.0
		if player == 0 {
			w = worth
		}
		if seat == favoured {
			w *= m.favour
		}
		p[player] += w
		sum += w
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// seatings returns every way to seat the players, as Match.seatings does.
func (m *simulated) seatings(t *testing.T) [][]int {
	seats := 0
	for _, n := range m.players {
		seats += n
	}
	match := Match{Game: envtest.MustTree(seats, "( A B )"), Players: make([]player.Factory, len(m.players))}
	require.Equal(t, m.players, match.seatsOf())
	return match.seatings()
}

// worthFor returns the first player's worth for which it gets the given share of the first two
// players' points, over all openings and seatings.
func (m *simulated) worthFor(share float64, seatings [][]int) float64 {
	low, high := 1e-3, 1e3
	for range 100 {
		worth := math.Sqrt(low * high)
		a, b := 0.0, 0.0
		for favoured := range seatings[0] {
			for _, seating := range seatings {
				p := m.probabilities(seating, favoured, worth)
				n := float64(len(seating))
				a += (1-m.draws)*p[0] + m.draws*float64(m.players[0])/n
				b += (1-m.draws)*p[1] + m.draws*float64(m.players[1])/n
			}
		}
		if a/(a+b) < share {
			low = worth
		} else {
			high = worth
		}
	}
	return low
}

// group plays a group of games and returns the points of the first two players.
func (m *simulated) group(seatings [][]int, worth float64, rng *rand.Rand) (a, b float64) {
	favoured := rng.IntN(len(seatings[0]))
	for _, seating := range seatings {
		if rng.Float64() < m.draws {
			a += float64(m.players[0]) / float64(len(seating))
			b += float64(m.players[1]) / float64(len(seating))
			continue
		}
		p, x := m.probabilities(seating, favoured, worth), rng.Float64()
		if x < p[0] {
			a++
		} else if x < p[0]+p[1] {
			b++
		}
	}
	return a, b
}

// TestSPRTErrorRates: in simulated matches a test accepts a player at Elo0, and rejects one at
// Elo1, no more often than its error rates Alpha and Beta allow. It takes about as many games
// as Wald's formula predicts, for any number of seats and players, and with openings and draws
// outside its model.
func TestSPRTErrorRates(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	trials := effort.Of(0, 300, 2000)
	for _, m := range []simulated{
		{"two seats", []int{1, 1}, 1, 0, [2]float64{0, 30}},
		{"two seats, half drawn, openings of 300 Elo", []int{1, 1}, 5.6, 0.5, [2]float64{-10, 10}},
		{"three seats", []int{1, 2}, 2, 0.1, [2]float64{0, 25}},
		{"three players", []int{1, 1, 1}, 2, 0.1, [2]float64{0, 20}},
		{"four seats", []int{1, 3}, 2, 0.1, [2]float64{10, 35}},
	} {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			s := SPRT{Elo0: m.elo[0], Elo1: m.elo[1], Alpha: 0.05, Beta: 0.05}
			seatings := m.seatings(t)
			ratio := float64(m.players[1]) / float64(m.players[0])
			reject, accept := s.Bounds()
			shares := [2]float64{Share(s.Elo0, ratio), Share(s.Elo1, ratio)}
			for truth, expected := range map[int]float64{
				0: -((1-s.Alpha)*reject + s.Alpha*accept),
				1: s.Beta*reject + (1-s.Beta)*accept,
			} {
				worth := m.worthFor(shares[truth], seatings)
				rng := env.NewRand(7, uint64(truth), uint64(len(m.name)))
				wrong, groups := 0, 0
				for range trials {
					test := NewTest(s, len(seatings), ratio)
					v := Undecided
					for v == Undecided {
						test.Add(m.group(seatings, worth, rng))
						groups++
						v = test.Verdict()
					}
					if (v == Accepted) == (truth == 0) {
						wrong++
					}
				}
				drift := math.Abs(m.drift(s, seatings, worth))
				mean, wald := float64(groups)/float64(trials), expected/drift
				t.Logf("at Elo%d: wrong in %.1f%%, %.0f groups on average, %.0f by Wald (%+.0f%%)", truth, 100*float64(wrong)/float64(trials), mean, wald, 100*(mean/wald-1))
				require.LessOrEqual(t, float64(wrong)/float64(trials), 0.05+2*math.Sqrt(0.05*0.95/float64(trials))) // two standard errors
				require.InEpsilon(t, wald, mean, 0.1)
			}
		})
	}
}

// drift returns a group's mean effect on the log-likelihood ratio when groups are many. It
// computes the ratio for all possible groups, weighted with their probabilities.
func (m *simulated) drift(s SPRT, seatings [][]int, worth float64) float64 {
	const groups = 1e6
	test := NewTest(s, len(seatings), float64(m.players[1])/float64(m.players[0]))
	kinds := map[[2]float64]float64{}
	seats := len(seatings[0])
	var play func(favoured, game int, a, b, p float64)
	play = func(favoured, game int, a, b, p float64) {
		if game == len(seatings) {
			kinds[[2]float64{math.Round(a*1e6) / 1e6, math.Round(b*1e6) / 1e6}] += p
			return
		}
		won := m.probabilities(seatings[game], favoured, worth)
		n := float64(seats)
		play(favoured, game+1, a+float64(m.players[0])/n, b+float64(m.players[1])/n, p*m.draws)
		play(favoured, game+1, a+1, b, p*(1-m.draws)*won[0])
		play(favoured, game+1, a, b+1, p*(1-m.draws)*won[1])
		play(favoured, game+1, a, b, p*(1-m.draws)*(1-won[0]-won[1]))
	}
	for favoured := range seats {
		play(favoured, 0, 0, 0, 1/float64(seats))
	}
	for points, p := range kinds {
		test.seen = append(test.seen, tested{points[0], points[1], p * groups})
	}
	return test.LLR() / groups
}

// An independent solution gives the same pentanomial log-likelihood ratio of counts. For two
// hypotheses about a mean, it finds the frequencies by maximising over a grid.
func TestLLRByHand(t *testing.T) {
	// Pairs are won or lost as a whole: a binomial test with p = share.
	s := SPRT{Elo0: 0, Elo1: 100, Alpha: 0.05, Beta: 0.05}
	test := NewTest(s, 2, 1)
	for range 30 {
		test.Add(2, 0)
	}
	for range 20 {
		test.Add(0, 2)
	}
	p := Share(100, 1)
	require.InDelta(t, 30*math.Log(p/0.5)+20*math.Log((1-p)/0.5), test.LLR(), 1e-3)

	// Won, drawn and lost pairs: p1 - p0 is fixed, and a search finds the other parameter.
	test = NewTest(s, 2, 1)
	counts := map[float64]float64{2: 25, 1: 15, 0: 10}
	for points, n := range counts {
		for range int(n) {
			test.Add(points, 2-points)
		}
	}
	likelihood := func(mean float64) float64 {
		best := math.Inf(-1)
		for lost := 0.00001; lost < 1; lost += 0.00001 {
			won := lost + 2*mean - 1
			if drawn := 1 - won - lost; won > 0 && drawn > 0 {
				best = max(best, 25*math.Log(won)+15*math.Log(drawn)+10*math.Log(lost))
			}
		}
		return best
	}
	require.InDelta(t, likelihood(Share(100, 1))-likelihood(0.5), test.LLR(), 1e-3)
}

func TestShareIsTheInverseOfElo(t *testing.T) {
	for _, seats := range []float64{1, 2, 3, 0.5} {
		for _, elo := range []float64{-1000, -3, 0, 17, 800} {
			require.InDelta(t, elo, Elo(Share(elo, seats), seats), 1e-9)
		}
	}
	require.Equal(t, 1.0, Share(math.Inf(1), 2))
	require.Equal(t, 0.0, Share(math.Inf(-1), 2))
}

func TestSPRTIsChecked(t *testing.T) {
	for name, test := range map[string]struct {
		sprt SPRT
		want string
	}{
		"order":    {SPRT{10, 0, 0.05, 0.05}, "elo1 is 0"},
		"nan":      {SPRT{math.NaN(), 0, 0.05, 0.05}, "elo0 is NaN"},
		"infinite": {SPRT{0, math.Inf(1), 0.05, 0.05}, "elo1 is +Inf"},
		"alpha":    {SPRT{0, 10, 0, 0.05}, "alpha is 0"},
		"beta":     {SPRT{0, 10, 0.05, math.NaN()}, "beta is NaN"},
	} {
		t.Run(name, func(t *testing.T) { require.ErrorContains(t, test.sprt.Validate(), test.want) })
	}
}

// The ratio is a finite number for any results.
func TestLLRIsFinite(t *testing.T) {
	for _, s := range []SPRT{{0, 5, 0.05, 0.05}, {-1000, 1000, 0.01, 0.4}, {999, 1000, 0.05, 0.05}} {
		rng := env.NewRand(1)
		for range 50 {
			test := NewTest(s, 3, 2)
			for range rng.IntN(200) {
				a := rng.IntN(4)
				test.Add(float64(a), float64(rng.IntN(4-a)))
				llr := test.LLR()
				require.False(t, math.IsNaN(llr) || math.IsInf(llr, 0), "%v", test.seen)
			}
		}
		for points := range 4 {
			test := NewTest(s, 3, 2)
			for range 1000 {
				test.Add(float64(points), float64(3-points))
			}
			require.False(t, math.IsNaN(test.LLR()) || math.IsInf(test.LLR(), 0))
		}
	}
}

// A match with a test ends with the group that decides it, for any number of workers and after
// any interruption.
func TestSPRTMatchIsRepeatable(t *testing.T) {
	game := ticTacToe(t)
	m := Match{
		Game: game, Players: []player.Factory{player.Must(game, "alphabeta:2"), player.Must(nil, "random")}, Games: 1000, Seed: 5, Workers: 1, Opening: 2,
		SPRT: &SPRT{0, 100, 0.05, 0.05},
	}
	want, err := Play(t.Context(), m)
	require.NoError(t, err)
	require.Equal(t, Accepted, want.Verdict)
	require.Less(t, want.Games, 200)
	require.Equal(t, want.SPRT.Groups*2, want.Games)
	for stop := range 12 {
		t.Run(fmt.Sprint(stop), func(t *testing.T) {
			m := m
			m.Workers = 3
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var kept []GameRecord
			m.Record = func(r GameRecord) error {
				if kept = append(kept, r); len(kept) == 1+3*stop {
					cancel()
				}
				return nil
			}
			report, err := Play(ctx, m)
			if report.Verdict == Undecided {
				require.ErrorIs(t, err, context.Canceled)
			}
			m.Finished, m.Record = kept, nil
			report, err = Play(t.Context(), m)
			require.NoError(t, err)
			requireSameReport(t, want, report)
			require.Equal(t, want.String(), report.String())
		})
	}
	m.Games = 4
	report, err := Play(t.Context(), m)
	require.NoError(t, err)
	require.Equal(t, Undecided, report.Verdict)
}

// requireSameReport requires that two reports have the same JSON.
func requireSameReport(t *testing.T, want, got Report) {
	t.Helper()
	a, err := json.Marshal(want)
	require.NoError(t, err)
	b, err := json.Marshal(got)
	require.NoError(t, err)
	require.Equal(t, string(a), string(b))
}

// A game that cannot be recorded ends the match.
func TestRecordFails(t *testing.T) {
	game := ticTacToe(t)
	full := errors.New("disk full")
	m := Match{Game: game, Players: []player.Factory{player.Must(nil, "random"), player.Must(nil, "random")}, Games: 100, Seed: 5, Workers: 2}
	m.Record = func(GameRecord) error { return full }
	_, err := Play(t.Context(), m)
	require.ErrorIs(t, err, full)
}

// A player that forfeits loses only that game.
func TestForfeit(t *testing.T) {
	game := envtest.MustTree(3, "( a(A B) b(B C) )")
	quits := player.Custom("quitter", func() (player.Player, error) { return &quitter{}, nil })
	report, err := Play(t.Context(), Match{Game: game, Players: []player.Factory{quits, player.Must(nil, "random")}, Games: 30, Seed: 5, Workers: 2})
	require.NoError(t, err)
	require.Equal(t, 30, report.Games)
	forfeits := 0
	for _, r := range report.Records {
		sum := float32(0)
		for _, payoff := range r.Result {
			sum += payoff
		}
		require.InDelta(t, 0, sum, 1e-6)
		if r.Forfeit == nil {
			continue
		}
		forfeits++
		require.Equal(t, Forfeited, r.Ending)
		require.Equal(t, 0, r.Seating[r.Forfeit.Seat])
		require.Equal(t, float32(-0.5), r.Result[r.Forfeit.Seat])
	}
	require.Positive(t, forfeits)
	require.Equal(t, forfeits, report.Endings[Forfeited])
	require.Zero(t, report.Players[0].Points-float64(report.Players[0].Wins))
	require.Contains(t, report.String(), "forfeit   game ")
	require.Contains(t, report.String(), "by quitter: gave up")

	lost := slices.IndexFunc(report.Records, func(r GameRecord) bool { return r.Forfeit != nil })
	report.Records, report.Endings = slices.Repeat(report.Records[lost:lost+1], 6), map[string]int{Forfeited: 6}
	report.Adjudication = &AdjudicationStats{Adjudicated: 1}
	require.Contains(t, report.String(), "and 1 more game\n")
	require.Contains(t, report.String(), "early     1 game adjudicated;")
}

type quitter struct{}

func (*quitter) Name() string { return "quitter" }

func (*quitter) Choose(context.Context, env.State, []env.Action, *rand.Rand) (env.Action, error) {
	return 0, &player.Forfeit{Reason: "gave up"}
}
