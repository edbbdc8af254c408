package arena

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"tiro/env"
)

// Adjudication says when a game of a match ends before its rules end it. The
// zero value leaves all games to the rules.
//
// A game is given to a seat once every player that tells its thoughts (Thinker)
// has promised that seat at least Level in each of its last Moves moves. One of
// them must sit elsewhere: against players that tell nothing one can give up, but
// not take the game.
type Adjudication struct {
	Level    float64 // payoff from which on a seat is taken to have won, above 0, up to 1; 0: never
	Moves    int     // of each player in a row; at least 1 where there is a level
	PlayOn   float64 // share of the games that is played on all the same, to see how often that would be wrong, 0 to 1
	MaxPlies int     // a game of so many actions is a draw; 0: no limit
}

// Endings of games that no rule of the game has ended.
const (
	Adjudged = "adjudged"
	TooLong  = "too long"
)

// Validate reports every field that is out of range.
func (a Adjudication) Validate() error {
	var faults []error
	check := func(ok bool, field string, value any, want string) {
		if !ok {
			faults = append(faults, fmt.Errorf("adjudication: %s is %v; want %s", field, value, want))
		}
	}
	check(a.Level >= 0 && a.Level <= 1, "level", a.Level, "0 for never, up to 1")
	check(a.Level == 0 || a.Moves >= 1, "moves", a.Moves, "at least 1")
	check(a.PlayOn >= 0 && a.PlayOn <= 1, "play-on", a.PlayOn, "0 to 1")
	check(a.MaxPlies >= 0, "max-plies", a.MaxPlies, "0 for no limit, or more")
	return errors.Join(faults...)
}

// verdict follows what the players of a game promise.
type verdict struct {
	Adjudication
	playOn  bool
	counts  [env.MaxPlayers]int        // by seat of a player: in how many moves in a row it has promised ...
	winners [env.MaxPlayers]env.Player // ... this seat the level
	thinks  [env.MaxPlayers]bool       // by seat: its player tells its thoughts
	decided bool
	winner  env.Player // if decided
}

func newVerdict(a Adjudication, players []Player, rng *rand.Rand) verdict {
	v := verdict{Adjudication: a, playOn: rng.Float64() < a.PlayOn}
	for seat, p := range players {
		_, v.thinks[seat] = p.(Thinker)
	}
	return v
}

// hear takes what the player on a seat thought of its last move. The first
// decision stands.
func (v *verdict) hear(seat env.Player, p Player) {
	thinker, ok := p.(Thinker)
	if v.Level == 0 || v.decided || !ok {
		return
	}
	value := thinker.Thought().Value
	best := env.Player(0)
	for i := range value {
		if value[i] > value[best] {
			best = env.Player(i)
		}
	}
	switch {
	case value[best] < float32(v.Level):
		v.counts[seat] = 0
	case v.counts[seat] > 0 && v.winners[seat] == best:
		v.counts[seat]++
	default:
		v.counts[seat], v.winners[seat] = 1, best
	}
	v.winner = best
	v.decided = v.agreed()
}

// agreed reports whether all players that think, not the winner alone, have
// promised the winner the level often enough.
func (v *verdict) agreed() bool {
	conceded := false
	for seat, thinks := range v.thinks {
		if thinks && (v.counts[seat] < v.Moves || v.winners[seat] != v.winner) {
			return false
		}
		conceded = conceded || thinks && env.Player(seat) != v.winner
	}
	return conceded
}

// ends returns the payoffs of a game that ends now, after so many plies, and by
// what; "" if it goes on.
func (v *verdict) ends(plies, players int) (env.Value, string) {
	switch {
	case v.decided && !v.playOn:
		return env.WinFor(v.winner, players), Adjudged
	case v.MaxPlies > 0 && plies >= v.MaxPlies:
		return env.Value{}, TooLong
	}
	return env.Value{}, ""
}

// Adjudications say how games that were decided early were decided.
type Adjudications struct {
	Given    int      `json:"given"`     // games that were ended by it
	PlayedOn int      `json:"played_on"` // games that would have been, and were played on to an end by the rules
	Wrong    int      `json:"wrong"`     // of those, how many the seat did not win alone after all
	Share    Interval `json:"share"`     // of wrong decisions, by the games played on
}

// adjudications counts the decisions in records; nil if there are none.
func adjudications(records []Record) *Adjudications {
	var a Adjudications
	for _, r := range records {
		switch {
		case r.Decided == nil || r.Ending == TooLong: // of one cut off nobody knows who would have won
		case r.Ending == Adjudged:
			a.Given++
		default:
			a.PlayedOn++
			if r.Result[*r.Decided] < 1 {
				a.Wrong++
			}
		}
	}
	if a.Given+a.PlayedOn == 0 {
		return nil
	}
	a.Share = Interval{Value: math.NaN(), Low: 0, High: 1}
	if a.PlayedOn > 0 {
		p := float64(a.Wrong) / float64(a.PlayedOn)
		low, high := wilson(p, float64(a.PlayedOn))
		a.Share = Interval{Value: p, Low: low, High: high}
	}
	return &a
}
