package env_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tiro/env"
	"tiro/env/envtest"
)

type named struct{ env.Game }

func (named) SeatName(p env.Player) string { return []string{"North", "East", "South"}[p] }

func TestSeatName(t *testing.T) {
	game := envtest.MustTree(3, "(ABC)")
	require.Equal(t, "player 3", env.SeatName(game, 2))
	require.Equal(t, "South", env.SeatName(named{game}, 2))
}

func TestShares(t *testing.T) {
	third, sixth := 1.0/3, 1.0/6
	tests := []struct {
		name    string
		players int
		payoffs env.Value
		want    [env.MaxPlayers]float64
	}{
		{"win of two", 2, env.WinFor(1, 2), [4]float64{0, 1}},
		{"draw of two", 2, env.Value{}, [4]float64{0.5, 0.5}},
		{"win of three", 3, env.WinFor(0, 3), [4]float64{1}},
		{"two of three share", 3, env.Value{0.25, 0.25, -0.5}, [4]float64{0.5, 0.5}},
		{"three of three share", 3, env.Value{}, [4]float64{third, third, third}},
		{"win of four", 4, env.WinFor(3, 4), [4]float64{0, 0, 0, 1}},
		{"two of four share", 4, env.Value{1. / 3, -1. / 3, 1. / 3, -1. / 3}, [4]float64{0.5, 0, 0.5}},
		{"three of four share", 4, env.Value{1. / 9, 1. / 9, 1. / 9, -1. / 3}, [4]float64{third, third, third}},
		{"likely, not sure", 3, env.Value{0.5, 0, -0.5}, [4]float64{2 * third, third}},
		// 5/9 and 5/9 for two, and nothing below nothing for the third.
		{"less than a loss", 3, env.Value{third32, third32, -2 * third32}, [4]float64{0.5, 0.5}},
		{"much less than a loss", 3, env.Value{0.5, 0.5, -1}, [4]float64{0.5, 0.5}},
		{"less than a loss for one, little for another", 3, env.Value{1, 0, -1}, [4]float64{0.75, 0.25}},
		{"even for two of four", 4, env.Value{-1. / 9, -1. / 9, 1. / 9, 1. / 9}, [4]float64{sixth, sixth, third, third}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := test.payoffs.Shares(test.players)
			require.InDeltaSlice(t, test.want[:], got[:], 1e-7)
		})
	}
}

const third32 = float32(1) / 3

// TestSharesInvertPayoffs: Shares recovers the win probabilities behind any payoffs.
func TestSharesInvertPayoffs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		players := rapid.IntRange(2, env.MaxPlayers).Draw(t, "players")
		var chances [env.MaxPlayers]float64
		sum := 0.0
		for i := range players {
			chances[i] = rapid.Float64Range(0, 1).Draw(t, "weight")
			sum += chances[i]
		}
		if sum == 0 {
			return
		}
		var v env.Value
		for i := range players {
			chances[i] /= sum
			for j, x := range env.WinFor(env.Player(i), players) {
				v[j] += float32(chances[i]) * x
			}
		}
		got := v.Shares(players)
		require.InDeltaSlice(t, chances[:], got[:], 1e-5)
	})
}
