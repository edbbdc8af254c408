package ladder

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/arena"
	"tiro/mcts"
	"tiro/player"
)

// backwards plays all games elsewhere, the last ones first.
type backwards struct {
	t    testing.TB
	most int // matches at once
}

func (b *backwards) PlayGames(ctx context.Context, all []arena.Wanted) error {
	b.most = max(b.most, len(all))
	for i := len(all) - 1; i >= 0; i-- {
		w := all[i]
		next := func(bool) (int, bool) {
			if len(w.Games) == 0 {
				return 0, false
			}
			n := w.Games[len(w.Games)-1]
			w.Games = w.Games[:len(w.Games)-1]
			return n, true
		}
		err := w.Match.PlayNumbers(ctx, 2, next, func(r arena.GameRecord) error {
			require.NoError(b.t, w.Match.Check(&r))
			require.True(b.t, w.Take(r))
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// TestRateElsewhere: a rating whose games a Gameplayer plays, many at once, has the
// same report.
func TestRateElsewhere(t *testing.T) {
	o := small(t, "mcts:2", "mcts:3", "mcts:10", "mcts:40", "mcts:100", "mcts:200")
	o.Games = 36
	want, err := Rate(t.Context(), o)
	require.NoError(t, err)
	there := &backwards{t: t}
	o.Dir, o.Elsewhere, o.Workers = t.TempDir(), there, 0
	shown := 0
	o.Begin = func(u Upcoming) (func(arena.Progress), func()) {
		return func(p arena.Progress) {
			require.LessOrEqual(t, p.Done, u.Games)
			require.NotPanics(t, func() { _ = p.String() })
			shown++
		}, func() {}
	}
	got, err := Rate(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Greater(t, there.most, 1)
	require.Positive(t, shown)
}

// TestRateElsewhereRefuses: players that others cannot play are refused before anything
// is.
func TestRateElsewhereRefuses(t *testing.T) {
	o := small(t, "mcts:2")
	o.Elsewhere = &backwards{t: t}
	o.Candidates = append(o.Candidates, Candidate{Factory: player.Custom("mine", func() (player.Player, error) {
		return player.NewSearcher("mine", o.Game, player.NetworkConfig(2), mcts.Uniform{})
	})})
	_, err := Rate(t.Context(), o)
	require.ErrorContains(t, err, "mine cannot play on workers")
	require.NoFileExists(t, filepath.Join(o.Dir, LogFile))
}
