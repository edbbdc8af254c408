package play

import (
	"errors"
	"fmt"
	"strings"

	"tiro/arena"
	"tiro/env"
	"tiro/format"
)

// ReadStarts returns the openings in a file. Each line has the moves of an opening from the
// start or, if the first word is not a move, a position string. Empty lines and lines that
// begin with # are skipped. In PGN and SGF every game is an opening. Errors contain the line
// number.
func ReadStarts(game env.Game, data []byte) (all []arena.Start, err error) {
	if data, err = format.Text(data); err != nil {
		return nil, err
	}
	if _, ok := RecordGame(data); ok {
		return startsOfRecords(game, data)
	}
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		s, err := newStart(game, line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		err = errors.New("no openings")
	}
	return all, err
}

// newStart returns the opening of a line.
func newStart(game env.Game, line string) (s arena.Start, err error) {
	words := strings.Fields(line)
	state := game.New()
	if _, fault := parseMove(state, words[0]); fault != nil {
		if _, ok := state.(env.Positioner); !ok {
			return s, fault
		}
		if state, err = PositionAfter(game, line, nil); err != nil {
			return s, fmt.Errorf("neither moves (%w) nor a position (%w)", fault, err)
		}
		s.Position = line
	} else if s.Moves, err = actionNames(game, state, words); err != nil {
		return s, err
	}
	if _, over := state.Result(); over {
		err = errors.New("the game is over after this opening")
	}
	return s, err
}

// actionNames plays moves on a state and returns their single actions.
func actionNames(game env.Game, state env.State, moves []string) (names []string, err error) {
	at := env.After(game, state)
	history, err := playMoves(state, moves, parseMove)
	return playNames(at, history), err
}

// playNames plays actions on a state and returns their names.
func playNames(state env.State, actions []env.Action) (names []string) {
	for _, a := range actions {
		names = append(names, state.ActionString(a))
		state.Play(a)
	}
	return names
}

// startsOfRecords returns the games of a text as openings.
func startsOfRecords(game env.Game, data []byte) (all []arena.Start, err error) {
	stored, err := ReadStored(data, func(string) (env.Game, error) { return game, nil })
	if err != nil {
		return nil, err
	}
	for _, g := range stored.Games {
		var s arena.Start
		if s.Position, err = g.from(); err != nil {
			return nil, err
		}
		at := env.After(game, g.Start)
		s.Moves = playNames(at, g.History)
		if _, over := at.Result(); over {
			return nil, fmt.Errorf("game %d: the game is over after this opening", g.Number)
		}
		all = append(all, s)
	}
	return all, nil
}
