package rating

import (
	"math"
	"slices"
)

// matrix is square and dense. Package mat of Gonum is not used here because its
// sums are in another order on other processors: which players meet next depends on
// the last bit, and matches are to be the same everywhere.
type matrix [][]float64

func newMatrix(n int) matrix {
	m := make(matrix, n)
	for i := range m {
		m[i] = make([]float64, n)
	}
	return m
}

// inverse returns the inverse of m, by Gauss-Jordan elimination with pivots in
// columns. It reports whether m has one.
func (m matrix) inverse() (matrix, bool) {
	n := len(m)
	a, inv := newMatrix(n), newMatrix(n)
	for i := range m {
		copy(a[i], m[i])
		inv[i][i] = 1
	}
	for c := range n {
		pivot := c
		for r := c + 1; r < n; r++ {
			if math.Abs(a[r][c]) > math.Abs(a[pivot][c]) {
				pivot = r
			}
		}
		if a[pivot][c] == 0 {
			return nil, false
		}
		a[c], a[pivot] = a[pivot], a[c]
		inv[c], inv[pivot] = inv[pivot], inv[c]
		scale := a[c][c]
		for j := range n {
			a[c][j] /= scale
			inv[c][j] /= scale
		}
		for r := range n {
			if f := a[r][c]; r != c && f != 0 {
				for j := range n {
					a[r][j] -= f * a[c][j]
					inv[r][j] -= f * inv[c][j]
				}
			}
		}
	}
	return inv, true
}

// times returns m·x.
func (m matrix) times(x []float64) []float64 {
	y := make([]float64, len(m))
	for i, row := range m {
		y[i] = dot(row, x)
	}
	return y
}

// multiply returns m·o.
func (m matrix) multiply(o matrix) matrix {
	p := newMatrix(len(m))
	for i, row := range m {
		for k, x := range row {
			if x == 0 {
				continue
			}
			for j, y := range o[k] {
				p[i][j] += x * y
			}
		}
	}
	return p
}

// transform returns t·m·tᵀ, where t has as many columns as m.
func (m matrix) transform(t [][]float64) matrix {
	out := make(matrix, len(t))
	for i, row := range t {
		mt := m.times(row)
		for _, other := range t {
			out[i] = append(out[i], dot(other, mt))
		}
	}
	return out
}

// addOuter adds x·xᵀ.
func (m matrix) addOuter(x []float64) {
	for i, a := range x {
		if a == 0 {
			continue
		}
		for j, b := range x {
			m[i][j] += a * b
		}
	}
}

// clone returns a copy.
func (m matrix) clone() matrix {
	c := make(matrix, len(m))
	for i := range m {
		c[i] = slices.Clone(m[i])
	}
	return c
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}
