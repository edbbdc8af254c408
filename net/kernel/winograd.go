package kernel

import "slices"

// tiling is a way to compute 3x3 convolutions in tiles of size*size cells (Lavin and Gray 2016,
// "Fast algorithms for convolutional neural networks", sec. 4). In one dimension, size outputs of
// a filter of three are the product of two polynomials, which is determined by its values at
// points = size+2 numbers, one of them infinity. In two dimensions, a tile needs points*points
// products instead of the 9*size*size of the definition.
//
// In float32 the error grows with the number of points. With 64 channels, the relative error
// (root mean square) compared with double precision is 3e-7 for the definition and 8e-7, 1.5e-6
// and 2.3e-6 for sizes 3 to 5.
type tiling struct {
	size   int
	points int

	matrices [transforms][][]float32 // the matrix that each transform multiplies a line by, [results][inputs]
}

// transform is a change between the cells of a tile and its points.
type transform int

const (
	input  transform = iota // a tile's input to points: B transposed
	output                  // points to a tile's output: A transposed
	filter                  // a filter to points: G
	spread                  // the gradient with respect to a tile's output to the gradient with respect to its points: A
	gather                  // the gradient with respect to a filter's points to the gradient with respect to the filter: G transposed
	transforms
)

// toPoints reports whether the transform goes from cells to points.
func (f transform) toPoints() bool { return f == input || f == filter || f == spread }

// side returns the number of cells in a row of the transform's square.
func (t *tiling) side(f transform) int {
	switch f {
	case input:
		return t.points
	case output, spread:
		return t.size
	}
	return 3
}

// numbers lists the points, except infinity, of tiles of size 3 to 5: 1 is first, and opposites
// are adjacent. The generator contains them too.
var numbers = [tilings][]float64{
	{1, -1, 0, 2},
	{1, -1, 2, -2, 0},
	{1, -1, 2, -2, 0, 0.5},
}

const (
	tilings      = 3
	smallestTile = 3 // size of the first tiling
)

// newTiling derives the matrices for tiles of the given size.
func newTiling(size int) *tiling {
	p := numbers[size-smallestTile]
	t := &tiling{size: size, points: size + 2}
	m := &t.matrices
	for i, x := range p {
		others := slices.Delete(slices.Clone(p), i, i+1)
		m[input] = append(m[input], single(append(polynomial(others), 0)))
		scale := 1.0
		for _, y := range others {
			scale *= x - y
		}
		m[filter] = append(m[filter], single([]float64{1 / scale, x / scale, x * x / scale}))
		powers := make([]float64, size)
		for a := range powers {
			powers[a] = power(x, a)
		}
		m[spread] = append(m[spread], single(powers))
	}
	infinity := make([]float32, size)
	infinity[size-1] = 1
	m[input] = append(m[input], single(polynomial(p)))
	m[filter] = append(m[filter], []float32{0, 0, 1})
	m[spread] = append(m[spread], infinity)
	m[output], m[gather] = transposed(m[spread]), transposed(m[filter])
	return t
}

// polynomial returns the coefficients of the product of (x - root) over the roots, the constant
// term first.
func polynomial(roots []float64) []float64 {
	p := []float64{1}
	for _, root := range roots {
		q := make([]float64, len(p)+1)
		for i, c := range p {
			q[i+1] += c
			q[i] -= float64(c * root)
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

func transposed(m [][]float32) [][]float32 {
	t := make([][]float32, len(m[0]))
	for _, row := range m {
		for j, v := range row {
			t[j] = append(t[j], v)
		}
	}
	return t
}

// products returns the number of products of a tile for each pair of channels.
func (t *tiling) products() int { return t.points * t.points }

// tiles returns the number of tiles of a board.
func (t *tiling) tiles(g *Grid) int {
	return (g.Height + t.size - 1) / t.size * ((g.Width + t.size - 1) / t.size)
}

// transformCost is the measured time of the transforms for one point and channel, in units of one
// multiplication.
const transformCost = 6

// bestTiling returns the fastest tiling for a convolution with the given numbers of channels, or
// nil if the definition is faster.
func bestTiling(g *Grid, in, out int) *tiling {
	if g.Size != 3 {
		return nil
	}
	var best *tiling
	taps := 0
	for _, r := range g.runs {
		taps += r.cells * len(r.taps)
	}
	in, out = Pad(in), Pad(out)
	least := taps * in * out
	for i := range tilings {
		t := newTiling(smallestTile + i)
		if cost := t.tiles(g) * t.products() * (in*out + transformCost*(in+out)); cost < least {
			best, least = t, cost
		}
	}
	return best
}

// Tiling describes a way to compute 3x3 convolutions in tiles of Size*Size cells with
// Points*Points products per tile and pair of channels, for implementations elsewhere: a tile is
// transformed by multiplying its columns, and then its rows, by a matrix [results][inputs].
type Tiling struct {
	Size, Points int

	Input, Output  [][]float32 // cells of a tile's input to points, and points to cells of its output
	Filter         [][]float32 // a filter to points
	Spread, Gather [][]float32 // their transposes for gradients: of outputs to points, and of points to the filter
}

// Tilings returns all tilings, the smallest first.
func Tilings() []Tiling {
	var all []Tiling
	for i := range tilings {
		t := newTiling(smallestTile + i)
		m := &t.matrices
		all = append(all, Tiling{t.size, t.points, m[input], m[output], m[filter], m[spread], m[gather]})
	}
	return all
}

// Board is the shape of a board and a tiling of it.
type Board struct {
	Height, Width int
	Tiling        Tiling
	TilesX, Tiles int // tiles in a row of the board, and in total
}

// NewBoard returns a board with the tiling that needs the fewest products.
func NewBoard(height, width int) (best Board) {
	for _, t := range Tilings() {
		b := Board{height, width, t, (width + t.Size - 1) / t.Size, 0}
		b.Tiles = (height + t.Size - 1) / t.Size * b.TilesX
		if best.Tiles == 0 || b.Tiles*b.Points() < best.Tiles*best.Points() {
			best = b
		}
	}
	return best
}

// Cells returns the number of cells of the board.
func (b *Board) Cells() int { return b.Height * b.Width }

// Points returns the number of points of a tile.
func (b *Board) Points() int { return b.Tiling.Points * b.Tiling.Points }
