package kernel

import "slices"

// tiling is a way to compute 3x3 convolutions by tiles of size*size cells
// (Lavin and Gray 2016, "Fast algorithms for convolutional neural networks",
// sec. 4). A line of size outputs of a filter of three is the product of two
// polynomials, fixed by its values at points = size+2 numbers, infinity among
// them; in two dimensions a tile takes points*points products where the
// definition takes 9*size*size.
//
// In float32 the error grows with the points. On 64 channels, against double
// precision, the relative error (root mean square) is 3e-7 for the definition
// and 8e-7, 1.5e-6, 2.3e-6 and 2.9e-6 for sizes 3 to 6.
type tiling struct {
	size   int
	points int

	input  [][]float32 // [points][points], B transposed: cells of a line to its points
	output [][]float32 // [size][points], A transposed: points to cells
	filter [][]float64 // [points][3], G: a filter's line to points
}

// numbers at which tiles of size 3 to 6 are evaluated, infinity apart: 1 first,
// opposites side by side. The generator knows them too.
var numbers = [][]float64{
	{1, -1, 0, 2},
	{1, -1, 2, -2, 0},
	{1, -1, 2, -2, 0, 0.5},
	{1, -1, 2, -2, 0.5, -0.5, 0},
}

// smallestTile is the size of the first entry of numbers.
const smallestTile = 3

// newTiling derives the matrices from the numbers p at which polynomials are
// evaluated.
func newTiling(size int) *tiling {
	p := numbers[size-smallestTile]
	n := size + 2
	t := &tiling{size: size, points: n}
	for i, x := range p {
		others := slices.Delete(slices.Clone(p), i, i+1)
		t.input = append(t.input, single(append(polynomial(others), 0)))
		scale := 1.0
		for _, y := range others {
			scale *= x - y
		}
		t.filter = append(t.filter, []float64{1 / scale, x / scale, x * x / scale})
	}
	t.input = append(t.input, single(polynomial(p)))
	t.filter = append(t.filter, []float64{0, 0, 1})
	for a := range size {
		row := make([]float32, n)
		for i, x := range p {
			row[i] = float32(power(x, a))
		}
		if a == size-1 {
			row[n-1] = 1
		}
		t.output = append(t.output, row)
	}
	return t
}

// polynomial returns the coefficients of the product of x - root, constant
// first.
func polynomial(roots []float64) []float64 {
	p := []float64{1}
	for _, root := range roots {
		q := make([]float64, len(p)+1)
		for i, c := range p {
			q[i+1] += c
			q[i] -= c * root
		}
		p = q
	}
	return p
}

func power(x float64, n int) float64 {
	y := 1.0
	for range n {
		y *= x
	}
	return y
}

func single(x []float64) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32(v)
	}
	return y
}

// products returns how many products a tile takes for each pair of channels.
func (t *tiling) products() int { return t.points * t.points }

// tiles returns how many tiles a board takes.
func (t *tiling) tiles(g *Grid) int {
	return (g.Height + t.size - 1) / t.size * ((g.Width + t.size - 1) / t.size)
}

// bestTiling returns the tiling that takes the least time for a convolution of
// so many channels, or nil if the definition takes less.
func bestTiling(g *Grid, in, out int) *tiling {
	if g.Size != 3 {
		return nil
	}
	var best *tiling
	taps := 0
	for _, r := range g.runs {
		taps += r.cells * len(r.taps)
	}
	least := taps * in * out
	for i := range numbers {
		t := newTiling(smallestTile + i)
		if cost := t.tiles(g) * t.products() * (in*out + transformCost*(in+out)); cost < least {
			best, least = t, cost
		}
	}
	return best
}

// transformCost is the time of a point's transforms for one channel, in
// multiplications: measured.
const transformCost = 8

// transform writes G·f·Gᵀ, [points*points], of a filter f [3*3].
func (t *tiling) transform(dst []float64, f []float32) {
	for i, row := range t.filter {
		var line [3]float64
		for x := range line {
			line[x] = row[0]*float64(f[x]) + row[1]*float64(f[3+x]) + row[2]*float64(f[6+x])
		}
		for j, col := range t.filter {
			dst[i*t.points+j] = col[0]*line[0] + col[1]*line[1] + col[2]*line[2]
		}
	}
}
