package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// forEachBackend runs a test with each backend of this CPU.
func forEachBackend(t *testing.T, run func(t *testing.T, impl *implementation)) {
	for _, impl := range testable() {
		t.Run(impl.name, func(t *testing.T) { run(t, impl) })
	}
}

// guarded is a slice surrounded by memory that no kernel may read or write.
type guarded struct {
	whole, inner []float32
}

const guard = 64

// newGuarded returns n numbers drawn from rng, at an unaligned position in memory.
func newGuarded(rng *rand.Rand, n int) guarded {
	whole := make([]float32, n+2*guard+1)
	for i := range whole {
		whole[i] = float32(math.NaN())
	}
	inner := whole[guard+1:][:n:n]
	for i := range inner {
		inner[i] = float32(rng.IntN(2001)-1000) / 500
	}
	return guarded{whole, inner}
}

// requireUntouched checks that the memory around the slice is unchanged.
func (g guarded) requireUntouched(t require.TestingT) {
	for i := range guard {
		if !math.IsNaN(float64(g.whole[i])) || !math.IsNaN(float64(g.whole[len(g.whole)-1-i])) {
			require.Fail(t, "written outside the slice")
		}
	}
}

// want computes a column of a tile in double precision.
func (t *tile) want(row, col int) float64 {
	sum := float64(t.init[row*t.ldi+col])
	for _, s := range t.segments {
		for k := range t.k {
			sum += float64(t.a[s.a+row*t.lda+k]) * float64(t.b[s.b+col/Lanes*t.panel+k*Lanes+col%Lanes])
		}
	}
	if t.residual != nil {
		sum += float64(t.residual[row*t.ldc+col])
	}
	if t.relu != 0 {
		sum = max(sum, 0)
	}
	if t.mask != nil && t.mask[row*t.ldc+col] <= 0 {
		sum = 0
	}
	return sum
}

func TestMultiplyTile(t *testing.T) {
	forEachBackend(t, func(t *testing.T, impl *implementation) {
		rapid.Check(t, func(t *rapid.T) {
			draw := func(name string, low, high int) int { return rapid.IntRange(low, high).Draw(t, name) }
			tl := &tile{m: draw("m", 1, impl.rows), n: draw("n", 1, impl.panels), k: 4 * draw("k/4", 1, 20), relu: draw("relu", 0, 1)}
			segments := draw("segments", 1, 9)
			width := tl.n * Lanes
			tl.lda, tl.ldc = tl.k+draw("lda", 0, 5), width+draw("ldc", 0, 5)
			tl.ldi = draw("ldi", 0, 1) * (width + 3)
			tl.panel = segments * tl.k * Lanes
			rng := rand.New(rand.NewPCG(1, uint64(tl.k*tl.m)))
			for s := range segments {
				tl.segments = append(tl.segments, segment{a: draw("a", 0, 9), b: s * tl.k * Lanes})
			}
			a := newGuarded(rng, 9+(tl.m-1)*tl.lda+tl.k)
			b := newGuarded(rng, tl.n*tl.panel)
			c := newGuarded(rng, (tl.m-1)*tl.ldc+width)
			init := newGuarded(rng, (tl.m-1)*tl.ldi+width)
			tl.a, tl.b, tl.c, tl.init = a.inner, b.inner, c.inner, init.inner
			if rapid.Bool().Draw(t, "residual") {
				tl.residual = newGuarded(rng, len(tl.c)).inner
			}
			if rapid.Bool().Draw(t, "mask") {
				tl.mask = newGuarded(rng, len(tl.c)).inner
			}
			want := make([]float64, 0, tl.m*width)
			for i := range tl.m * width {
				want = append(want, tl.want(i/width, i%width))
			}
			before := append([]float32(nil), tl.c...)
			tl.checkMultiply()
			impl.multiply(tl)
			for i, v := range want {
				at := i/width*tl.ldc + i%width
				require.InDelta(t, v, float64(tl.c[at]), 2e-3, "row %d column %d", i/width, i%width)
				before[at] = tl.c[at]
			}
			require.Equal(t, before, tl.c, "written between the rows")
			c.requireUntouched(t)
		})
	})
}

