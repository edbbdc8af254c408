package arena

// Standing is what one player did in a game of more than two seats.
type Standing struct {
	Name  string     `json:"name"`
	Taken int        `json:"taken"` // seats that it took in every game
	Total Firsts     `json:"total"`
	Seats []Firsts   `json:"seats"` // by seat
	Elo   []Interval `json:"elo"`   // its rating above that of each player; 0 above itself
}

// Rating returns the player's rating, that of the last player being 0.
func (s Standing) Rating() Interval { return s.Elo[len(s.Elo)-1] }

// Firsts counts first places.
type Firsts struct {
	Games  int      `json:"games"`
	Won    float64  `json:"won"`    // games; of a win that k seats share, each has 1/k
	Share  Interval `json:"share"`  // of the games of the complete groups
	Chance float64  `json:"chance"` // the share that it would have if all players were equal
	Payoff Interval `json:"payoff"` // mean of a seat, -1..1: the share in other units
}

// standings returns what each player did. Groups are the complete ones of
// records.
func standings(t *table, records []Record, groups [][]Record) []Standing {
	seats := len(t.seatings[0])
	all := make([]Standing, len(t.players))
	points := make([][]float64, len(t.players)) // by player and group
	for i, players := range t.players {
		all[i] = Standing{
			Name: players[0].Name(), Taken: len(players),
			Total: firsts(records, groups, i, anySeat, float64(len(players))/float64(seats), seats),
		}
		for seat := range seats {
			all[i].Seats = append(all[i].Seats, firsts(records, groups, i, seat, 1/float64(seats), seats))
		}
		points[i], _ = pointsOf(groups, i, anySeat)
	}
	for i := range all {
		for j := range all {
			all[i].Elo = append(all[i].Elo, Interval{})
			if i != j {
				all[i].Elo[j] = difference(points[i], points[j], float64(all[j].Taken)/float64(all[i].Taken))
			}
		}
	}
	return all
}

// anySeat stands for all the seats that a player takes.
const anySeat = -1

// pointsOf returns, by group, a player's points on a seat, and in how many games
// it sat there.
func pointsOf(groups [][]Record, player, seat int) (points, games []float64) {
	points, games = make([]float64, len(groups)), make([]float64, len(groups))
	for i, group := range groups {
		for _, g := range group {
			if seat == anySeat || g.player(seat) == player {
				points[i] += g.points(player, seat)
				games[i]++
			}
		}
	}
	return points, games
}

// firsts returns what a player did on a seat. Seat i, with share x_i of a win, is
// paid (n·x_i - 1)/(n-1) (env.Value.Shares); a player on m of n seats has chance
// m/n and m times the share of its mean seat.
func firsts(records []Record, groups [][]Record, player, seat int, chance float64, seats int) Firsts {
	points, games := pointsOf([][]Record{records}, player, seat)
	share := RatioInterval(pointsOf(groups, player, seat))
	payoff := func(share float64) float64 { return (share/chance - 1) / float64(seats-1) }
	return Firsts{
		Games: int(games[0]), Won: points[0], Share: share, Chance: chance,
		Payoff: Interval{Value: payoff(share.Value), Low: payoff(share.Low), High: payoff(share.High)},
	}
}

// difference returns the rating of one player above another from the points of
// both by group. Against is how many seats the other takes for each of its own.
func difference(points, others []float64, against float64) Interval {
	of := make([]float64, len(points))
	for i := range of {
		of[i] = points[i] + others[i]
	}
	return EloInterval(RatioInterval(points, of), against)
}
