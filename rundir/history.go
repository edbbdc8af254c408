package rundir

import (
	"maps"
	"slices"
)

// History is the content of metrics.jsonl by generation, as far back as the episode files reach.
type History map[int]Metrics

// Ordered returns the metrics in the order of generations.
func (h History) Ordered() []Metrics {
	var all []Metrics
	for _, g := range slices.Sorted(maps.Keys(h)) {
		all = append(all, h[g])
	}
	return all
}

// Missing returns the generations from 1 to last that the history lacks.
func (h History) Missing(last int) []int {
	var missing []int
	for g := 1; g <= last; g++ {
		if _, ok := h[g]; !ok {
			missing = append(missing, g)
		}
	}
	return missing
}

// oldest returns the first generation that may have had games in the replay window after a
// generation. If the history lacks that generation, the result for an earlier one is used, since
// windows only move forward.
func (h History) oldest(generation int) int {
	at, ok := h[generation]
	for !ok && generation > 1 {
		generation--
		at, ok = h[generation]
	}
	if !ok {
		return 1
	}
	evicted := at.TotalSamples - at.Window
	g := generation
	for ; g > 1; g-- {
		if before, ok := h[g-1]; ok && before.TotalSamples <= evicted {
			break
		}
	}
	return g
}

// forget removes generations before oldest, except the one before it, which marks where oldest
// begins.
func (h History) forget(oldest int) {
	for g := range h {
		if g < oldest-1 {
			delete(h, g)
		}
	}
}
