package cli

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/arena"
	"tiro/study"
)

// TestStudiesTellHowLong: the time left is that of all matches, each by its work.
func TestStudiesTellHowLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		s := &studyMeter{meter: newMeter(&out)}
		play := func(title string, work, left float64) {
			game, end := s.match(study.Upcoming{Title: title, Games: 10, Work: work, Left: left})
			for done := range 10 {
				time.Sleep(6 * time.Second)
				game(arena.Progress{Done: done + 1, Games: 10, Players: make([]arena.WDL, 2)})
			}
			time.Sleep(4 * time.Second)
			end()
		}
		play("match 1 of 2, generation 10 against random", 400, 2800)
		require.Contains(t, out.String(), "INF match 1 of 2, generation 10 against random, 5 of 10 games (+0 =0 -0), about 6 min left in all rate=")
		play("match 2 of 2, generation 10 against mcts:2000", 2400, 2400)
		require.Contains(t, out.String(), "INF match 2 of 2, generation 10 against mcts:2000, 1 of 10 games (+0 =0 -0), about 4 min left in all rate=")
	})
}

func TestTurnsTellHowLong(t *testing.T) {
	now := time.Now()
	var n turns
	require.Equal(t, "training 3 of 6", n.title(study.Turn{Number: 3, All: 6}, now))
	require.Equal(t, "training 4 of 6; about 30 min of training left", n.title(study.Turn{Number: 4, All: 6}, now.Add(10*time.Minute)))
	require.Equal(t, "training 1 of 8; about 4.0 h of training left", n.title(study.Turn{Number: 1, All: 8, Left: 4 * time.Hour}, now))
}
