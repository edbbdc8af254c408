package arena

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"tiro/env"
)

// maxNodes is the maximum number of nodes that a player may report for a game. It keeps sums
// from overflowing.
const maxNodes = 1 << 40

// Check replays a game of the match that another process has played. It returns an error if
// the game breaks the rules, or if its seating, opening or ending do not follow from the match
// and the game's number. It cannot check the choice of moves, because it does not search.
func (m *Match) Check(r *GameRecord) error {
	if r.Number < 0 || r.Number >= m.Games {
		return fmt.Errorf("game number %d is not in 0..%d", r.Number, m.Games-1)
	}
	if err := m.checkSeating(r); err != nil {
		return err
	}
	if r.Forfeit != nil || r.Ending == Forfeited || r.Ending == TimeForfeit {
		return errors.New("unexpected forfeit: no player of this match can forfeit")
	}
	state := m.Game.New()
	if err := r.check(m.Game, state, len(m.Players)); err != nil {
		return err
	}
	if err := m.checkMoves(r); err != nil {
		return err
	}
	return m.checkEnding(r, state)
}

// checkSeating returns an error unless r has the group and the seating of its number.
func (m *Match) checkSeating(r *GameRecord) error {
	seatings := m.seatings()
	if r.Group != r.Number/len(seatings) || !slices.Equal(r.Seating, seatings[r.Number%len(seatings)]) {
		return fmt.Errorf("group %d and seating %v do not belong to game %d of this match", r.Group, r.Seating, r.Number)
	}
	return nil
}

// checkMoves returns an error unless r, whose moves are legal, has the opening that follows from
// the seed and its efforts count the moves of each player.
func (m *Match) checkMoves(r *GameRecord) error {
	s := slot{match: m, state: m.Game.New()}
	if err := s.open(context.Background(), r.Group); err != nil {
		return err
	}
	if r.Position != m.start(r.Group).Position || r.Opening != len(s.moves) || !slices.Equal(r.Moves[:r.Opening], s.moves) {
		return fmt.Errorf("opening of %d moves differs from the match's, of %d moves", r.Opening, len(s.moves))
	}
	moves := make([]int, len(m.Players))
	for _, name := range r.Moves[r.Opening:] {
		a, err := env.ParseAction(s.state, name)
		if err != nil {
			return err
		}
		moves[r.Seating[s.state.Turn()]]++
		s.state.Play(a)
	}
	for i, e := range r.Effort {
		if e.Moves != moves[i] || e.Nodes < 0 || e.Nodes > maxNodes {
			return fmt.Errorf("effort of player %d: %d moves, %d nodes instead of %d moves, at most %d nodes", i, e.Moves, e.Nodes, moves[i], maxNodes)
		}
	}
	return nil
}

// checkEnding returns an error unless a game that has reached state ends there with the result
// and the ending of r.
func (m *Match) checkEnding(r *GameRecord, state env.State) error {
	j := newAdjudicator(m.Adjudication, nil, env.NewRand(m.Seed, uint64(r.Number), purposePlayOut))
	j.agreed = r.AgreedWinner != nil
	if j.agreed {
		j.winner = env.Player(*r.AgreedWinner)
	}
	v, want, over := j.ending(state, len(r.Moves), len(r.Seating))
	longest := max(m.Adjudication.MaxPlies, r.Opening)
	switch {
	case r.Ending != want || !over:
		return fmt.Errorf("ending is %.40q instead of %q", r.Ending, want)
	case !slices.Equal(r.Result, v[:len(r.Seating)]):
		return fmt.Errorf("result is %v instead of %v", r.Result, v[:len(r.Seating)])
	case m.Adjudication.MaxPlies > 0 && len(r.Moves) > longest:
		return fmt.Errorf("%d moves, more than the match's limit of %d", len(r.Moves), longest)
	case j.agreed && (m.Adjudication.Threshold == 0 || !j.playOut && want != Adjudicated):
		return fmt.Errorf("unexpected agreed winner %d in this game", *r.AgreedWinner)
	}
	return nil
}
