package ladder

import (
	"fmt"
	"math"
	"slices"

	"tiro/arena/rating"
)

// fitted is a fit of the ladder and of some rounds of the pool. Places are of the
// references of the ladder first, then of the candidates of the pool.
type fitted struct {
	*rating.Ratings
	at    []int // by place, that in the fit; -1 for a candidate that has met nobody
	games []int // by place, of candidates
	last  []int // by place, whom the player met last; -1: nobody
}

// everyRound is after all rounds.
const everyRound = math.MaxInt

// fit fits the rounds before one.
func (r *rater) fit(before int) (*fitted, error) {
	meetings, err := r.pool.meetings(r.Ladder, before)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; move it elsewhere, or name another folder", r.log.path, err)
	}
	references := len(r.Ladder.Players)
	places := references + len(r.pool.Candidates)
	f := &fitted{at: make([]int, places), games: make([]int, places), last: slices.Repeat([]int{-1}, places)}
	for _, m := range meetings {
		f.games[m.a] += m.games.count()
		f.games[m.b] += m.games.count()
		f.last[m.a], f.last[m.b] = m.b, m.a
	}
	var names []string
	for place := range places {
		switch {
		case place < references:
			f.at[place] = place
		case f.games[place] == 0:
			f.at[place] = -1
		default:
			f.at[place] = references + len(names)
			names = append(names, r.pool.Candidates[place-references].Name)
		}
	}
	for i := range meetings {
		meetings[i].a, meetings[i].b = f.at[meetings[i].a], f.at[meetings[i].b]
	}
	f.Ratings, err = r.Ladder.fit(names, meetings)
	return f, err
}

// pairs returns the places of those who meet in a round, of a candidate first; none if
// everybody has played enough.
func (r *rater) pairs(round int) ([]pair, error) {
	f, err := r.fit(round)
	if err != nil {
		return nil, err
	}
	open, able := make([]bool, len(f.at)), make([]bool, len(f.at)) // by place: wants games, or may be met
	before := -1                                                   // place of the candidate before
	for i, c := range r.Candidates {
		if r.number[i] < 0 {
			before = r.Ladder.Reference(c.Player)
			continue
		}
		place := len(r.Ladder.Players) + r.number[i]
		if c.Make != nil && f.at[place] < 0 {
			return []pair{{place, r.first(f, before, able), batchGames}}, nil
		}
		able[place] = c.Make != nil && f.games[place] < r.Games
		open[place] = able[place] && !r.enough(f, place)
		if f.at[place] >= 0 {
			before = place
		}
	}
	return r.choose(f, open, able), nil
}

// first returns whom a candidate meets first. Nothing is known of it yet, but that the
// candidate before it may be an earlier checkpoint of the same run: it meets the player
// that is nearest to that one and known well. The very first meets the reference in
// the middle.
func (r *rater) first(f *fitted, before int, able []bool) int {
	references := len(r.Ladder.Players)
	if before < 0 {
		return references / 2
	}
	d := f.Design(r.Ladder.all())
	best, least := references/2, 0.0
	for place := range f.at {
		if place >= references && !able[place] {
			continue
		}
		apart := f.Elo[f.at[place]] - f.Elo[f.at[before]]
		off := float64(apart*apart) + d.Variance(f.at[place])
		if place == 0 || off < least {
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
	return games >= leastGames && f.ErrorGiven(at, r.Ladder.all()) <= r.Error
}

// beyond reports whether a candidate is rated above or below all references.
func (r *rater) beyond(f *fitted, at int) bool {
	references := f.Elo[:len(r.Ladder.Players)]
	return f.Elo[at] > slices.Max(references) || f.Elo[at] < slices.Min(references)
}

// roundPart is which part of the candidates that want games get some in a round: after
// it, all ratings are fitted anew.
const roundPart = 4

// choose returns the pairs of a round among those players that are open, who want games,
// and able, who may be met, besides the references. Each pair is the one by whose games
// the variances of the open candidates are expected to fall most, all together, with
// the references taken as known. That is A-optimality in the design of experiments
// (Pukelsheim 1993, Optimal Design of Experiments, 6.5), one step at a time. With four
// seats it favours games of one player against three weaker ones, after which ratings
// come out too low (docs/RATINGS.md, section 7): there a candidate meets the reference
// against which its score is expected to be nearest to that of equals. Nobody meets the
// same player twice in a row, or more than one in a round.
func (r *rater) choose(f *fitted, open, able []bool) (pairs []pair) {
	references, seats := len(r.Ladder.Players), r.Ladder.seats()
	var wanting []int // in the fit
	for place, wants := range open {
		if wants {
			wanting = append(wanting, f.at[place])
		}
	}
	d, taken := f.Design(r.Ladder.all()), make([]bool, len(open))
	for len(pairs)*roundPart < len(wanting) {
		best, most := pair{a: -1}, 0.0
		for a := references; a < len(f.at); a++ {
			for b := range a {
				if taken[a] || taken[b] || !able[a] || b >= references && !able[b] || !open[a] && !open[b] ||
					open[a] && f.last[a] == b || open[b] && f.last[b] == a {
					continue
				}
				gain := 0.0
				switch {
				case seats < 4:
					gain = d.Gain(wanting, everySeat(seats, f.at[a], f.at[b]))
				case open[a] && b < references:
					gain = 1 - f.unevenness(seats, f.at[a], f.at[b])
				}
				if gain > most {
					best, most = pair{a, b, batchGames}, gain
				}
			}
		}
		if best.a < 0 {
			break
		}
		pairs = append(pairs, best)
		taken[best.a], taken[best.b] = true, best.b >= references
		for range batchGames / seats {
			d.Add(everySeat(seats, f.at[best.a], f.at[best.b]))
		}
	}
	return pairs
}

// everySeat returns the seatings of a group: a has each seat in turn, b the others.
func everySeat(seats, a, b int) [][]int {
	all := make([][]int, seats)
	for seat := range all {
		all[seat] = seating(seats, seat, a, b)
	}
	return all
}

// unevenness returns how far the score that a can expect on one seat of a game, against
// b on the others, is from that of equals.
func (f *fitted) unevenness(seats, a, b int) float64 {
	score := 0.0
	for seat, group := range everySeat(seats, a, b) {
		score += f.Expected(group)[seat] / float64(seats)
	}
	return math.Abs(score - 1/float64(seats))
}
