package arena

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"tiro/env"
)

// table is where one worker plays. It has a Player of its own for every seat,
// so that a player that takes several seats does not know itself.
type table struct {
	match    Match
	seatings [][]int
	players  [][]Player // by player, one for each seat that it takes
	state    env.State
	actions  []env.Action // of the game so far
	names    []string     // the same in the game's notation
}

// Purposes of the generators of a game; the player on a seat has purpose
// purposeSeat+seat.
const (
	purposeOpening = iota
	purposeSeat
	purposePlayOn = purposeSeat + env.MaxPlayers
)

// openingTries is how often an opening of some length is drawn anew because
// the game was over before its end.
const openingTries = 32

// newTable returns a table; also on error it is to be closed.
func newTable(m Match) (*table, error) {
	t := &table{match: m, seatings: m.seatings(), players: make([][]Player, len(m.Players)), state: m.Game.New()}
	for _, player := range t.seatings[0] {
		p, err := m.Players[player]()
		if err != nil {
			return t, err
		}
		t.players[player] = append(t.players[player], p)
	}
	return t, nil
}

func (t *table) close() error {
	var faults []error
	for _, p := range slices.Concat(t.players...) {
		faults = append(faults, closePlayer(p))
	}
	return errors.Join(faults...)
}

// seat returns the Player of each seat.
func (t *table) seat(seating []int) []Player {
	players := make([]Player, len(seating))
	taken := make([]int, len(t.players))
	for seat, player := range seating {
		players[seat] = t.players[player][taken[player]]
		taken[player]++
	}
	return players
}

// game plays one game of the match. With groups of n games, game g belongs to
// group g/n and has seating g%n. If it fails, the record holds no more than the
// numbers.
func (t *table) game(ctx context.Context, number int) (Record, error) {
	seating := t.seatings[number%len(t.seatings)]
	r := Record{Number: number, Group: number / len(t.seatings), Seat: slices.Index(seating, 0)}
	if len(seating) > 2 {
		r.Seating = seating
	}
	if err := t.open(ctx, r.Group); err != nil {
		return r, fmt.Errorf("arena: game %d: draw its opening: %w", number, err)
	}
	r.Opening = len(t.actions)

	players := t.seat(seating)
	rngs := make([]*rand.Rand, len(players))
	for seat, p := range players {
		rngs[seat] = env.NewRand(t.match.Seed, uint64(number), uint64(purposeSeat+seat))
		if p, ok := p.(NewGamer); ok {
			p.NewGame()
		}
	}
	verdict := newVerdict(t.match.Adjudication, players, env.NewRand(t.match.Seed, uint64(number), purposePlayOn))
	for {
		v, over := t.state.Result()
		if e, ok := t.state.(env.Ender); ok && over {
			r.Ending = e.Ending()
		}
		if !over {
			v, r.Ending = verdict.ends(len(t.actions), len(players))
		}
		if over || r.Ending != "" {
			r.Result = slices.Clone(v[:len(players)])
			break
		}
		seat := t.state.Turn()
		action, err := players[seat].Choose(ctx, t.state, t.actions, rngs[seat])
		if err == nil {
			err = t.play(action)
		}
		if err != nil {
			return r, fmt.Errorf("arena: game %d, ply %d: %s as %s in %s: %w",
				number, len(t.actions), players[seat].Name(), env.SeatName(t.match.Game, seat), t.state, err)
		}
		if _, over := t.state.Result(); !over { // or there is nothing left to decide
			verdict.hear(seat, players[seat])
		}
	}
	r.Moves = slices.Clone(t.names)
	if verdict.decided && (verdict.playOn || r.Ending == Adjudged) {
		r.Decided = new(int)
		*r.Decided = int(verdict.winner)
	}
	return r, nil
}

// open sets up the position from which a group's games are played, or returns
// the error of ctx, should it end first: long openings take many tries.
func (t *table) open(ctx context.Context, group int) error {
	rng := env.NewRand(t.match.Seed, uint64(group), purposeOpening)
	for plies := t.match.Opening; ; plies-- {
		for range openingTries {
			if err := ctx.Err(); err != nil {
				return err
			}
			if t.random(plies, rng) {
				return nil
			}
		}
	}
}

// random plays a number of random actions from the start. It reports whether
// the game still goes on; after no actions it does.
func (t *table) random(plies int, rng *rand.Rand) bool {
	t.state.CopyFrom(t.match.Game.New())
	t.actions, t.names = t.actions[:0], t.names[:0]
	var legal []env.Action
	for range plies {
		if legal = t.state.Legal(legal[:0]); len(legal) == 0 {
			return false
		}
		t.must(legal[rng.IntN(len(legal))])
	}
	_, over := t.state.Result()
	return !over
}

// play plays an action of a player.
func (t *table) play(a env.Action) error {
	if !slices.Contains(t.state.Legal(nil), a) {
		return fmt.Errorf("%w %d", env.ErrIllegal, a)
	}
	t.must(a)
	return nil
}

// must plays a legal action.
func (t *table) must(a env.Action) {
	t.names = append(t.names, t.state.ActionString(a))
	t.actions = append(t.actions, a)
	t.state.Play(a)
}
