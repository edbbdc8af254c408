package main

// nodes are the points at which a tile of outputs x outputs cells is
// evaluated: 1 and -1, further pairs of opposites, 0, one point without its
// opposite or none, and infinity, in that order. They must equal those of the
// package, which a test sees to.
type nodes struct {
	outputs int
	pairs   []float64 // the positive ones
	single  float64   // 0 for none
}

var tilings = []nodes{
	{outputs: 3, pairs: []float64{1}, single: 2},
	{outputs: 4, pairs: []float64{1, 2}},
	{outputs: 5, pairs: []float64{1, 2}, single: 0.5},
	{outputs: 6, pairs: []float64{1, 2, 0.5}},
}

// inputs returns the cells of a line of a tile's input, which are as many as
// the points.
func (n nodes) inputs() int { return n.outputs + 2 }

// squares returns the coefficients of the product of x²-p² over the pairs
// except the one at index but: of 1, x², x⁴ and so on.
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
