package rating

import (
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// covariance returns the covariance of the parameters; see the package comment.
func (f *fit) covariance() *mat.Dense {
	n := f.size()
	bread, middle := inverse(f.information), mat.NewSymDense(n, nil)
	score, information := make([]float64, n), mat.NewSymDense(n, nil) // of one group
	for _, kind := range f.kinds() {
		information.Zero()
		var at []int // the parameters of the group's games
		for _, g := range f.Groups[kind[0]] {
			d := f.distribution(g.Seating)
			d.addInformation(information, 1)
			at = append(at, d.touched...)
		}
		slices.Sort(at)
		at = slices.Compact(at)
		sum := part(information, at)
		var rest mat.Dense // one minus the leverage of a group
		rest.Mul(sum, part(bread, at))
		rest.Apply(func(i, j int, x float64) float64 {
			if i == j {
				return 1 - x
			}
			return -x
		}, &rest)
		var correction mat.LU
		correction.Factorize(&rest)
		if correction.Det() == 0 {
			continue
		}
		for _, group := range kind {
			clear(score)
			for _, g := range f.Groups[group] {
				f.distribution(g.Seating).addScore(score, g.points())
			}
			own := mat.NewVecDense(len(at), nil)
			for i, p := range at {
				own.SetVec(i, score[p])
			}
			_ = correction.SolveVecTo(own, false, own) // an error only means that the solution is inexact
			sum.SymRankOne(sum, 1, own)
		}
		for i, p := range at {
			for j, q := range at[:i+1] {
				middle.SetSym(p, q, middle.At(p, q)+sum.At(i, j))
			}
		}
	}
	var sandwich mat.Dense
	sandwich.Product(bread, middle, bread)
	return &sandwich
}

// part returns the rows and columns of m with the given indices.
func part(m *mat.SymDense, at []int) *mat.SymDense {
	s := mat.NewSymDense(len(at), nil)
	for i, p := range at {
		for j, q := range at[:i+1] {
			s.SetSym(i, j, m.At(p, q))
		}
	}
	return s
}

// kinds returns the indices of the groups, collected by the seatings played in them.
func (f *fit) kinds() [][]int {
	var kinds [][]int
	at := map[string]int{}
	for i, group := range f.Groups {
		if len(group) == 0 {
			continue
		}
		var seatings []string
		for _, g := range group {
			seatings = append(seatings, seatingKey(g.Seating))
		}
		slices.Sort(seatings)
		key := strings.Join(seatings, "")
		if _, ok := at[key]; !ok {
			at[key] = len(kinds)
			kinds = append(kinds, nil)
		}
		kinds[at[key]] = append(kinds[at[key]], i)
	}
	return kinds
}
