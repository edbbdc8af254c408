package ladder

import (
	"math"
	"slices"

	"tiro/arena"
	"tiro/arena/rating"
)

// fitted is a fit of the ladder and of the games that count. A place is an index in
// rater.players.
type fitted struct {
	*rating.Ratings       // nil without any games
	at              []int // by place: index in the fit; -1 if no games link the player with the anchor
	games           []int // by place: number of games, without the ladder's
	last            []int // by place: place of the last opponent, -1 if none
}

// fit fits the ladder and the complete matches among those given.
func (r *rater) fit(matches []*arena.LoggedMatch) (*fitted, error) {
	n := len(r.players)
	f := &fitted{at: slices.Repeat([]int{-1}, n), games: make([]int, n), last: slices.Repeat([]int{-1}, n)}
	played := r.meetings(matches)
	for _, m := range played {
		f.games[m.a] += len(m.records)
		f.games[m.b] += len(m.records)
		f.last[m.a], f.last[m.b] = m.b, m.a
	}
	all := slices.Concat(r.frozen, played)
	linked := make([]bool, n)
	linked[r.Ladder.index(r.Ladder.Anchor)] = true
	for more := true; more; {
		more = false
		for _, m := range all {
			if linked[m.a] != linked[m.b] {
				linked[m.a], linked[m.b], more = true, true, true
			}
		}
	}
	var d rating.Data
	for place, p := range r.players {
		if linked[place] {
			f.at[place] = len(d.Players)
			d.Players = append(d.Players, p.Key())
		}
	}
	d.Anchor = f.at[r.Ladder.index(r.Ladder.Anchor)]
	var pairs [][2]int
	groups := map[[2]int][][]arena.GameRecord{} // by pair, since its later matches may repeat games
	for _, m := range all {
		if linked[m.a] {
			pair := [2]int{f.at[m.a], f.at[m.b]}
			if groups[pair] == nil {
				pairs = append(pairs, pair)
			}
			groups[pair] = append(groups[pair], arena.CompleteGroups(sorted(m.records), r.Game.Spec().Players)...)
		}
	}
	for _, p := range pairs {
		d.Groups = append(d.Groups, rating.Groups(groups[p], p[0], p[1])...)
	}
	if len(d.Groups) == 0 {
		return f, nil
	}
	var err error
	f.Ratings, err = rating.Fit(d)
	return f, err
}

// known returns the indices in the fit of all references.
func (r *rater) known(f *fitted) (all []int) {
	for place := range r.Ladder.Players {
		if f.at[place] >= 0 {
			all = append(all, f.at[place])
		}
	}
	return all
}

// pairs returns the pairs of places for the next round, each with a candidate first. It
// returns nil if all candidates have played enough.
func (r *rater) pairs(f *fitted) [][2]int {
	open, able := make([]bool, len(f.at)), make([]bool, len(f.at)) // by place: whether it needs games, and whether it can play
	before := -1                                                   // place of the previous candidate
	for i, c := range r.Candidates {
		place := r.place[i]
		if !r.reference(place) {
			if c.New != nil && f.at[place] < 0 {
				return [][2]int{{place, r.first(f, before, able)}}
			}
			able[place] = c.New != nil && f.games[place] < r.Games
			open[place] = able[place] && !r.enough(f, place)
		}
		if f.at[place] >= 0 {
			before = place
		}
	}
	return r.choose(f, open, able)
}

// first returns the first opponent of a candidate. Nothing is known about the candidate,
// except that the previous candidate may be an earlier checkpoint of the same run. The
// opponent is therefore a player with a rating near that candidate and a small error. The
// first candidate of all plays the reference in the middle.
func (r *rater) first(f *fitted, before int, able []bool) int {
	middle := len(r.Ladder.Players) / 2
	if before < 0 || f.Ratings == nil {
		return middle
	}
	d := f.Design(r.known(f))
	best, least := middle, math.Inf(1)
	for place, at := range f.at {
		if at < 0 || !r.reference(place) && !able[place] {
			continue
		}
		apart := f.Elo[at] - f.Elo[f.at[before]]
		if off := apart*apart + d.Variance(at); off < least {
			best, least = place, off
		}
	}
	return best
}

