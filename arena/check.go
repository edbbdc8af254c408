package arena

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"tiro/env"
)

// maxNodes bounds what a player says to have searched in a game, so that sums stay within
// bounds.
const maxNodes = 1 << 40

// Check plays a game of the match that somebody else has played, and returns an error if
// it breaks the rules, or is not one that follows from the match and its number as far as
// that can be said without searching.
func (m *Match) Check(r *GameRecord) error {
	if r.Number < 0 || r.Number >= m.Games {
		return fmt.Errorf("number is %d; want 0 to %d", r.Number, m.Games-1)
	}
	if err := m.checkSeating(r); err != nil {
		return err
	}
	if r.Forfeit != nil || r.Ending == Forfeited {
		return errors.New("a forfeit; no player of this match forfeits")
	}
	state := m.Game.New()
	if err := r.check(m.Game, state, len(m.Players)); err != nil {
		return err
	}
	if err := m.checkOpening(r); err != nil {
		return err
	}
	if err := m.checkEfforts(r); err != nil {
		return err
	}
	return m.checkEnding(r, state)
}

// checkSeating returns an error unless a game has the group and the seating of its number,
// and efforts of as many players as the match has.
func (m *Match) checkSeating(r *GameRecord) error {
	seatings := m.seatings()
	if r.Group != r.Number/len(seatings) || !slices.Equal(r.Seating, seatings[r.Number%len(seatings)]) {
		return fmt.Errorf("game %d of group %d with seating %v; no game of this match is like that", r.Number, r.Group, r.Seating)
	}
	if len(r.Effort) != len(m.Players) {
		return fmt.Errorf("efforts of %d players; want %d", len(r.Effort), len(m.Players))
	}
	return nil
}

// checkOpening returns an error unless a game begins as its seed says.
func (m *Match) checkOpening(r *GameRecord) error {
	s := slot{match: m, state: m.Game.New()}
	if err := s.open(context.Background(), r.Group); err != nil {
		return err
	}
	if r.Opening != len(s.moves) || !slices.Equal(r.Moves[:r.Opening], s.moves) {
		return fmt.Errorf("opening of %d moves; the seed gives another one, of %d", r.Opening, len(s.moves))
	}
	return nil
}

// checkEfforts returns an error unless moves are written as the game writes them, and
// were made by whom the efforts say.
func (m *Match) checkEfforts(r *GameRecord) error {
	state, moves := m.Game.New(), make([]int, len(m.Players))
	for i, name := range r.Moves {
		a, err := env.ParseAction(state, name)
		if err != nil {
			return fmt.Errorf("move %d: %w", i+1, err)
		}
		if own := state.ActionString(a); own != name {
			return fmt.Errorf("move %d is %.40q; want %q", i+1, name, own)
		}
		if i >= r.Opening {
			moves[r.Seating[state.Turn()]]++
		}
		state.Play(a)
	}
	for i, e := range r.Effort {
		if e.Moves != moves[i] || e.Nodes < 0 || e.Nodes > maxNodes {
			return fmt.Errorf("effort %d is %d moves, %d nodes; want %d moves, 0 to %d nodes", i, e.Moves, e.Nodes, moves[i], maxNodes)
		}
	}
	return nil
}

// checkEnding returns an error unless a game that has come to a state ends there, and as
// it says.
func (m *Match) checkEnding(r *GameRecord, state env.State) error {
	j := newAdjudicator(m.Adjudication, nil, env.NewRand(m.Seed, uint64(r.Number), purposePlayOut))
	j.agreed = r.AgreedWinner != nil
	if j.agreed {
		j.winner = env.Player(*r.AgreedWinner)
	}
	v, over := state.Result()
	want := ""
	if !over {
		v, want = j.ending(len(r.Moves), len(r.Seating))
	} else if e, ok := state.(env.Ender); ok {
		want = e.Ending()
	}
	longest := max(m.Adjudication.MaxPlies, r.Opening)
	switch {
	case r.Ending != want || !over && want == "":
		return fmt.Errorf("ending is %.40q; want %q", r.Ending, want)
	case !slices.Equal(r.Result, v[:len(r.Seating)]):
		return fmt.Errorf("result is %v; want %v", r.Result, v[:len(r.Seating)])
	case m.Adjudication.MaxPlies > 0 && len(r.Moves) > longest:
		return fmt.Errorf("%d moves; the match ends games after %d", len(r.Moves), longest)
	case j.agreed && (m.Adjudication.Threshold == 0 || !j.playOut && want != Adjudicated):
		return fmt.Errorf("agreed winner %d; no winner is agreed on in such a game", *r.AgreedWinner)
	}
	return nil
}
