package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// drawPatch returns a patch for a transform and the memory that the transform may write.
func drawPatch(t *rapid.T, rng *rand.Rand, f transform, tl *tiling) (*patch, []guarded) {
	p := newPatch()
	p.count = Lanes * rapid.IntRange(1, 4).Draw(t, "count")
	p.step = p.count + rapid.IntRange(0, 5).Draw(t, "step")
	p.floor = float32(math.Inf(-1))
	points := newGuarded(rng, (tl.products()-1)*p.step+p.count)
	p.points = points.inner
	written := []guarded{points}
	if f == output {
		p.masked = rapid.IntRange(0, 1).Draw(t, "masked")
		if rapid.Bool().Draw(t, "rectify") {
			p.floor = 0
		}
	}
	for i := range tl.side(f) * tl.side(f) {
		cell := newGuarded(rng, p.count)
		p.cells[i] = cell.inner
		p.residual[i], p.mask[i] = randomFloats(rng, p.count), randomFloats(rng, p.count)
		written = append(written, cell)
	}
	return p, written
}

func TestTransforms(t *testing.T) {
	forEachBackend(t, func(t *testing.T, impl *implementation) {
		rapid.Check(t, func(t *rapid.T) {
			f := transform(rapid.IntRange(0, int(transforms)-1).Draw(t, "transform"))
			tl := newTiling(smallestTile + rapid.IntRange(0, tilings-1).Draw(t, "tiling"))
			seed := rapid.Uint64().Draw(t, "seed")
			got, written := drawPatch(t, rand.New(rand.NewPCG(seed, 1)), f, tl)
			want := *got
			want.points = append([]float32(nil), got.points...)
			want.scratch = make([]float32, len(got.scratch))
			for i := range tl.side(f) * tl.side(f) {
				want.cells[i] = append([]float32(nil), got.cells[i]...)
			}
			impl.transform(f, got, tl)
			want.transformGo(f, tl)
			require.InDeltaSlice(t, want.points, got.points, 1e-3)
			for i := range tl.side(f) * tl.side(f) {
				require.InDeltaSlice(t, want.cells[i], got.cells[i], 1e-2, "cell %d", i)
			}
			for _, g := range written {
				g.requireUntouched(t)
			}
		})
	})
}

// A tiling's matrices compute a convolution: in one dimension, output·(filter·g ⊙ input·d) equals
// the definition.
func TestTilingsAreConvolutions(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 10))
	for i := range tilings {
		tl := newTiling(smallestTile + i)
		d, g := randomFloats(rng, tl.points), randomFloats(rng, 3)
		for a, row := range tl.matrices[output] {
			got := 0.0
			for p, c := range row {
				var u, v float64
				for k, x := range tl.matrices[filter][p] {
					u += float64(x) * float64(g[k])
				}
				for k, x := range tl.matrices[input][p] {
					v += float64(x) * float64(d[k])
				}
				got += float64(c) * u * v
			}
			want := 0.0
			for k := range g {
				want += float64(g[k]) * float64(d[a+k])
			}
			require.InDelta(t, want, got, 1e-5, "tile %d output %d", tl.size, a)
		}
	}
}

func TestPatchCheckRefusesReachingOutside(t *testing.T) {
	tl := newTiling(4)
	for name, spoil := range map[string]func(*patch){
		"points":   func(p *patch) { p.points = p.points[1:] },
		"count":    func(p *patch) { p.count-- },
		"cell":     func(p *patch) { p.cells[15] = p.cells[15][1:] },
		"residual": func(p *patch) { p.residual[0] = nil },
		"mask":     func(p *patch) { p.masked, p.mask[3] = 1, nil },
	} {
		p := newPatch()
		p.count, p.step, p.points = Lanes, Lanes, make([]float32, tl.products()*Lanes)
		for i := range p.cells {
			p.cells[i], p.residual[i], p.mask[i] = make([]float32, Lanes), make([]float32, Lanes), make([]float32, Lanes)
		}
		require.NotPanics(t, func() { p.check(output, tl) })
		spoil(p)
		require.Panics(t, func() { p.check(output, tl) }, name)
	}
}
