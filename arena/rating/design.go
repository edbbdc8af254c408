package rating

import (
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Design weighs games that might be played next, by how much they would tell. Like the
// design of any experiment it trusts the model: variances come from the information of
// the games, not from how they ended. It is not safe for concurrent use.
type Design struct {
	r          *Ratings
	row        []int      // by parameter, its row in covariance; -1 if it is known
	covariance *mat.Dense // of the parameters that are not known
}

// Design returns the design for games that are to be played after those of r. The
// strengths of the players in known, and of the anchor, are taken to be known exactly.
func (r *Ratings) Design(known []int) *Design {
	d := &Design{r: r, row: make([]int, r.fit.size())}
	d.row[r.Anchor] = -1
	for _, player := range known {
		d.row[player] = -1
	}
	var unknown []int
	for i, row := range d.row {
		if row >= 0 {
			d.row[i] = len(unknown)
			unknown = append(unknown, i)
		}
	}
	if len(unknown) == 0 {
		return d
	}
	information := mat.NewSymDense(len(unknown), nil)
	for i, a := range unknown {
		for j, b := range unknown {
			information.SetSym(i, j, r.fit.information.At(a, b))
		}
	}
	d.covariance = mat.DenseCopyOf(inverse(information))
	return d
}

// Variance returns the variance of a player's rating, in Elo squared.
func (d *Design) Variance(player int) float64 {
	row := d.row[player]
	if row < 0 {
		return 0
	}
	return d.r.scale * d.r.scale * d.covariance.At(row, row)
}

// Gain returns by how much the variances of the ratings of players would fall, all
// together, in Elo squared, with one game of each seating more.
func (d *Design) Gain(players []int, seatings [][]int) float64 {
	part, middle := d.update(seatings)
	sum := 0.0
	for _, player := range players {
		if row := d.row[player]; row >= 0 && middle != nil {
			x := part.RowView(row)
			sum += mat.Inner(x, middle, x)
		}
	}
	return d.r.scale * d.r.scale * sum
}

// Add counts one game of each seating as played. The ratings stay.
func (d *Design) Add(seatings [][]int) {
	part, middle := d.update(seatings)
	if middle == nil {
		return
	}
	var change mat.Dense
	change.Product(part, middle, part.T())
	d.covariance.Sub(d.covariance, &change)
}

// update returns the columns C[:,R] of the covariance C and the matrix M for which C
// becomes C - C[:,R]·M·C[R,:] when the games are played: with their information J, M is
// (J⁻¹ + C[R,R])⁻¹ (Woodbury 1950), here as J·(1 + C[R,R]·J)⁻¹, since J may be singular.
// M is nil if the games say nothing of unknown parameters.
func (d *Design) update(seatings [][]int) (part, middle *mat.Dense) {
	f := d.r.fit
	place := slices.Repeat([]int{-1}, f.size()) // among rows, by parameter
	var rows []int
	distributions := make([]*distribution, len(seatings))
	for i, seating := range seatings {
		distributions[i] = f.newDistribution(seating)
		distributions[i].set(f.parameters)
		for _, at := range distributions[i].touched {
			if d.row[at] >= 0 && place[at] < 0 {
				place[at] = len(rows)
				rows = append(rows, d.row[at])
			}
		}
	}
	if len(rows) == 0 {
		return nil, nil
	}
	games := mat.NewSymDense(len(rows), nil)
	for _, x := range distributions {
		x.addPart(games, 1, func(parameter int) int { return place[parameter] })
	}
	n, _ := d.covariance.Dims()
	part = mat.NewDense(n, len(rows), nil)
	own := mat.NewDense(len(rows), len(rows), nil)
	for j, row := range rows {
		part.SetCol(j, mat.Col(nil, row, d.covariance))
		for i, other := range rows {
			own.Set(i, j, d.covariance.At(other, row))
		}
	}
	var rest, inverse mat.Dense // rest is 1 + C·J, whose eigenvalues are 1 or more
	rest.Mul(own, games)
	for i := range rows {
		rest.Set(i, i, rest.At(i, i)+1)
	}
	_ = inverse.Inverse(&rest) // an error says only that it is not exact
	middle = new(mat.Dense)
	middle.Mul(games, &inverse)
	return part, middle
}
