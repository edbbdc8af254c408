package rating

import (
	"slices"
	"strings"
)

// covariance returns the covariance of the parameters: see the package comment.
func (f *fit) covariance() matrix {
	inverse, _ := f.information.inverse() // the prior makes it positive definite
	scores := make([][]float64, len(f.Groups))
	for i := range scores {
		scores[i] = make([]float64, f.size())
	}
	for i, group := range f.Groups {
		for _, g := range group {
			d := f.distribution(g.Seating)
			d.addScore(scores[i], d.outcome(g.Winners), 1)
		}
	}
	middle := newMatrix(f.size())
	for _, kind := range f.kinds() {
		information := newMatrix(f.size()) // of one group
		for _, g := range f.Groups[kind[0]] {
			f.distribution(g.Seating).addInformation(information, 1)
		}
		rest := newMatrix(f.size()) // one minus the leverage of a group
		for i, row := range information.multiply(inverse) {
			for j, x := range row {
				rest[i][j] = -x
			}
			rest[i][i]++
		}
		correction, ok := rest.inverse()
		if !ok {
			continue
		}
		for _, group := range kind {
			middle.addOuter(correction.times(scores[group]))
		}
		for i, row := range information {
			for j, x := range row {
				middle[i][j] += x
			}
		}
	}
	return middle.transform(inverse)
}

// kinds returns the groups in which the same seatings were played, together.
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
