package arena

import (
	"fmt"

	"tiro/env"
)

// Standing is one player's result in a match.
type Standing struct {
	Name   string `json:"name"`  // name of the player in the match
	Seats  int    `json:"seats"` // seats that it takes in every game
	Result        // result on all of its seats

	Effort     Effort `json:"effort"`                // total effort
	TrainedFor string `json:"trained_for,omitempty"` // game string that its network was trained for, if any

	BySeat      []Result       `json:"by_seat"`      // the fields games to payoff for each seat
	GroupPoints map[string]int `json:"group_points"` // complete groups by the player's points; pentanomial with two seats
	Elo         []Interval     `json:"elo"`          // by player: estimated Elo above that player
}

// Result is a player's result on one seat, or on all of its seats.
type Result struct {
	Games      int      `json:"games"` // games, each counted once
	WDL                 // a game counts once for each of the player's seats
	Points     float64  `json:"points"`      // 1 for a win, 1/k for a win shared by k seats (a draw: by all)
	Score      Interval `json:"score"`       // points per game, from the complete groups
	EqualScore float64  `json:"equal_score"` // score if all players were equal
	Payoff     Interval `json:"payoff"`      // mean payoff of a seat, -1 to 1
}

// WDL counts wins, draws and losses. A payoff above 0 is a win, including shared
// wins, and a payoff below 0 is a loss.
type WDL struct {
	Wins   int `json:"wins"`   // wins of each seat, shared ones included
	Draws  int `json:"draws"`  // draws of each seat
	Losses int `json:"losses"` // losses of each seat
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

// anySeat selects all seats of a player.
const anySeat = -1

// standings returns the standing of each player. seating is one of the match's
// seatings, and groups are the complete groups of records. Repeated groups count in
// the scores, but are no evidence for the intervals.
func standings(names []string, seating []int, records []GameRecord, groups [][]GameRecord) []Standing {
	repeated := Repeats(groups)
	interval := func(points, games []float64) Interval { return GroupScore(len(seating), points, games, repeated) }
	all := make([]Standing, len(names))
	points := make([][]float64, len(names)) // by player and group
	for _, player := range seating {
		all[player].Seats++
	}
	for i := range all {
		s := &all[i]
		result := func(seat, taken int) Result {
			r := Result{EqualScore: float64(taken) / float64(len(seating))}
			r.Points, r.Games, r.WDL = tally(records, i, seat)
			r.Score = interval(groupPoints(groups, i, seat))
			// A seat with share x of a win is paid (n·x - 1)/(n-1) (env.Value.Shares).
			payoff := func(score float64) float64 { return (score/r.EqualScore - 1) / float64(len(seating)-1) }
			r.Payoff = Interval{Value: payoff(r.Score.Value), Low: payoff(r.Score.Low), High: payoff(r.Score.High)}
			return r
		}
		s.Name, s.Result, s.GroupPoints = names[i], result(anySeat, s.Seats), map[string]int{}
		for seat := range seating {
			s.BySeat = append(s.BySeat, result(seat, 1))
		}
		points[i], _ = groupPoints(groups, i, anySeat)
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

// groupPoints returns for each group a player's points on a seat, and the number of
// games in which it sat there.
func groupPoints(groups [][]GameRecord, player, seat int) (points, games []float64) {
	for _, group := range groups {
		p, n, _ := tally(group, player, seat)
		points, games = append(points, p), append(games, float64(n))
	}
	return points, games
}

// tally sums up a player's points and results on a seat, and counts the games in
// which it sat there. A win is 1 point, a loss is 0, and a shared win is divided
// equally (env.Value.Shares).
func tally(records []GameRecord, player, seat int) (points float64, games int, wdl WDL) {
	for _, r := range records {
		var v env.Value
		copy(v[:], r.Result)
		shares := v.Shares(len(r.Result))
		sum, sits := 0.0, false
		for at, payoff := range r.Result {
			if r.Seating[at] == player && (seat == anySeat || seat == at) {
				sum += shares[at]
				wdl.add(payoff)
				sits = true
			}
		}
		if sits {
			points += sum
			games++
		}
	}
	return points, games, wdl
}
