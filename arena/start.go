package arena

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"tiro/env"
)

// Start is a given opening of a game: a position and moves from it.
type Start struct {
	Position string   `json:"position,omitempty"` // position string; "" for the game's first position
	Moves    []string `json:"moves,omitempty"`    // actions from the position, in the game's notation
}

// play sets state to the position after the moves, and returns the actions.
func (s *Start) play(game env.Game, state env.State) (actions []env.Action, err error) {
	state.CopyFrom(game.New())
	if s.Position != "" {
		p, ok := state.(env.Positioner)
		if !ok {
			return nil, fmt.Errorf("%s has no notation for positions", game.Spec().Name)
		}
		if err := p.SetPosition(s.Position); err != nil {
			return nil, err
		}
	}
	for i, name := range s.Moves {
		a, err := env.ParseAction(state, name)
		if err != nil {
			return nil, fmt.Errorf("move %d: %w", i+1, err)
		}
		state.Play(a)
		actions = append(actions, a)
	}
	return actions, nil
}

// check returns an error unless games can begin with s.
func (s *Start) check(game env.Game) error {
	state := game.New()
	if _, err := s.play(game, state); err != nil {
		return err
	}
	if _, over := state.Result(); over {
		return errors.New("the game is over after it")
	}
	return nil
}

// start returns the given opening of a group.
func (m *Match) start(group int) *Start {
	if len(m.Starts) == 0 {
		return &Start{}
	}
	return &m.Starts[group%len(m.Starts)]
}

// startsSum returns a checksum of given openings: 16 digits, or "" if there are none.
func startsSum(starts []Start) string {
	if len(starts) == 0 {
		return ""
	}
	sum := sha256.Sum256(line(starts))
	return hex.EncodeToString(sum[:])[:16]
}
