package kernel

// Lanes is the number of columns of a panel: 16 floats, one cache line.
const Lanes = 16

// Pad returns n rounded up to whole panels.
func Pad(n int) int { return (n + Lanes - 1) / Lanes * Lanes }

// segment is one product in the sum that a tile computes: the offset of its rows in tile.a and of
// its part of a panel in tile.b, in elements.
type segment struct{ a, b int }

// tile is the building block of every product. For each of m rows and of n panels of Lanes
// columns, it computes
//
//	c[row] = act(init[row] + Σ over segments Σ over k  a[row, k]·b[k] + residual[row])
//
// summed from left to right, whatever m and n are, so that the bits of a result do not depend on
// the shape of the tile. There are two kernels. multiply reads a row by row and b from packed
// panels. accumulate reads a and b row by row in k, and supports no residual, mask or ReLU. The
// generator in gen contains the offsets of the fields, which a test compares.
type tile struct {
	a        []float32 // a[row, k] is at segment.a + row*lda + k; for accumulate at segment.a + k*lda + row
	b        []float32 // row k of panel p is at segment.b + p*panel + k*Lanes; for accumulate k*ldb
	c        []float32 // row r begins at r*ldc, its panel p at r*ldc + p*Lanes
	init     []float32 // the initial sums: row r begins at r*ldi
	residual []float32 // laid out like c, or nil
	segments []segment
	lda      int
	ldc      int
	ldi      int // 0 if all rows have the same initial sums
	panel    int
	m, n     int       // at least 1 and at most the implementation's rows and panels
	k        int       // a multiple of 4 for multiply
	relu     int       // 1 to replace negative results by 0
	mask     []float32 // laid out like c, or nil; results become 0 where it is not positive
	ldb      int

	// A batch is a number of products (one if 0), each with a column of tiles of the same shape
	// (one if 0) and its own part of b. From tile to tile, a and c advance by tileA and tileC
	// elements; after the last tile of a product, a, b and c advance by stepA, stepB and stepC.
	// The kernels count products and left down, and atA, atB and atC up from 0.
	products            int
	stepA, stepB, stepC int
	atA, atB, atC       int
	tiles, left         int
	tileA, tileC        int
}

// checkMultiply panics if multiply would reach outside the tile's slices. The assembly does not
// check.
func (t *tile) checkMultiply() {
	if t.k%4 != 0 {
		panic("kernel: the length of the sum is not a multiple of 4")
	}
	t.check((t.m-1)*t.lda+t.k, (t.n-1)*t.panel+t.k*Lanes)
}

// checkAccumulate is checkMultiply for accumulate.
func (t *tile) checkAccumulate() {
	if t.ldb < 0 || t.residual != nil || t.mask != nil || t.relu != 0 {
		panic("kernel: accumulate does not support a residual, mask or ReLU")
	}
	t.check((t.k-1)*t.lda+t.m, (t.k-1)*t.ldb+(t.n-1)*t.panel+Lanes)
}

// check panics if a segment reaches beyond lenA elements after its offset in a, or lenB after its
// offset in b, or if a row reaches outside the other slices.
func (t *tile) check(lenA, lenB int) {
	products, tiles := max(t.products-1, 0), max(t.tiles-1, 0)
	if t.m < 1 || t.n < 1 || t.k < 1 || t.lda < 0 || t.ldc < 0 || t.ldi < 0 || t.panel < 0 || len(t.segments) == 0 ||
		t.tileA < 0 || t.tileC < 0 || tiles*t.tileA+t.stepA < 0 || t.stepB < 0 || tiles*t.tileC+t.stepC < 0 ||
		t.atA != 0 || t.atB != 0 || t.atC != 0 || t.left != t.tiles ||
		products+tiles > 0 && (t.residual != nil || t.mask != nil) {
		panic("kernel: tile of impossible shape")
	}
	width := t.n * Lanes
	out := (t.m-1)*t.ldc + width
	lastA, lastC := tiles*t.tileA, tiles*t.tileC // after all tiles of a product but the last
	fits := out+products*(lastC+t.stepC)+lastC <= len(t.c) && (t.m-1)*t.ldi+width <= len(t.init) &&
		(t.residual == nil || out <= len(t.residual)) && (t.mask == nil || out <= len(t.mask))
	lenA += products*(lastA+t.stepA) + lastA
	lenB += products * t.stepB
	for _, s := range t.segments {
		fits = fits && s.a >= 0 && s.a+lenA <= len(t.a) && s.b >= 0 && s.b+lenB <= len(t.b)
	}
	if !fits {
		panic("kernel: tile outside its memory")
	}
}

