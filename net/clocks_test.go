package net_test

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/games"
	"tiro/mcts"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/net/nettest"
)

// TestClockHorizon: an evaluator and a Sight see the clocks of a position as the network is
// configured, and a weights file remembers it.
func TestClockHorizon(t *testing.T) {
	game, err := games.New("coerceo:noprogress=20")
	require.NoError(t, err)
	spec, s := game.Spec(), game.New()
	for len(s.Legal(nil)) > 0 && s.(interface{ Quiet() int }).Quiet() < 15 {
		s.Play(s.Legal(nil)[0])
	}
	inputs := map[int][]float32{}
	for _, horizon := range []int{0, 10} {
		c := net.Config{Channels: 4, Blocks: 1, OutcomeChannels: 1, ClockHorizon: horizon}
		w := nettest.Weights(spec, c, env.NewRand(1))
		x := make([]float32, spec.Inputs())
		c.Observe(s, x)
		inputs[horizon] = x
		_, outcome := nettest.New(w).Run(x)
		model := net.Compile(kernel.Best(), w)
		seen, err := net.Look(game, model)(s)
		require.NoError(t, err)
		require.InDeltaSlice(t, outcome, seen.Logits, 1e-4)
		require.Equal(t, x, slices.Concat(slices.Concat(seen.Planes...)...))

		leaf := &mcts.Leaf{State: s, Legal: s.Legal(nil)}
		leaf.Prior = make([]float32, len(leaf.Legal))
		require.NoError(t, net.NewEvaluator(game, model, 1).Evaluate(t.Context(), []*mcts.Leaf{leaf}))
		require.InDelta(t, seen.Value[0], leaf.Value[0], 1e-6)

		var file bytes.Buffer
		require.NoError(t, w.Write(&file))
		info, err := net.ReadInfo(file.Bytes())
		require.NoError(t, err)
		require.Equal(t, c, info.Config)
	}
	require.InDelta(t, 15./20, inputs[0][48*spec.Cells()], 1e-6)
	require.InDelta(t, 5./10, inputs[10][48*spec.Cells()], 1e-6)

	seen, err := net.Look(game, nil)(s)
	require.NoError(t, err)
	require.Equal(t, inputs[0], slices.Concat(slices.Concat(seen.Planes...)...))
}

// TestObserveLate: clocks observed late show the plies left to a limit, and nothing else changes.
func TestObserveLate(t *testing.T) {
	const horizon = 7
	for _, test := range []struct {
		game   string
		limits [2]int // plies; 0 for none
	}{
		{"coerceo:noprogress=12,maxplies=40", [2]int{12, 40}},
		{"coerceo:noprogress=0,maxplies=30", [2]int{0, 30}},
	} {
		t.Run(test.game, func(t *testing.T) {
			game, err := games.New(test.game)
			require.NoError(t, err)
			spec := game.Spec()
			x, want := make([]float32, spec.Inputs()), make([]float32, spec.Inputs())
			for seed := range uint64(5) {
				s, rng := game.New(), env.NewRand(seed)
				for legal := s.Legal(nil); len(legal) > 0; legal = s.Legal(nil) {
					s.Observe(want)
					for i, plane := range []int{48, 49} {
						fraction, limit := float64(want[plane*spec.Cells()]), test.limits[i]
						left := float64(limit) - math.Round(fraction*float64(limit))
						late := max(0, 1-left/horizon)
						if limit == 0 {
							late = 0
						}
						for cell := range spec.Cells() {
							want[plane*spec.Cells()+cell] = float32(late)
						}
					}
					net.Config{ClockHorizon: horizon}.Observe(s, x)
					require.InDeltaSlice(t, want, x, 1e-6)
					s.Play(legal[rng.IntN(len(legal))])
				}
			}
		})
	}
}
