package ladder

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"

	"tiro/arena"
	"tiro/disk/disktest"
	"tiro/env"
	"tiro/internal/effort"
	"tiro/player"
)

// world is a game among players of known strength, by the model of package rating.
type world struct {
	seats    int
	strength map[string]float64 // by the player's name, in log-odds
	first    float64            // advantage of seat 0 in log-odds
	draw     float64            // frequency of draws among equals
}

// meet plays matches, the same ones for the same players and seeds.
func (w world) meet(r *rater) {
	r.play = func(_ context.Context, matches []*arena.LoggedMatch) error {
		for _, m := range matches {
			var fabricated arena.Match
			if err := r.log.Continue(&fabricated, m); err != nil {
				return err
			}
			for _, record := range w.match(m.Players[0].Label(), m.Players[1].Label(), m.Planned, m.Seed) {
				if err := fabricated.Record(record); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// match returns games of a with one seat against b.
func (w world) match(a, b string, games int, seed uint64) []arena.GameRecord {
	rng := env.NewRand(seed)
	var groups []string
	for range games / w.seats {
		var group []string
		for seat := range w.seats {
			group = append(group, w.game(a, b, seat, rng))
		}
		groups = append(groups, strings.Join(group, "/"))
	}
	records, err := Games(strings.Join(groups, " ")).Records(w.seats)
	if err != nil {
		panic(err)
	}
	return records
}

// rater returns a rater whose games are simulated.
func (w world) rater(t testing.TB, o Options) *rater {
	r, err := newRater(o)
	require.NoError(t, err)
	w.meet(r)
	return r
}

// game plays a game of a on a seat against b on the others.
func (w world) game(a, b string, at int, rng *rand.Rand) string {
	weights, everyone := make([]float64, w.seats), ""
	for seat := range w.seats {
		s := w.strength[b]
		if seat == at {
			s = w.strength[a]
		}
		if seat == 0 {
			s += w.first
		}
		weights[seat] = math.Exp(s)
		everyone += fmt.Sprint(seat)
	}
	shared := w.draw * slices.Min(weights) // part of each weight that is shared, which leaves the expected points as they are
	x := rng.Float64() * floats.Sum(weights)
	for seat, weight := range weights {
		if x -= weight - shared; x < 0 {
			return fmt.Sprint(seat)
		}
	}
	return everyone
}

// TestSimulated rates players of known strength on simulated ladders: the 95%
// intervals hold the truth, errors are as small as asked for, and opponents are near.
func TestSimulated(t *testing.T) {
	const rung, elo = 0.8, 400 / math.Ln10 // log-odds between references, 139 Elo; Elo of a unit of log-odds
	for _, test := range []struct {
		name, game string
		world      world
	}{
		{"two seats", "mnk", world{seats: 2, first: 0.3}},
		{"two seats, draws", "mnk", world{seats: 2, first: 0.2, draw: 0.33}},
		{"three seats", "pacru:players=3", world{seats: 3, first: 0.3, draw: 0.03}},
		{"four seats", "pacru:players=4", world{seats: 4, first: 0.3}},
	} {
		t.Run(test.name, func(t *testing.T) {
			game, w := theGame(t, test.game), test.world
			replications := effort.Of(2, 3, 30)
			held, all, bias, games := 0, 0, 0.0, 0
			for replication := range replications {
				l := w.ladder(t, game, 7, rung, replication)
				o := Options{Ladder: l, Game: game, Games: 2000, Error: 45, Workers: 1, Dir: "x", Disk: disktest.New(), Tiro: "test"}
				for _, strength := range []float64{-0.4, 1.9, 3.1, 4.3} {
					name := fmt.Sprintf("candidate %d %v", replication, strength)
					w.strength[name] = strength
					o.Candidates = append(o.Candidates, Candidate{Factory: player.Custom(name, player.Must(nil, "random").New)})
				}
				report, err := w.rater(t, o).rate(t.Context())
				require.NoError(t, err)
				for i, c := range o.Candidates {
					s := report.Players[i]
					require.NotNil(t, s.Error)
					require.Less(t, *s.Error, 50.0)
					truth := float64(elo * (w.strength[c.Label()] - 3*rung))
					if s.Elo.Low <= truth && truth <= s.Elo.High {
						held++
					}
					bias += s.Elo.Value - truth
					games += s.Games
					all++
				}
			}
			rate := float64(held) / float64(all)
			t.Logf("%.1f%% of %d intervals hold, bias %.1f Elo, %.0f games a player", 100*rate, all, bias/float64(all), float64(games)/float64(all))
			n := math.Sqrt(float64(all))
			require.InDelta(t, 0.95, rate, 0.02+3*math.Sqrt(0.95*0.05)/n)
			require.InDelta(t, 0, bias/float64(all), 3*35/n, "errors of 45 and of the ladder")
		})
	}
}

// ladder returns a ladder whose references are a rung apart, the fourth its anchor.
func (w *world) ladder(t testing.TB, game env.Game, players int, rung float64, replication int) *Ladder {
	l := &Ladder{Game: game.Spec().Name, GameVersion: game.Spec().Version, Anchor: "mcts:4"}
	w.strength = map[string]float64{}
	for i := range players {
		name := fmt.Sprintf("mcts:%d", i+1)
		w.strength[name] = rung * float64(i)
		l.Players = append(l.Players, player.Spec{Alias: name})
		for b := max(0, i-2); b < i; b++ {
			m := Match{A: l.Players[b].Label(), B: name}
			m.Games = GamesOf(w.match(m.A, m.B, 120/(i-b), uint64(1000*replication+100*i+b)))
			l.Matches = append(l.Matches, m)
		}
	}
	return l
}
