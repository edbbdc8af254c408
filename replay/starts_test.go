package replay

import (
	"testing"

	"tiro/env"
	"tiro/selfplay"

	"github.com/stretchr/testify/require"
)

// surprising is a game whose second search was nearer to the result than the first. With
// λ = 0.9 and worked out by hand, the regrets of its samples are
//
//	second: 0.9·1/2 · (1 - 0.8)    = 0.09, so that the λ-return is 0.89
//	first:  0.9     · (0.89 - 0.4) = 0.441
//
// where 1/2 is the likelihood of the action played as against the likeliest. With a
// discount of 1/2, the result is one ply behind the second search, and that two plies
// behind the first.
//
//	second: 0.9·1/2 · (0.8 - 1/2)       = 0.135, so that the λ-return is 0.665
//	first:  0.9     · (0.4 - 0.665/4)   = 0.210375
func surprising(game env.Game) selfplay.Episode {
	policy := []selfplay.PolicyEntry{{Action: 1, Weight: 6000}, {Action: 3, Weight: 3000}, {Action: 4, Weight: 1000}}
	return selfplay.Episode{
		Rules: game, Actions: []env.Action{5, 1, 0, 3}, Result: env.Value{1, -1},
		Samples: []selfplay.Sample{
			{Ply: 1, Policy: policy, Value: env.Value{0.4, -0.4}},
			{Ply: 3, Policy: policy, Value: env.Value{0.8, -0.8}},
		},
	}
}

func TestRegrets(t *testing.T) {
	e := surprising(nil)
	r := newRecord(&e)
	require.InDeltaSlice(t, []float64{0.441, 0.09}, r.regrets(1), 1e-4)
	require.InDeltaSlice(t, []float64{0.210375, 0.135}, r.regrets(0.5), 1e-4)

	e.Ending, e.Result = selfplay.Resignation, env.Value{-1, 1}
	r = newRecord(&e)
	require.InDeltaSlice(t, []float64{0.36, 0}, r.regrets(1), 1e-4, "a result that nobody played out is no evidence")
}

// TestStarts: positions are drawn in proportion to their regrets, and never where the
// search was right.
func TestStarts(t *testing.T) {
	game := gameOf(t, "mnk:m=3,n=3,k=3")
	right := surprising(game)
	for i := range right.Samples {
		right.Samples[i].Value = right.Result
	}
	b := NewBuffer(game, Keep{}, 0)
	require.Empty(t, b.Starts(10, 1, env.NewRand(1)), "no games")
	b.Add([]selfplay.Episode{right})
	require.Empty(t, b.Starts(10, 1, env.NewRand(1)), "nothing to regret")

	b.Add([]selfplay.Episode{surprising(game), right})
	drawn := map[int]int{}
	for _, actions := range b.Starts(2000, 1, env.NewRand(1)) {
		require.Equal(t, []env.Action{5, 1, 0, 3}[:len(actions)], actions)
		drawn[len(actions)]++
	}
	require.Len(t, drawn, 2)
	require.InDelta(t, 2000*0.441/0.531, drawn[1], 67) // 4 standard deviations
}
