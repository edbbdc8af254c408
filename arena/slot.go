package arena

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"tiro/env"
	"tiro/player"
	"tiro/player/clock"
)

// slot plays games of a match, one after the other. It has a separate Player for
// every seat, so that a player on several seats shares no memory between them.
type slot struct {
	match    *Match
	watch    stopwatch // measures the current action
	seatings [][]int
	players  [][]player.Player // by player, one for each of its seats
	state    env.State
	history  []env.Action // actions of the game so far
	moves    []string     // history in the game's notation

	resume func() (struct{}, bool) // runs the slot until it waits, or has no more games
	wait   func() bool             // called by the slot to wait for the next resume; false if the worker has stopped
	waits  bool                    // whether the slot waits for an evaluation
}

// Purposes of a game's random generators; the player on a seat has purpose
// purposeSeat+seat.
const (
	purposeOpening = iota
	purposeSeat
	purposePlayOut = purposeSeat + env.MaxPlayers
)

// openingTries is the number of attempts to draw an opening of some length that
// does not end the game.
const openingTries = 32

// newSlot returns a slot, which the caller must close even on error.
func newSlot(m *Match) (*slot, error) {
	s := &slot{match: m, watch: stopwatch{clock: m.Clock}, seatings: m.seatings(), players: make([][]player.Player, len(m.Players)), state: m.Game.New()}
	for _, i := range s.seatings[0] {
		p, err := m.Players[i].New()
		if err != nil {
			return s, err
		}
		s.players[i] = append(s.players[i], p)
	}
	return s, nil
}

// seat returns the Player of each seat.
func (s *slot) seat(seating []int) []player.Player {
	players := make([]player.Player, len(seating))
	taken := make([]int, len(s.players))
	for seat, player := range seating {
		players[seat] = s.players[player][taken[player]]
		taken[player]++
	}
	return players
}

// game plays one game of the match. With groups of n games, game g belongs to group
// g/n and has seating g%n. The record of a failed game has only its numbers.
func (s *slot) game(ctx context.Context, number int) (GameRecord, error) {
	seating := s.seatings[number%len(s.seatings)]
	r := GameRecord{Number: number, Group: number / len(s.seatings), Seating: seating}
	r.Position = s.match.start(r.Group).Position
	if err := s.open(ctx, r.Group); err != nil {
		return r, fmt.Errorf("arena: game %d: draw its opening: %w", number, err)
	}
	r.Opening, r.Effort = len(s.history), make([]Effort, len(s.players))

	players := s.seat(seating)
	rngs := make([]*rand.Rand, len(players))
	for seat, p := range players {
		rngs[seat] = env.NewRand(s.match.Seed, uint64(number), uint64(purposeSeat+seat))
		if p, ok := p.(player.NewGamer); ok {
			p.NewGame()
		}
	}
	a := newAdjudicator(s.match.Adjudication, players, env.NewRand(s.match.Seed, uint64(number), purposePlayOut))
	clocks, begins := s.clocks(seating), true
	for !s.finished(&r, &a) {
		seat := s.state.Turn()
		s.watch.reset()
		clocks.Start(int(seat))
		if begins {
			s.announce(clocks, players[seat])
		}
		action, err := players[seat].Choose(ctx, s.state, s.history, rngs[seat])
		late := clocks.Stop()
		r.Effort[seating[seat]].add(s.watch.effort(players[seat]))
		if err == nil {
			err = env.CheckAction(s.state, action)
		}
		if late != nil && ctx.Err() == nil {
			s.forfeit(&r, seat, TimeForfeit, &player.Forfeit{Reason: late.Error()})
			break
		}
		if forfeit, ok := errors.AsType[*player.Forfeit](err); ok {
			s.forfeit(&r, seat, Forfeited, forfeit)
			break
		}
		if err != nil {
			return r, fmt.Errorf("arena: game %d, ply %d: %s as %s in %s: %w",
				number, len(s.history), players[seat].Name(), env.SeatName(s.match.Game, seat), s.state, err)
		}
		s.play(action)
		if begins = !env.MidTurn(s.state); begins {
			clocks.EndTurn()
		}
		v, over := s.state.Result()
		if err := s.match.Game.Spec().CheckResult(v, over, len(s.history)); err != nil {
			return r, fmt.Errorf("arena: game %d, in %s: %w", number, s.state, err)
		}
		if !over {
			a.observe(seat, players[seat])
		}
	}
	r.Moves = slices.Clone(s.moves)
	if a.agreed && (a.playOut || r.Ending == Adjudicated) {
		r.AgreedWinner = new(int(a.winner))
	}
	return r, nil
}

// clocks returns the clocks of a game, one for each seat.
func (s *slot) clocks(seating []int) *clock.Game {
	var controls []clock.Control
	for _, i := range seating {
		controls = append(controls, s.match.Players[i].Clock)
	}
	return clock.NewGame(s.match.Clock.Now, controls)
}

// announce shows the clocks to the player whose clock runs.
func (s *slot) announce(clocks *clock.Game, p player.Player) {
	if p, ok := p.(player.Clocked); ok && clocks.Limited(clocks.Turn()) {
		spec := s.match.Game.Spec()
		p.SetClocks(clocks, (spec.MaxPlies-len(s.history))/spec.Players+1)
	}
}

// forfeit ends a game as a loss for the player on seat and a win for all others.
func (s *slot) forfeit(r *GameRecord, seat env.Player, ending string, why *player.Forfeit) {
	why.Seat = int(seat)
	r.Ending, r.Forfeit = ending, why
	r.Result = make([]float32, len(r.Seating))
	others := float32(len(r.Seating) - 1)
	for i := range r.Result {
		r.Result[i] = 1 / (others * others)
	}
	r.Result[seat] = -1 / others
}

// finished reports whether the game is over, by its rules or by adjudication. If
// so, it sets the result and the ending of r.
func (s *slot) finished(r *GameRecord, a *adjudicator) bool {
	v, ending, over := a.ending(s.state, len(s.history), len(r.Seating))
	if over {
		r.Result, r.Ending = slices.Clone(v[:len(r.Seating)]), ending
	}
	return over
}

// open sets up the position after a group's opening. Long openings take many
// attempts, so it returns ctx's error if ctx ends first.
func (s *slot) open(ctx context.Context, group int) error {
	rng := env.NewRand(s.match.Seed, uint64(group), purposeOpening)
	for plies := s.match.Opening; ; plies-- {
		for range openingTries {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := s.begin(group); err != nil {
				return err
			}
			if s.random(plies, rng) {
				return nil
			}
		}
	}
}

// begin sets up the position after a group's given opening.
func (s *slot) begin(group int) error {
	given := s.match.start(group)
	actions, err := given.play(s.match.Game, s.state)
	s.history, s.moves = append(s.history[:0], actions...), append(s.moves[:0], given.Moves...)
	return err
}

// random plays a number of random actions. It reports whether the game continues, which is
// always the case after 0 actions.
func (s *slot) random(plies int, rng *rand.Rand) bool {
	var legal []env.Action
	for range plies {
		if legal = s.state.Legal(legal[:0]); len(legal) == 0 {
			return false
		}
		s.play(legal[rng.IntN(len(legal))])
	}
	_, over := s.state.Result()
	return !over
}

func (s *slot) play(a env.Action) {
	s.moves = append(s.moves, s.state.ActionString(a))
	s.history = append(s.history, a)
	s.state.Play(a)
}