// A batch computes the same bits as its tiles one by one.
func TestBatches(t *testing.T) {
	forEachBackend(t, func(t *testing.T, impl *implementation) {
		rapid.Check(t, func(t *rapid.T) {
			draw := func(name string, low, high int) int { return rapid.IntRange(low, high).Draw(t, name) }
			tl := &tile{m: draw("m", 1, impl.rows), n: draw("n", 1, impl.panels), k: 4 * draw("k/4", 1, 5)}
			kernel, check := impl.multiply, (*tile).checkMultiply
			tl.panel = tl.k * Lanes
			if rapid.Bool().Draw(t, "accumulate") {
				kernel, check, tl.panel = impl.accumulate, (*tile).checkAccumulate, Lanes
			}
			width := tl.n * Lanes
			tl.lda, tl.ldb, tl.ldc = max(tl.m, tl.k)+draw("lda", 0, 5), width+draw("ldb", 0, 5), width+draw("ldc", 0, 5)
			tl.segments = []segment{{}, {a: draw("a", 0, 9), b: draw("b", 0, 9)}}
			products, tiles := draw("products", 0, 4), draw("tiles", 0, 3)
			tl.products, tl.tiles, tl.left = products, tiles, tiles
			tl.tileA, tl.stepA, tl.stepB = draw("tileA", 0, 30), draw("stepA", 0, 30), draw("stepB", 0, 30)
			tl.tileC, tl.stepC = tl.m*tl.ldc+draw("tileC", 0, 3), tl.m*tl.ldc+draw("stepC", 0, 3)

			products, tiles = max(products, 1), max(tiles, 1)
			place := func(p, i, tile, step int) int { return p*((tiles-1)*tile+step) + i*tile }
			rng := rand.New(rand.NewPCG(12, uint64(tl.k)))
			tl.a = randomFloats(rng, 9+max(tl.m, tl.k)*tl.lda+place(products-1, tiles-1, tl.tileA, tl.stepA))
			tl.b = randomFloats(rng, 9+tl.k*tl.ldb+(products-1)*tl.stepB)
			c := newGuarded(rng, (tl.m-1)*tl.ldc+width+place(products-1, tiles-1, tl.tileC, tl.stepC))
			tl.c, tl.init = c.inner, randomFloats(rng, width)

			single := *tl
			single.products, single.tiles, single.left = 0, 0, 0
			want := append([]float32(nil), tl.c...)
			for p := range products {
				for i := range tiles {
					one := single
					one.a, one.b = tl.a[place(p, i, tl.tileA, tl.stepA):], tl.b[p*tl.stepB:]
					one.c = want[place(p, i, tl.tileC, tl.stepC):]
					check(&one)
					kernel(&one)
				}
			}
			check(tl)
			kernel(tl)
			require.Equal(t, want, tl.c)
			c.requireUntouched(t)
		})
	})
}

// Tiles of every shape sum in the same order, so that they agree to the bit.
func TestTileShapesAgree(t *testing.T) {
	forEachBackend(t, func(t *testing.T, impl *implementation) {
		rng := rand.New(rand.NewPCG(2, 2))
		const k, rows, panels = 24, 12, 2
		base := tile{
			a: newGuarded(rng, rows*k).inner, b: newGuarded(rng, panels*k*Lanes).inner, init: newGuarded(rng, panels*Lanes).inner,
			segments: []segment{{}}, lda: k, ldc: panels * Lanes, panel: k * Lanes, k: k,
		}
		compute := func(m, n int) []float32 {
			c := make([]float32, rows*panels*Lanes)
			for r := 0; r < rows; r += m {
				for p := 0; p < panels; p += n {
					part := base
					part.m, part.n = min(m, rows-r), min(n, panels-p)
					part.a, part.b = base.a[r*k:], base.b[p*k*Lanes:]
					part.c, part.init = c[r*base.ldc+p*Lanes:], base.init[p*Lanes:]
					part.checkMultiply()
					impl.multiply(&part)
				}
			}
			return c
		}
		want := compute(1, 1)
		for m := 1; m <= impl.rows; m++ {
			for n := 1; n <= impl.panels; n++ {
				require.Equal(t, want, compute(m, n), "tiles of %d rows and %d panels", m, n)
			}
		}
	})
}

