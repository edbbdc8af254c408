package replay

import (
	"math/rand/v2"
	"sort"

	"tiro/selfplay"
)

// surpriseSums returns running sums over the samples of a game of how far the
// search's policy was from the network's, nil if it never was.
func surpriseSums(samples []selfplay.Sample) []float32 {
	sums, sum := make([]float32, len(samples)), 0.0
	for i := range samples {
		sum += float64(samples[i].KL)
		sums[i] = float32(sum)
	}
	if sum == 0 {
		return nil
	}
	return sums
}

// drawSurprising returns a sample of the game, drawn in proportion to its
// surprise (policy surprise weighting, KataGo's docs/KataGoMethods.md). The
// record must hold surprise.
func (r *record) drawSurprising(rng *rand.Rand) int {
	last := len(r.surprise) - 1
	x := rng.Float64() * float64(r.surprise[last])
	return sort.Search(last, func(i int) bool { return float64(r.surprise[i]) > x })
}
