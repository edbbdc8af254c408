package rating

// Design weighs games that might be played next, by how much they would tell. Like the
// design of any experiment it trusts the model: variances come from the information of
// the games, not from how they ended. It is not safe for concurrent use.
type Design struct {
	r          *Ratings
	row        []int  // by parameter, its row in covariance; -1 if it is known
	covariance matrix // of the parameters that are not known
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
	information := newMatrix(len(unknown))
	for i, a := range unknown {
		for j, b := range unknown {
			information[i][j] = r.fit.information[a][b]
		}
	}
	d.covariance, _ = information.inverse() // the prior makes it positive definite
	return d
}

// Variance returns the variance of a player's rating, in Elo squared.
func (d *Design) Variance(player int) float64 {
	row := d.row[player]
	if row < 0 {
		return 0
	}
	return d.r.scale * d.r.scale * d.covariance[row][row]
}

// Gain returns by how much the variances of the ratings of players would fall, all
// together, in Elo squared, with one game of each seating more.
func (d *Design) Gain(players []int, seatings [][]int) float64 {
	rows, middle := d.update(seatings)
	sum := 0.0
	for _, player := range players {
		row := d.row[player]
		if row < 0 {
			continue
		}
		for i, a := range rows {
			for j, b := range rows {
				sum += d.covariance[row][a] * middle[i][j] * d.covariance[b][row]
			}
		}
	}
	return d.r.scale * d.r.scale * sum
}

// Add counts one game of each seating as played. The ratings stay.
func (d *Design) Add(seatings [][]int) {
	rows, middle := d.update(seatings)
	n := len(d.covariance)
	left := newMatrix(n)
	for i := range n {
		left[i] = make([]float64, len(rows))
		for j := range rows {
			for k, a := range rows {
				left[i][j] += d.covariance[i][a] * middle[k][j]
			}
		}
	}
	next := d.covariance.clone()
	for i := range n {
		for j := range n {
			for k, b := range rows {
				next[i][j] -= left[i][k] * d.covariance[b][j]
			}
		}
	}
	d.covariance = next
}

// update returns the rows R of the covariance C and the matrix M for which C becomes
// C - C[:,R]·M·C[R,:] when the games are played: with their information J, M is
// (J⁻¹ + C[R,R])⁻¹ (Woodbury 1950), here as J·(1 + C[R,R]·J)⁻¹, since J may be singular.
func (d *Design) update(seatings [][]int) (rows []int, middle matrix) {
	f := d.r.fit
	place := make([]int, f.size())
	distributions := make([]*distribution, len(seatings))
	for i, seating := range seatings {
		distributions[i] = f.newDistribution(seating)
		distributions[i].set(f.parameters)
		for _, at := range distributions[i].touched {
			if d.row[at] >= 0 && place[at] == 0 {
				rows = append(rows, d.row[at])
				place[at] = len(rows)
			}
		}
	}
	games := newMatrix(len(rows))
	for _, x := range distributions {
		x.addPart(games, place)
	}
	rest := newMatrix(len(rows)) // 1 + C·J
	for i := range rows {
		for j := range rows {
			for k, b := range rows {
				rest[i][j] += d.covariance[rows[i]][b] * games[k][j]
			}
		}
		rest[i][i]++
	}
	inverse, ok := rest.inverse()
	if !ok { // by rounding only: its eigenvalues are 1 or more
		return nil, nil
	}
	return rows, games.multiply(inverse)
}

// addPart adds the information of a game to m, a matrix of some parameters only: place
// is, by parameter, one more than its row, 0 for one without a row.
func (d *distribution) addPart(m matrix, place []int) {
	for i, fs := range d.features {
		for _, f := range fs {
			for _, g := range fs {
				if a, b := place[f.at]-1, place[g.at]-1; a >= 0 && b >= 0 {
					m[a][b] += d.p[i] * (f.x * g.x)
				}
			}
		}
	}
	for _, p := range d.touched {
		for _, q := range d.touched {
			if a, b := place[p]-1, place[q]-1; a >= 0 && b >= 0 {
				m[a][b] -= d.mean[p] * d.mean[q]
			}
		}
	}
}
