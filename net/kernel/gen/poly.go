package main

import "slices"

// nodes are the points at which the polynomials of a tile of outputs x outputs cells are
// evaluated: pairs of opposites, 0, at most one point without its opposite, and infinity, in this
// order. They must equal the package's points, which a test checks.
type nodes struct {
	outputs int
	pairs   []float64 // the positive point of each pair
	single  float64   // 0 if there is none
}

var tilings = []nodes{
	{outputs: 3, pairs: []float64{1}, single: 2},
	{outputs: 4, pairs: []float64{1, 2}},
	{outputs: 5, pairs: []float64{1, 2}, single: 0.5},
}

// points returns the number of points, which is also the number of cells in a line of a tile's
// input.
func (n nodes) points() int { return n.outputs + 2 }

// finite returns the points without infinity.
func (n nodes) finite() []float64 {
	var all []float64
	for _, p := range n.pairs {
		all = append(all, p, -p)
	}
	all = append(all, 0)
	if n.single != 0 {
		all = append(all, n.single)
	}
	return all
}

// squares returns the coefficients of the product of (x²-p²) over the pairs except the one at
// index but: of 1, x², x⁴ and so on.
func (n nodes) squares(but int) []float64 {
	p := []float64{1}
	for i, root := range n.pairs {
		if i == but {
			continue
		}
		q := make([]float64, len(p)+1)
		for j, c := range p {
			q[j+1] += c
			q[j] -= c * root * root
		}
		p = q
	}
	return p
}

// filter returns the matrix G, [points][3]: row p has 1, p and p², each divided by the product of
// (p-q) over all other finite points q; the row of infinity is 0, 0, 1.
func (n nodes) filter() [][]float64 {
	var rows [][]float64
	all := n.finite()
	for i, p := range all {
		scale := 1.0
		for j, q := range all {
			if j != i {
				scale *= p - q
			}
		}
		rows = append(rows, []float64{1 / scale, p / scale, p * p / scale})
	}
	return append(rows, []float64{0, 0, 1})
}

func power(x float64, n int) float64 {
	y := 1.0
	for range n {
		y *= x
	}
	return y
}

// distinct returns the numbers that need a constant, without duplicates, in their order.
func distinct(values ...[]float64) []float64 {
	seen := []float64{1, -1, 0}
	for _, v := range slices.Concat(values...) {
		if !slices.Contains(seen, v) {
			seen = append(seen, v)
		}
	}
	return seen[3:]
}
