package arena

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"tiro/env"
)

// worker plays games of a match, one after the other. It has a Player of its
// own for every seat, so that a player on several seats does not know what it
// thinks on the others.
type worker struct {
	match    *Match
	seatings [][]int
	players  [][]Player // by player, one for each seat that it takes
	state    env.State
	history  []env.Action // of the game so far
	moves    []string     // history in the game's notation
}

// Purposes of a game's random generators; the player on a seat has purpose
// purposeSeat+seat.
const (
	purposeOpening = iota
	purposeSeat
	purposePlayOut = purposeSeat + env.MaxPlayers
)

// openingTries is how often an opening of some length is drawn anew because
// the game was over before its end.
const openingTries = 32

// newWorker returns a worker, which is to be closed also on error.
func newWorker(m *Match) (*worker, error) {
	w := &worker{match: m, seatings: m.seatings(), players: make([][]Player, len(m.Players)), state: m.Game.New()}
	for _, player := range w.seatings[0] {
		p, err := m.Players[player]()
		if err != nil {
			return w, err
		}
		w.players[player] = append(w.players[player], p)
	}
	return w, nil
}

// first returns one Player of each of the match's players.
func (w *worker) first() []Player {
	first := make([]Player, len(w.players))
	for i, players := range w.players {
		first[i] = players[0]
	}
	return first
}

// seat returns the Player of each seat.
func (w *worker) seat(seating []int) []Player {
	players := make([]Player, len(seating))
	taken := make([]int, len(w.players))
	for seat, player := range seating {
		players[seat] = w.players[player][taken[player]]
		taken[player]++
	}
	return players
}

// game plays one game of the match. With groups of n games, game g belongs to
// group g/n and has seating g%n. The record of a game that fails has only its
// numbers.
func (w *worker) game(ctx context.Context, number int) (GameRecord, error) {
	seating := w.seatings[number%len(w.seatings)]
	r := GameRecord{Number: number, Group: number / len(w.seatings), Seating: seating}
	if err := w.open(ctx, r.Group); err != nil {
		return r, fmt.Errorf("arena: game %d: draw its opening: %w", number, err)
	}
	r.Opening, r.Effort = len(w.history), make([]Effort, len(w.players))

	players := w.seat(seating)
	rngs := make([]*rand.Rand, len(players))
	for seat, p := range players {
		rngs[seat] = env.NewRand(w.match.Seed, uint64(number), uint64(purposeSeat+seat))
		if p, ok := p.(NewGamer); ok {
			p.NewGame()
		}
	}
	a := newAdjudicator(w.match.Adjudication, players, env.NewRand(w.match.Seed, uint64(number), purposePlayOut))
	for !w.finished(&r, &a) {
		seat := w.state.Turn()
		var action env.Action
		var err error
		r.Effort[seating[seat]].add(w.match.Clock.measured(players[seat], func() {
			action, err = players[seat].Choose(ctx, w.state, w.history, rngs[seat])
		}))
		if err == nil {
			err = env.CheckAction(w.state, action)
		}
		if forfeit, ok := errors.AsType[*Forfeit](err); ok {
			w.forfeit(&r, seat, forfeit)
			break
		}
		if err != nil {
			return r, fmt.Errorf("arena: game %d, ply %d: %s as %s in %s: %w",
				number, len(w.history), players[seat].Name(), env.SeatName(w.match.Game, seat), w.state, err)
		}
		w.play(action)
		if _, over := w.state.Result(); !over {
			a.observe(seat, players[seat])
		}
	}
	r.Moves = slices.Clone(w.moves)
	if a.agreed && (a.playOut || r.Ending == Adjudicated) {
		r.AgreedWinner = new(int(a.winner))
	}
	return r, nil
}

// forfeit ends a game as lost by the player on a seat, and won by all others.
func (w *worker) forfeit(r *GameRecord, seat env.Player, why *Forfeit) {
	why.Seat = int(seat)
	r.Ending, r.Forfeit = Forfeited, why
	r.Result = make([]float32, len(r.Seating))
	others := float32(len(r.Seating) - 1)
	for i := range r.Result {
		r.Result[i] = 1 / (others * others)
	}
	r.Result[seat] = -1 / others
}

// finished reports whether the game is over, by its rules or by adjudication,
// and if so fills in its result and ending.
func (w *worker) finished(r *GameRecord, a *adjudicator) bool {
	v, over := w.state.Result()
	if !over {
		v, r.Ending = a.ending(len(w.history), len(r.Seating))
		over = r.Ending != ""
	} else if e, ok := w.state.(env.Ender); ok {
		r.Ending = e.Ending()
	}
	if !over {
		return false
	}
	r.Result = slices.Clone(v[:len(r.Seating)])
	return true
}

// open sets up the position from which a group's games are played. It returns
// the error of ctx should it end first, since long openings take many tries.
func (w *worker) open(ctx context.Context, group int) error {
	rng := env.NewRand(w.match.Seed, uint64(group), purposeOpening)
	for plies := w.match.Opening; ; plies-- {
		for range openingTries {
			if err := ctx.Err(); err != nil {
				return err
			}
			if w.random(plies, rng) {
				return nil
			}
		}
	}
}

// random plays a number of random actions from the start. It reports whether
// the game is not over then; after no actions it never is.
func (w *worker) random(plies int, rng *rand.Rand) bool {
	w.state.CopyFrom(w.match.Game.New())
	w.history, w.moves = w.history[:0], w.moves[:0]
	var legal []env.Action
	for range plies {
		if legal = w.state.Legal(legal[:0]); len(legal) == 0 {
			return false
		}
		w.play(legal[rng.IntN(len(legal))])
	}
	_, over := w.state.Result()
	return !over
}

// play plays a legal action.
func (w *worker) play(a env.Action) {
	w.moves = append(w.moves, w.state.ActionString(a))
	w.history = append(w.history, a)
	w.state.Play(a)
}