// The ReLU must not hide a NaN.
func TestRectifyKeepsNaN(t *testing.T) {
	forEachBackend(t, func(t *testing.T, impl *implementation) {
		nan := float32(math.NaN())
		tl := &tile{
			a: []float32{nan, 0, 0, 0}, b: make([]float32, 4*Lanes), c: make([]float32, Lanes), init: make([]float32, Lanes),
			segments: []segment{{}}, m: 1, n: 1, k: 4, relu: 1,
		}
		impl.multiply(tl)
		require.True(t, math.IsNaN(float64(tl.c[3])))

		board := NewGrid(3, 3, 3)
		for _, tiling := range []*tiling{nil, newTiling(3), newTiling(4), newTiling(5)} {
			weights, dst := Backend{impl}.newWeights(9, 1, 1, tiling), make([]float32, 9*Lanes)
			weights.Pack(0, []float32{0, 0, 0, 0, nan, 0, 0, 0, 0}, nil)
			NewWorker(Backend{impl}).Conv(&Conv{Grid: board, Weights: weights, ReLU: true}, &Call{Rows: 1, Src: make([]float32, 9*Lanes), Dst: dst})
			for cell := range 9 {
				require.True(t, math.IsNaN(float64(dst[cell*Lanes])), "cell %d", cell)
			}
		}
	})
}

func TestCheckRefusesReachingOutside(t *testing.T) {
	good := func() *tile {
		return &tile{
			a: make([]float32, 2*8), b: make([]float32, 8*Lanes), c: make([]float32, 2*Lanes), init: make([]float32, Lanes),
			residual: make([]float32, 2*Lanes), mask: make([]float32, 2*Lanes), segments: []segment{{}}, lda: 8, ldc: Lanes, m: 2, n: 1, k: 8,
		}
	}
	require.NotPanics(t, good().checkMultiply)
	for name, spoil := range map[string]func(*tile){
		"a":        func(t *tile) { t.a = t.a[1:] },
		"b":        func(t *tile) { t.b = t.b[1:] },
		"c":        func(t *tile) { t.c = t.c[1:] },
		"init":     func(t *tile) { t.init = t.init[1:] },
		"residual": func(t *tile) { t.residual = t.residual[1:] },
		"mask":     func(t *tile) { t.mask = t.mask[1:] },
		"segment":  func(t *tile) { t.segments[0].b = -1 },
		"k":        func(t *tile) { t.k = 6 },
		"m":        func(t *tile) { t.m = 0 },
	} {
		tl := good()
		spoil(tl)
		require.Panics(t, tl.checkMultiply, name)
	}
}

func TestCheckRefusesBatchesReachingOutside(t *testing.T) {
	good := func() *tile { // two products of three tiles
		return &tile{
			a: make([]float32, 6*2*8), b: make([]float32, 2*8*Lanes), c: make([]float32, 6*2*Lanes), init: make([]float32, Lanes),
			segments: []segment{{}}, lda: 8, ldc: Lanes, m: 2, n: 1, k: 8,
			products: 2, stepA: 2 * 8, stepB: 8 * Lanes, stepC: 2 * Lanes, tiles: 3, left: 3, tileA: 2 * 8, tileC: 2 * Lanes,
		}
	}
	require.NotPanics(t, good().checkMultiply)
	for name, spoil := range map[string]func(*tile){
		"a":         func(t *tile) { t.a = t.a[1:] },
		"b":         func(t *tile) { t.b = t.b[1:] },
		"c":         func(t *tile) { t.c = t.c[1:] },
		"backwards": func(t *tile) { t.tileA = -1 },
		"under way": func(t *tile) { t.left = 2 },
		"begun":     func(t *tile) { t.atC = 1 },
		"residual":  func(t *tile) { t.residual = make([]float32, len(t.c)) },
		"mask":      func(t *tile) { t.mask = make([]float32, len(t.c)) },
	} {
		tl := good()
		spoil(tl)
		require.Panics(t, tl.checkMultiply, name)
	}
}
