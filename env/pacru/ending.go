package pacru

import (
	"math"
	"math/bits"

	"tiro/env"
)

// ending is the rule that ended a game.
type ending uint8

const (
	unfinished ending = iota
	noGain            // Shacru {S-R6}
	finalRound        // Azacru {A-R10}
	reached           // Pacru: the target {R16}
	lastPlayer        // Pacru {R15}
	noProgress        // a limit
	turnLimit         // a limit
	declared          // a position string says so, and the board does not tell why
)

var endingNames = [...]string{
	"", "no-gain", "final-round", "target", "last-player", "no-progress", "turn-limit", "declared",
}

// Ending returns the rule that ended the game: no-gain (Shacru), final-round
// (Azacru), target or last-player (Pacru), no-progress or turn-limit; and
// declared, for a position string that says it is over without showing why.
func (s *State) Ending() string { return endingNames[s.ending] }

// win ends a game that p has won.
func (s *State) win(e ending, p uint8) {
	s.ending, s.winners = e, 1<<p
	s.final = nobody
}

// finish ends a game that is won by the most markers, in Pacru among the
// seats that are alive; seats with as many share the win (6).
func (s *State) finish(e ending) {
	s.ending, s.winners, s.final = e, 0, nobody
	most := 0
	for p := range s.players {
		if s.kind == pacru && !s.alive(p) {
			continue
		}
		switch n := s.marks[p].len(); {
		case n > most || s.winners == 0:
			most, s.winners = n, 1<<p
		case n == most:
			s.winners |= 1 << p
		}
	}
}

// Result returns the payoffs once the game is over: with n players, a share x
// of the win is worth (n*x-1)/(n-1).
func (s *State) Result() (v env.Value, over bool) {
	if s.ending == unfinished {
		return v, false
	}
	n := float32(s.players)
	share := 1 / float32(bits.OnesCount8(s.winners))
	for p := range s.players {
		v[p] = -1 / (n - 1)
		if s.winners>>p&1 == 1 {
			v[p] = (float32(n*share) - 1) / (n - 1)
		}
	}
	return v, true
}

// Ranking returns the place of each seat by what the board shows, 1 for the
// best; seats that cannot be told apart have the same. Winners come first.
// Then markers count, in Pacru after the seats that are out, of which those
// that fell later come before the others.
func (s *State) Ranking() (places [env.MaxPlayers]int8) {
	for p := range s.players {
		places[p] = 1
		for q := range s.players {
			if s.standing(q) > s.standing(p) {
				places[p]++
			}
		}
	}
	return places
}

// standing returns a number that is larger for a seat that is placed better.
func (s *State) standing(p uint8) int {
	switch {
	case s.winners>>p&1 == 1:
		return 1000
	case s.kind == pacru && !s.alive(p):
		return int(s.fell[p]) - 10
	}
	return s.marks[p].len()
}

// Score returns an estimate of the payoff: how far a seat is ahead of the best
// other seat in markers and in ways that are open to its chevrons.
func (s *State) Score() (v env.Value) {
	var worth [env.MaxPlayers]float32
	for p := range s.players {
		worth[p] = s.worth(p)
	}
	for p := range s.players {
		best := float32(math.Inf(-1))
		for q := range s.players {
			if q != p {
				best = max(best, worth[q])
			}
		}
		lead := worth[p] - best
		v[p] = lead / (max(lead, -lead) + halfLead)
	}
	return v
}

// halfLead is the lead in markers that is scored 0.5.
const halfLead = 12

// wayWorth is what a way open to a chevron counts, in markers. Chevrons get
// stuck at the edges, and with them games are lost: a player who takes the
// action with the best score wins 99, 96 and 98% of his games for two against
// one who plays at random, and 59, 73 and 58% if ways count nothing
// (BenchmarkGreedy).
var wayWorth = [...]float32{shacru: 0.3, azacru: 0.3, pacru: 1}

// worth returns the markers of p and the ways of his chevrons.
func (s *State) worth(p uint8) float32 {
	v := s.see(p, s.long())
	ways := 0
	for i := range v {
		for _, r := range v[i] {
			if r.slides != 0 {
				ways++
			}
		}
	}
	return float32(s.marks[p].len()) + float32(wayWorth[s.kind]*float32(ways))
}