// enough reports whether the candidate at a place needs no more games.
func (r *rater) enough(f *fitted, place int) bool {
	games, at := f.games[place], f.at[place]
	switch {
	case games >= r.Games:
		return true
	case f.Bounded(at):
		return games >= beyondGames && r.beyond(f, at)
	}
	return games >= leastGames && f.ErrorGiven(at, r.known(f)) <= r.Error
}

// beyond reports whether a player is rated above or below all references.
func (r *rater) beyond(f *fitted, at int) bool {
	low, high := math.Inf(1), math.Inf(-1)
	for _, reference := range r.known(f) {
		low, high = min(low, f.Elo[reference]), max(high, f.Elo[reference])
	}
	return f.Elo[at] > high || f.Elo[at] < low
}

// roundPart is the reciprocal of the fraction of open candidates that play in a round,
// after which all ratings are fitted again.
const roundPart = 4

// choose returns the pairs of a round. Players marked in open need games; players marked in
// able, and references, can be opponents. Each pair is the one whose games are expected to
// reduce the sum of the variances of the open candidates most, with the references taken as
// known. This is A-optimality in the design of experiments (Pukelsheim 1993, Optimal Design
// of Experiments, 6.5), one step at a time. With four seats this rule would favour games of
// one player against three weaker ones, after which ratings are too low (by 10 ± 6 Elo in
// simulations). There a candidate instead plays the reference against which its expected
// score is closest to an equal score. No candidate plays two opponents in a round, or the
// same opponent twice in a row unless there is no other.
func (r *rater) choose(f *fitted, open, able []bool) (pairs [][2]int) {
	if f.Ratings == nil {
		return nil
	}
	seats := r.Game.Spec().Players
	var wanting []int // indices in the fit
	for place, wants := range open {
		if wants {
			wanting = append(wanting, f.at[place])
		}
	}
	d, taken, again := f.Design(r.known(f)), make([]bool, len(open)), false
	for len(pairs)*roundPart < len(wanting) {
		best, most := [2]int{-1, -1}, 0.0
		for a := range f.at {
			for b := range f.at {
				if !r.mayMeet(f, a, b, open, able) || taken[a] || taken[b] || !again && f.justMet(a, b, open) {
					continue
				}
				gain := 0.0
				switch {
				case seats < 4:
					gain = d.Gain(wanting, f.at[a], f.at[b])
				case open[a] && r.reference(b):
					gain = 1 - f.unevenness(seats, f.at[a], f.at[b])
				}
				if gain > most {
					best, most = [2]int{a, b}, gain
				}
			}
		}
		if best[0] < 0 && !again && len(pairs) == 0 {
			again = true
			continue
		}
		if best[0] < 0 {
			break
		}
		pairs = append(pairs, best)
		taken[best[0]], taken[best[1]] = true, !r.reference(best[1])
		for range batchGames / seats {
			d.Add(f.at[best[0]], f.at[best[1]])
		}
	}
	return pairs
}

// mayMeet reports whether the candidate at place a can play against the reference or earlier
// candidate at place b.
func (r *rater) mayMeet(f *fitted, a, b int, open, able []bool) bool {
	return b < a && able[a] && f.at[b] >= 0 && (r.reference(b) || able[b]) && (open[a] || open[b])
}

// justMet reports whether a pair would repeat the last opponent of a player that needs games.
func (f *fitted) justMet(a, b int, open []bool) bool {
	return open[a] && f.last[a] == b || open[b] && f.last[b] == a
}

// unevenness returns the distance of a's expected score from an equal score, with a on one
// seat and b on the others.
func (f *fitted) unevenness(seats, a, b int) float64 {
	score := 0.0
	for seat := range seats {
		score += f.Expected(seating(seats, seat, a, b))[seat] / float64(seats)
	}
	return math.Abs(score - 1/float64(seats))
}
