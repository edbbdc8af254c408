package train

import (
	"math/rand/v2"
	"sort"

	"tiro/selfplay"
)

// surprises returns running sums of how much the search changed the network's
// mind at each row of a game, nil if it never did.
func surprises(rows []selfplay.Sample) []float32 {
	sums, sum := make([]float32, len(rows)), 0.0
	for i := range rows {
		sum += float64(rows[i].KL)
		sums[i] = float32(sum)
	}
	if sum == 0 {
		return nil
	}
	return sums
}

// surprising returns a row of the game, drawn in proportion to how much the
// search changed the network's mind there (policy surprise weighting, KataGo's
// docs/KataGoMethods.md). The game must have surprises.
func (r *record) surprising(rng *rand.Rand) int {
	last := len(r.surprises) - 1
	x := rng.Float64() * float64(r.surprises[last])
	return sort.Search(last, func(i int) bool { return float64(r.surprises[i]) > x })
}
