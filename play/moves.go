package play

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tiro/env"
	"tiro/internal/suggest"
)

// names returns the names of the legal moves, sorted.
func names(s env.State) []string { return slices.Sorted(slices.Values(env.Names(s))) }

// PositionAfter returns the position after moves, which are complete turns or single actions.
// They begin at the position with the given string, or at the start position if that is "".
func PositionAfter(game env.Game, position string, moves []string) (env.State, error) {
	state := game.New()
	if position != "" {
		p, ok := state.(env.Positioner)
		if !ok {
			return nil, errors.New("this game has no notation for positions")
		}
		if err := p.SetPosition(position); err != nil {
			return nil, err
		}
	}
	_, err := playMoves(state, moves, parseMove)
	return state, err
}

// playMoves plays moves on s. parse returns the actions of a move.
func playMoves(s env.State, moves []string, parse func(env.State, string) ([]env.Action, error)) (history []env.Action, err error) {
	for i, name := range moves {
		actions, err := parse(s, name)
		if err != nil {
			return history, fmt.Errorf("move %d: %w", i+1, err)
		}
		history = append(history, actions...)
		for _, a := range actions {
			s.Play(a)
		}
	}
	return history, nil
}

// parseMove parses a complete turn or a single action.
func parseMove(s env.State, name string) ([]env.Action, error) {
	actions, err := env.ParseTurn(s, name)
	if err != nil {
		if single, fault := parseAction(s, name); fault == nil {
			return single, nil
		}
	}
	return actions, err
}

func parseAction(s env.State, name string) ([]env.Action, error) {
	a, err := env.ParseAction(s, name)
	return []env.Action{a}, err
}

// table formats names in rows of at most the given number of columns.
func table(names []string, columns int) string {
	width := 0
	for _, name := range names {
		width = max(width, len(name))
	}
	var b strings.Builder
	for row := range slices.Chunk(names, max(1, columns/(width+2))) {
		for _, name := range row[:len(row)-1] {
			fmt.Fprintf(&b, "  %-*s", width, name)
		}
		fmt.Fprintf(&b, "  %s\n", row[len(row)-1])
	}
	return b.String()
}

// cut shortens a line to the given number of columns.
func cut(line string, columns int) string {
	if r := []rune(line); len(r) > columns {
		return string(r[:max(1, columns-1)]) + "…"
	}
	return line
}

const suggestions = 8

// objection returns the message for text that is not a move. It suggests the legal moves with
// the longest common prefix, ordered by edit distance, ignoring case.
func objection(legal []string, text string) string {
	lower := strings.ToLower(text)
	prefix := func(name string) int { return commonPrefix(strings.ToLower(name), lower) }
	distance := func(name string) int { return suggest.Distance(strings.ToLower(name), lower) }
	longest := 0
	for _, name := range legal {
		longest = max(longest, prefix(name))
	}
	near := slices.DeleteFunc(slices.Clone(legal), func(name string) bool { return prefix(name) < longest })
	slices.SortStableFunc(near, func(a, b string) int { return cmp.Compare(distance(a), distance(b)) })
	more := ""
	if len(near) > suggestions {
		near, more = near[:suggestions], " …"
	}
	return fmt.Sprintf("%q is neither a legal move nor a command; similar moves: %s%s (moves lists all, help explains)",
		text, strings.Join(near, " "), more)
}

// clip shortens user input for a message.
func clip(text string) string { return clipAt(40, text) }

// clipAt shortens text to most bytes.
func clipAt(most int, text string) string {
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