// multiplyGo is the pure Go counterpart of the assembly. It computes blocks of two rows and four
// columns, which fit in the scalar registers of most CPUs.
func multiplyGo(t *tile) {
	t.squares(multiplySquareGo)
}

// squares calls f for all blocks of two rows and four columns of the batch: rows r0 and r1 of
// panel p, and four columns starting at col. For the last of an odd number of rows, r0 and r1 are
// equal.
func (t *tile) squares(f func(t *tile, p, r0, r1, col int)) {
	for range max(t.products, 1) {
		for i := range max(t.tiles, 1) {
			if i > 0 {
				t.atA, t.atC = t.atA+t.tileA, t.atC+t.tileC
			}
			for p := range t.n {
				for r := 0; r < t.m; r += 2 {
					for col := 0; col < Lanes; col += 4 {
						f(t, p, r, min(r+1, t.m-1), col)
					}
				}
			}
		}
		t.atA, t.atB, t.atC = t.atA+t.stepA, t.atB+t.stepB, t.atC+t.stepC
	}
}

func multiplySquareGo(t *tile, p, r0, r1, col int) {
	at := p*Lanes + col
	i0, i1 := t.init[r0*t.ldi+at:][:4], t.init[r1*t.ldi+at:][:4]
	x0, x1, x2, x3 := i0[0], i0[1], i0[2], i0[3]
	y0, y1, y2, y3 := i1[0], i1[1], i1[2], i1[3]
	for _, s := range t.segments {
		a, b := t.a[t.atA+s.a:], t.b[t.atB+s.b+p*t.panel+col:]
		ax, ay := a[r0*t.lda:][:t.k], a[r1*t.lda:][:t.k]
		for k, x := range ax {
			y, w := ay[k], b[k*Lanes:][:4]
			x0 += float32(x * w[0])
			x1 += float32(x * w[1])
			x2 += float32(x * w[2])
			x3 += float32(x * w[3])
			y0 += float32(y * w[0])
			y1 += float32(y * w[1])
			y2 += float32(y * w[2])
			y3 += float32(y * w[3])
		}
	}
	t.finish(t.atC+r0*t.ldc+at, [4]float32{x0, x1, x2, x3})
	if r1 != r0 {
		t.finish(t.atC+r1*t.ldc+at, [4]float32{y0, y1, y2, y3})
	}
}

// finish adds the residual, applies the ReLU and the mask, and stores four columns at c[at:].
func (t *tile) finish(at int, sum [4]float32) {
	for i, v := range sum {
		if t.residual != nil {
			v += t.residual[at+i]
		}
		if t.relu != 0 && v < 0 {
			v = 0
		}
		if t.mask != nil && !(t.mask[at+i] > 0) {
			v = 0
		}
		t.c[at+i] = v
	}
}

// accumulateGo is the pure Go counterpart of accumulate in assembly.
func accumulateGo(t *tile) { t.squares(accumulateSquareGo) }

func accumulateSquareGo(t *tile, p, r0, r1, col int) {
	at := p*Lanes + col
	i0, i1 := t.init[r0*t.ldi+at:][:4], t.init[r1*t.ldi+at:][:4]
	x0, x1, x2, x3 := i0[0], i0[1], i0[2], i0[3]
	y0, y1, y2, y3 := i1[0], i1[1], i1[2], i1[3]
	for _, s := range t.segments {
		a, b := t.a[t.atA+s.a:], t.b[t.atB+s.b+p*t.panel+col:]
		for k := range t.k {
			x, y, w := a[k*t.lda+r0], a[k*t.lda+r1], b[k*t.ldb:][:4]
			x0 += float32(x * w[0])
			x1 += float32(x * w[1])
			x2 += float32(x * w[2])
			x3 += float32(x * w[3])
			y0 += float32(y * w[0])
			y1 += float32(y * w[1])
			y2 += float32(y * w[2])
			y3 += float32(y * w[3])
		}
	}
	copy(t.c[t.atC+r0*t.ldc+at:], []float32{x0, x1, x2, x3})
	copy(t.c[t.atC+r1*t.ldc+at:], []float32{y0, y1, y2, y3})
}
