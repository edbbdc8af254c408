package play

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"tiro/env"
	"tiro/format"
)

// Positions answers each line of in with the result of describe, as JSON. A line is a position
// string, or a JSON object with the moves that lead to the position. The answer to a faulty
// line is an error. Positions returns the numbers of faulty lines and of all lines.
func Positions(ctx context.Context, game env.Game, in io.Reader, out io.Writer, describe func(env.State) (any, error)) (bad, lines int, err error) {
	buffer := bufio.NewWriter(out)
	encoder := json.NewEncoder(buffer)
	encoder.SetEscapeHTML(false)
	input := newInput(in)
	err = input.each(ctx, func(text string, fault error) error {
		var record any
		lines++
		if fault == nil {
			var state env.State
			if state, fault = positionOf(game, text); fault == nil {
				var err error
				if record, err = describe(state); err != nil {
					return err
				}
			}
		}
		if fault != nil {
			bad++
			record = badLine{text, fault.Error()}
		}
		err := encoder.Encode(record)
		if err == nil && input.Buffered() == 0 { // the other program may be waiting for the answer
			err = buffer.Flush()
		}
		if err != nil {
			return fmt.Errorf("write records: %w", err)
		}
		return nil
	})
	if fault := buffer.Flush(); err == nil { // after a failed write, Flush returns the same error
		err = fault
	}
	return bad, lines, err
}

// positionOf returns the position of a line.
func positionOf(game env.Game, line string) (env.State, error) {
	var way struct {
		Position string   `json:"position"`
		Moves    []string `json:"moves"`
	}
	if strings.HasPrefix(line, "{") {
		if err := format.DecodeStrict([]byte(line), &way); err != nil {
			return nil, err
		}
		return PositionAfter(game, way.Position, way.Moves)
	}
	state := game.New()
	p, ok := state.(env.Positioner)
	if !ok {
		return nil, fmt.Errorf(`%s has no notation for positions; use {"moves":[…]}`, game.Spec().Name)
	}
	return state, p.SetPosition(line)
}

// badLine is the answer to a faulty line.
type badLine struct {
	Position string `json:"pos"`
	Error    string `json:"error"`
}

// record describes a position of a game without an env.TurnRecorder.
type record struct {
	Position string   `json:"pos"`
	Legal    []string `json:"legal"`
	Result   string   `json:"result"`
	Children []child  `json:"children"`
}

type child struct {
	Move   string `json:"move"`
	After  string `json:"after"`
	Result string `json:"result"`
}

// PositionRecord returns the description of s for Positions: its legal moves and the positions
// after them.
func PositionRecord(game env.Game, s env.State) any {
	if r, ok := s.(env.TurnRecorder); ok {
		return r.Record()
	}
	players := game.Spec().Players
	r := record{Position: s.String(), Legal: []string{}, Result: env.FormatResult(s, players), Children: []child{}}
	for _, a := range s.Legal(nil) {
		next := env.After(game, s, a)
		r.Children = append(r.Children, child{s.ActionString(a), next.String(), env.FormatResult(next, players)})
	}
	slices.SortFunc(r.Children, func(a, b child) int { return strings.Compare(a.Move, b.Move) })
	for _, c := range r.Children {
		r.Legal = append(r.Legal, c.Move)
	}
	return r
}
