package replay

import (
	"testing"

	"tiro/env"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// writeOutcome writes the outcome target of a sample.
func writeOutcome(dst []float32, result, value env.Value, valueWeight, certainty float64, viewer env.Player) {
	o := outcome{result, value, valueWeight, certainty}
	o.write(dst, viewer)
}

func TestOutcome(t *testing.T) {
	const win, loss = 1, -1
	tests := []struct {
		name    string
		players int
		result  env.Value
		value   env.Value
		share   float64
		viewer  env.Player
		want    []float32
	}{
		{"won", 2, env.Value{win, loss}, env.Value{}, 0, 0, []float32{1, 0, 0}},
		{"won by the opponent", 2, env.Value{win, loss}, env.Value{}, 0, 1, []float32{0, 1, 0}},
		{"drawn", 2, env.Value{}, env.Value{0.3, -0.3}, 0, 1, []float32{0, 0, 1}},
		{"search sure", 2, env.Value{win, loss}, env.Value{loss, win}, 1, 0, []float32{0, 1, 0}},
		{"search even, game won", 2, env.Value{win, loss}, env.Value{}, 1, 0, []float32{0.5, 0.5, 0}},
		{"search even, game drawn", 2, env.Value{}, env.Value{}, 1, 0, []float32{0, 0, 1}},
		{"search optimistic, game drawn", 2, env.Value{}, env.Value{0.25, -0.25}, 1, 0, []float32{0.25, 0, 0.75}},
		{"half each", 2, env.Value{win, loss}, env.Value{0.5, -0.5}, 0.5, 0, []float32{0.875, 0.125, 0}},
		{"three, last one won", 3, env.WinFor(2, 3), env.Value{}, 0, 1, []float32{0, 1, 0, 0}},
		{"three, two shared the win", 3, env.Value{0.25, 0.25, -0.5}, env.Value{}, 0, 2, []float32{0, 0.5, 0.5, 0}},
		{"three, drawn, search sees one lost", 3, env.Value{}, env.Value{0.25, 0.25, -0.5}, 1, 0, []float32{0.5, 0.5, 0, 0}},
		{"four, drawn", 4, env.Value{}, env.Value{}, 0.5, 3, []float32{0, 0, 0, 0, 1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := make([]float32, test.players+1)
			writeOutcome(got, test.result, test.value, test.share, 1, test.viewer)
			require.InDeltaSlice(t, test.want, got, 1e-6)
		})
	}
}

// TestDiscount: part of a distant win counts as a draw.
func TestDiscount(t *testing.T) {
	got := make([]float32, 3)
	writeOutcome(got, env.Value{1, -1}, env.Value{1, -1}, 0, 0.75, 1)
	require.InDeltaSlice(t, []float32{0, 0.75, 0.25}, got, 1e-6)
	writeOutcome(got, env.Value{}, env.Value{}, 0, 0.75, 1)
	require.InDeltaSlice(t, []float32{0, 0, 1}, got, 1e-6)
	got = make([]float32, 4)
	writeOutcome(got, env.WinFor(1, 3), env.Value{}, 0, 0.5, 0)
	require.InDeltaSlice(t, []float32{0, 0.5, 0, 0.5}, got, 1e-6)
}

// TestOutcomeKeepsThePayoff: the outcome target is a distribution whose payoff, as networks
// compute it, is the weighted mean of result and value.
func TestOutcomeKeepsThePayoff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		players := rapid.IntRange(2, 4).Draw(t, "players")
		payoff := func(name string) env.Value {
			var v env.Value // a mixture of wins and draws
			for seat := range players {
				p := rapid.Float64Range(0, 1/float64(players)).Draw(t, name)
				for i, x := range env.WinFor(env.Player(seat), players) {
					v[i] += float32(p) * x
				}
			}
			return v
		}
		result, value := payoff("result"), payoff("value")
		if rapid.Bool().Draw(t, "drawn") {
			result = env.Value{}
		}
		share := rapid.Float64Range(0, 1).Draw(t, "share")
		viewer := env.Player(rapid.IntRange(0, players-1).Draw(t, "viewer"))
		got := make([]float32, players+1)
		certain := rapid.Float64Range(0, 1).Draw(t, "certain")
		writeOutcome(got, result, value, share, certain, viewer)
		sum := float32(0)
		for _, p := range got {
			require.GreaterOrEqual(t, p, float32(0))
			sum += p
		}
		require.InDelta(t, 1, sum, 1e-5)
		for i := range players {
			others := float32(0)
			for j := range players {
				if j != i {
					others += got[j]
				}
			}
			seat := (int(viewer) + i) % players
			want := (1-share)*certain*float64(result[seat]) + share*float64(value[seat])
			require.InDelta(t, want, got[i]-others/float32(players-1), 1e-5)
		}
	})
}

// TestOutcomeOfSharedWins: for shared wins, which pay (n·share - 1)/(n-1), and for payoffs
// that no combination of wins gives, the outcome target is a distribution with equal
// probabilities for the winners and 0 for the others.
func TestOutcomeOfSharedWins(t *testing.T) {
	const third, ninth = float32(1) / 3, float32(1) / 9
	tests := []struct {
		name   string
		result env.Value
		viewer env.Player
		want   []float32
	}{
		{"two of three", env.Value{-0.5, 0.25, 0.25}, 1, []float32{0.5, 0.5, 0, 0}},
		{"three of three", env.Value{}, 1, []float32{0, 0, 0, 1}},
		{"one of four", env.WinFor(0, 4), 3, []float32{0, 1, 0, 0, 0}},
		{"two of four", env.Value{third, -third, -third, third}, 1, []float32{0, 0, 0.5, 0.5, 0}},
		{"three of four", env.Value{ninth, ninth, -third, ninth}, 2, []float32{0, third, third, third, 0}},
		{"four of four", env.Value{}, 2, []float32{0, 0, 0, 0, 1}},
		{"two of three, less than a loss", env.Value{third, third, -2 * third}, 0, []float32{0.5, 0.5, 0, 0}},
		{"two of three, the maximum loss", env.Value{-1, 0.5, 0.5}, 0, []float32{0, 0.5, 0.5, 0}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := make([]float32, len(test.want))
			writeOutcome(got, test.result, env.Value{}, 0, 1, test.viewer)
			require.InDeltaSlice(t, test.want, got, 1e-6)
		})
	}
}
