package rating

import (
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// covariance returns the covariance of the parameters; see the package comment.
func (f *fit) covariance() *mat.Dense {
	n := f.size()
	bread := inverse(f.information)
	scores := make([]*mat.VecDense, len(f.Groups))
	for i, group := range f.Groups {
		score := make([]float64, n)
		for _, g := range group {
			f.distribution(g.Seating).addScore(score, g.points())
		}
		scores[i] = mat.NewVecDense(n, score)
	}
	middle := mat.NewSymDense(n, nil)
	for _, kind := range f.kinds() {
		information := mat.NewSymDense(n, nil) // information of one group
		for _, g := range f.Groups[kind[0]] {
			f.distribution(g.Seating).addInformation(information, 1)
		}
		var rest mat.Dense // one minus the leverage of a group
		rest.Mul(information, bread)
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
			var x mat.VecDense
			_ = correction.SolveVecTo(&x, false, scores[group]) // an error only means that the solution is inexact
			middle.SymRankOne(middle, 1, &x)
		}
		middle.AddSym(middle, information)
	}
	var sandwich mat.Dense
	sandwich.Product(bread, middle, bread)
	return &sandwich
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
