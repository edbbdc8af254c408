package arena

import "fmt"

// Standing is how one player did in a match.
type Standing struct {
	Name   string `json:"name"`
	Seats  int    `json:"seats"` // seats that it takes in every game
	Result        // on all of its seats

	BySeat      []Result       `json:"by_seat"`
	GroupPoints map[string]int `json:"group_points"` // complete groups by the player's points in them, such as "1.5"
	Elo         []Interval     `json:"elo"`          // its rating above that of each player; 0 above itself
}

// Result is how a player did on one seat, or on all of its seats.
type Result struct {
	Games      int      `json:"games"`
	WDL                 // a game counts once for each of the player's seats
	Points     float64  `json:"points"`      // 1 for a win, 1/k for a win that k seats share, as all do in a draw
	Score      Interval `json:"score"`       // points a game, over the complete groups
	EqualScore float64  `json:"equal_score"` // the score of equal players
	Payoff     Interval `json:"payoff"`      // mean of a seat, -1..1: the score in other units
}

// WDL counts wins, draws and losses. A payoff above 0 is a win, which includes
// wins that are shared; one below 0 is a loss.
type WDL struct {
	Wins   int `json:"wins"`
	Draws  int `json:"draws"`
	Losses int `json:"losses"`
}

func (t *WDL) add(payoff float32) {
	switch {
	case payoff > 0:
		t.Wins++
	case payoff < 0:
		t.Losses++
	default:
		t.Draws++
	}
}

// Sum returns the number of results counted.
func (t WDL) Sum() int { return t.Wins + t.Draws + t.Losses }

// anySeat stands for all the seats that a player takes.
const anySeat = -1

// standings returns how each player did. The players sit as in seating, in one
// of all permutations; groups are the complete ones of records.
func standings(names []string, seating []int, records []GameRecord, groups [][]GameRecord) []Standing {
	seats := len(seating)
	interval := GroupScore
	if seats == 2 {
		interval = PairScore
	}
	all := make([]Standing, len(names))
	points := make([][]float64, len(names)) // by player and group
	for _, player := range seating {
		all[player].Seats++
	}
	for i := range all {
		s := &all[i]
		result := func(seat, taken int) Result {
			equal := float64(taken) / float64(seats)
			return newResult(i, seat, records, interval(pointsIn(groups, i, seat)), equal, seats)
		}
		s.Name, s.Result, s.GroupPoints = names[i], result(anySeat, s.Seats), map[string]int{}
		for seat := range seats {
			s.BySeat = append(s.BySeat, result(seat, 1))
		}
		points[i], _ = pointsIn(groups, i, anySeat)
		for _, x := range points[i] {
			s.GroupPoints[fmt.Sprintf("%.4g", x)]++
		}
	}
	for i := range all {
		all[i].Elo = make([]Interval, len(all))
		for j := range all {
			if i == j {
				continue
			}
			both := make([]float64, len(groups))
			for g := range both {
				both[g] = points[i][g] + points[j][g]
			}
			all[i].Elo[j] = EloInterval(interval(points[i], both), float64(all[j].Seats)/float64(all[i].Seats))
		}
	}
	return all
}

// pointsIn returns, by group, a player's points on a seat, and the number of
// games in which it sat there.
func pointsIn(groups [][]GameRecord, player, seat int) (points, games []float64) {
	points, games = make([]float64, len(groups)), make([]float64, len(groups))
	for i, group := range groups {
		for _, g := range group {
			if seat == anySeat || g.Seating[seat] == player {
				points[i] += g.points(player, seat)
				games[i]++
			}
		}
	}
	return points, games
}

// newResult returns how a player did on a seat. Seat i, with share x_i of a win,
// is paid (n·x_i - 1)/(n-1) (env.Value.Shares); a player on m of n seats has the
// equal score m/n, and m times the points of its mean seat.
func newResult(player, seat int, records []GameRecord, score Interval, equal float64, seats int) Result {
	points, games := pointsIn([][]GameRecord{records}, player, seat)
	payoff := func(score float64) float64 { return (score/equal - 1) / float64(seats-1) }
	result := Result{
		Games: int(games[0]), Points: points[0], Score: score, EqualScore: equal,
		Payoff: Interval{Value: payoff(score.Value), Low: payoff(score.Low), High: payoff(score.High)},
	}
	for _, r := range records {
		for at, payoff := range r.Result {
			if (seat == anySeat || at == seat) && r.Seating[at] == player {
				result.add(payoff)
			}
		}
	}
	return result
}
