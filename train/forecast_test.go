package train

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestForecast(t *testing.T) {
	type state struct{ playing, finished, plies int }
	for _, test := range []struct {
		name  string
		mean  float64 // of the generation before
		now   state
		left  int
		known bool
	}{
		{"first generation, no game over", 0, state{playing: 9000}, 0, false},
		{"first generation, some over", 0, state{playing: 300, finished: 10, plies: 1000}, 2700, true},
		{"nothing played", 171, state{}, 40 * 171, true},
		{"half way", 170, state{playing: 40 * 85}, 40 * 85, true},
		// Games that last twice as long as those before do not look finished.
		{"outlived", 171, state{playing: 40 * 328}, 40 * 328 / 4, true},
		{"a few left over", 171, state{playing: 2 * 400, finished: 38, plies: 38 * 171}, 2 * 100, true},
		{"over", 171, state{finished: 40, plies: 7000}, 0, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newForecast(40, test.mean, nil)
			f.playing, f.finished, f.plies = test.now.playing, test.now.finished, test.now.plies
			left, known := f.left()
			require.Equal(t, test.known, known)
			require.InDelta(t, test.left, left, 1)
		})
	}
}
