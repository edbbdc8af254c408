package ladder

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/arena"
	"tiro/disk/disktest"
	"tiro/internal/effort"
	"tiro/player"
)

// TestAgainstRoundRobin compares how many games it takes to rate the checkpoints of a
// run: with the most informative pairs, and with a tournament in which all meet all, references
// too. Errors fall with the root of the number of games, so that the product of the
// games and the squared error is the cost of a width: of the mean squared error, and of
// the widest interval, since with chosen pairs they are much more alike.
func TestAgainstRoundRobin(t *testing.T) {
	if testing.Short() {
		t.Skip("plays thousands of simulated games")
	}
	const (
		rung  = 0.8
		reach = 9. // log-odds between the first checkpoint and the last
	)
	checkpoints := effort.Of(0, 16, 40)
	pace := 0.3 * float64(checkpoints) // checkpoints after which 1-1/e of the way is made
	w, game := world{seats: 2, first: 0.2}, theGame(t, "mnk")
	l := w.ladder(t, game, 7, rung, 0)
	o := Options{Ladder: l, Game: game, Games: 4000, Error: 60, Workers: 1, Dir: "x", Disk: disktest.New(), Tiro: "test"}
	for i := range checkpoints {
		name := fmt.Sprintf("checkpoint %d", i)
		w.strength[name] = reach*(0.5-math.Exp(-float64(i)/pace)) + 1
		o.Candidates = append(o.Candidates, Candidate{Factory: player.Custom(name, player.Must(nil, "random").New)})
	}
	chosen := w.rater(t, o)
	report, err := chosen.rate(t.Context())
	require.NoError(t, err)
	mean, widest := meanVariance(t, report)

	all := w.rater(t, o)
	var matches []*arena.LoggedMatch
	for a := len(l.Players); a < len(all.players); a++ {
		for b := range a {
			m := &arena.LoggedMatch{Planned: batchGames}
			m.Players, m.Tiro, m.Backend = []player.Spec{all.players[a].Spec, all.players[b].Spec}, o.Tiro, all.by.Backend
			m.Games = w.match(m.Players[0].Label(), m.Players[1].Label(), batchGames, uint64(1000*a+b))
			matches = append(matches, m)
		}
	}
	report, err = all.report(matches)
	require.NoError(t, err)
	meanAll, widestAll := meanVariance(t, report)
	games, gamesAll := float64(played(chosen.log.Matches)), float64(played(matches))
	t.Logf("%.0f games chosen: root mean squared error %.0f, widest %.0f; %.0f games of a round-robin: %.0f, %.0f", games,
		math.Sqrt(mean), math.Sqrt(widest), gamesAll, math.Sqrt(meanAll), math.Sqrt(widestAll))
	t.Logf("cheaper by a factor of %.1f for the same mean squared error, of %.1f for the same widest interval",
		meanAll*gamesAll/(mean*games), widestAll*gamesAll/(widest*games))
	require.Greater(t, meanAll*gamesAll/(mean*games), 1.8)
	require.Greater(t, widestAll*gamesAll/(widest*games), 3.0)
}

// played returns the number of games of matches.
func played(matches []*arena.LoggedMatch) (n int) {
	for _, m := range matches {
		n += len(m.Games)
	}
	return n
}

// meanVariance returns the mean and the greatest squared error of the candidates.
func meanVariance(t *testing.T, r Report) (mean, most float64) {
	n := 0.0
	for _, s := range r.Players {
		if s.Candidate && s.Error != nil {
			mean += *s.Error * *s.Error
			most = max(most, *s.Error**s.Error)
			n++
		}
	}
	require.NotZero(t, n)
	return mean / n, most
}
