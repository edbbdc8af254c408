package exam

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/mcts"
)

var update = flag.Bool("update", false, "rewrite the sets in testdata")

func uniform() mcts.Evaluator { return mcts.Uniform{} }

// made returns a small set as text, for some number of workers.
func made(t *testing.T, game env.Game, kind string, positions, workers int) string {
	t.Helper()
	r := Recipe{Game: game, Evaluator: uniform, Seed: 1, Workers: workers, Positions: positions, Made: "by a test"}
	set, err := r.Make(t.Context(), kind)
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, set.Write(&text, game))
	return text.String()
}

// TestMakeIsRepeatable: a recipe makes the set in testdata, for any number of workers,
// and Read reads what Write has written.
func TestMakeIsRepeatable(t *testing.T) {
	for _, c := range []struct {
		game, kind string
		positions  int
	}{{"connect4", Solved, 5}, {"connect4", Tactics, 5}, {"mnk", Judgement, 5}} {
		t.Run(c.game+" "+c.kind, func(t *testing.T) {
			game := newGame(t, c.game)
			text := made(t, game, c.kind, c.positions, 2)
			golden := filepath.Join("testdata", c.game+"_"+c.kind+".jsonl")
			if *update {
				require.NoError(t, os.MkdirAll("testdata", 0o755))
				require.NoError(t, os.WriteFile(golden, []byte(text), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), text)
			if c.kind != Tactics { // which takes seconds
				require.Equal(t, text, made(t, game, c.kind, c.positions, 1))
			}

			set, err := Read(bytes.NewReader(want), game)
			require.NoError(t, err)
			var again bytes.Buffer
			require.NoError(t, set.Write(&again, game))
			require.Equal(t, text, again.String())
		})
	}
}

func TestMakeWants(t *testing.T) {
	for _, c := range []struct {
		game, kind string
		positions  int
		want       string
	}{
		{"mnk", "chess", 1, `kind is chess; want solved, tactics, judgement, conversion`},
		{"coerceo", Solved, 1, `game of kind solved is coerceo; want a game with an exact solver`},
		{"coerceo", Tactics, 0, `positions is 0; want 1 to 65536`},
	} {
		_, err := (&Recipe{Game: newGame(t, c.game), Evaluator: uniform, Workers: 1, Positions: c.positions}).Make(t.Context(), c.kind)
		require.ErrorContains(t, err, c.want)
	}
}

func TestMakeStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, kind := range []string{Solved, Tactics, Judgement, Conversion} {
		r := Recipe{Game: newGame(t, "connect4"), Evaluator: uniform, Workers: 2, Positions: 5}
		_, err := r.Make(ctx, kind)
		require.ErrorIs(t, err, context.Canceled)
	}
}
