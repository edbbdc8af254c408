package exam

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"tiro/env"
	"tiro/format"
)

// Bounds of a set. A small compressed file may hold any number of lines.
const (
	maxQuestions = 1 << 16
	maxLine      = 1 << 20
)

// line is the JSON of a question.
type line struct {
	Moves    string `json:"moves"`              // actions from the start, separated by spaces
	Values   string `json:"values,omitempty"`   // solved: ACTION:VALUE of each legal action to the mover, such as 1:-1 2:0 3:1
	Wins     string `json:"wins,omitempty"`     // tactics, endgame: the winning actions
	Shortest string `json:"shortest,omitempty"` // endgame: the winning actions that begin a shortest win
	Results  string `json:"results,omitempty"`  // judgement: games won by each seat, then games drawn
}

// Read reads a set of questions about game. Errors contain the line number.
func Read(r io.Reader, game env.Game) (Set, error) {
	var set Set
	err := eachLine(r, maxQuestions+1, func(n int, text []byte) error {
		if n == 1 {
			return set.About.read(text, game)
		}
		q, err := set.question(text, game)
		set.Questions = append(set.Questions, q)
		return err
	})
	if err == nil && len(set.Questions) == 0 {
		err = errors.New("no positions")
	}
	if err != nil {
		return Set{}, fmt.Errorf("exam: %w", err)
	}
	return set, nil
}

// eachLine calls read for at most most lines with their numbers, from 1. Errors contain the
// number.
func eachLine(r io.Reader, most int, read func(n int, text []byte) error) error {
	lines, n := bufio.NewScanner(r), 1
	lines.Buffer(nil, maxLine)
	for ; lines.Scan(); n++ {
		err := lines.Err() // if there is one, the line may be truncated
		switch {
		case err != nil:
		case n > most:
			err = fmt.Errorf("more than %d lines", most)
		default:
			err = read(n, lines.Bytes())
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("line %d: %w", n, err)
	}
	return nil
}

// read reads the header of a set about game.
func (a *About) read(data []byte, game env.Game) error {
	if err := format.DecodeJSON(data, header, a); err != nil {
		return err
	}
	spec := game.Spec()
	if err := spec.CheckGames(a.Game, a.Version); err != nil {
		return err
	}
	switch {
	case !slices.Contains(kinds(), a.Kind):
		return fmt.Errorf("unknown kind %q (%s)", a.Kind, strings.Join(kinds(), ", "))
	case a.Kind == Solved && spec.Players != 2:
		return fmt.Errorf("kind %s requires a game for 2 players, not %d", a.Kind, spec.Players)
	case (a.Kind == Conversion) != (a.Plies > 0) || (a.Kind == Conversion) != (a.Defender != ""):
		return fmt.Errorf("kind %s, defender %q, plies %d: kind %s requires defender and plies, other kinds exclude them", a.Kind, a.Defender, a.Plies, Conversion)
	}
	return nil
}

// question reads a question of a set whose header is a.
func (a *About) question(data []byte, game env.Game) (q Question, err error) {
	var l line
	if err := format.DecodeStrict(data, &l); err != nil {
		return q, err
	}
	q.State = game.New()
	for i, name := range strings.Fields(l.Moves) {
		action, err := env.ParseAction(q.State, name)
		if err != nil {
			return q, fmt.Errorf("move %d: %w", i+1, err)
		}
		q.History = append(q.History, action)
		q.State.Play(action)
	}
	if _, over := q.State.Result(); over {
		return q, fmt.Errorf("the game is over after %d moves", len(q.History))
	}
	for _, field := range []struct{ kinds, name, text string }{
		{Solved, "values", l.Values}, {Tactics + " " + Endgame, "wins", l.Wins}, {Endgame, "shortest", l.Shortest}, {Judgement, "results", l.Results},
	} {
		if slices.Contains(strings.Fields(field.kinds), a.Kind) != (field.text != "") {
			return q, fmt.Errorf("%s is %q: it is required in kind %s and excluded in others", field.name, field.text, strings.ReplaceAll(field.kinds, " ", " and "))
		}
	}
	players := game.Spec().Players
	switch a.Kind {
	case Solved:
		return q, q.readValues(l.Values)
	case Tactics, Endgame, Conversion:
		q.Shares = env.WinFor(q.State.Turn(), players).Shares(players)
		return q, q.readWins(l.Wins, l.Shortest)
	}
	return q, q.readResults(l.Results, players)
}

// readValues reads the value of every legal action, in any order.
func (q *Question) readValues(text string) error {
	legal := q.State.Legal(nil)
	fields := strings.Fields(text)
	if len(fields) != len(legal) {
		return fmt.Errorf("%d values for %d actions", len(fields), len(legal))
	}
	values := make([]int, len(legal))
	for i, a := range legal {
		name := q.State.ActionString(a)
		at := slices.IndexFunc(fields, func(field string) bool { return strings.HasPrefix(field, name+":") })
		if at < 0 {
			return fmt.Errorf("no value of %s", name)
		}
		value, err := strconv.Atoi(fields[at][len(name)+1:])
		if err != nil || value < -1 || value > 1 {
			return fmt.Errorf("value %q must be %s:-1, %s:0 or %s:1", fields[at], name, name, name)
		}
		values[i] = value
	}
	best := slices.Max(values)
	for i, a := range legal {
		if values[i] == best {
			q.Right = append(q.Right, a)
		}
	}
	q.setMoversValue(best)
	return nil
}

// readWins reads the winning actions, and the ones that begin a shortest win.
func (q *Question) readWins(wins, shortest string) (err error) {
	if q.Right, err = q.readActions(wins); err != nil {
		return fmt.Errorf("wins: %w", err)
	}
	if q.Shortest, err = q.readActions(shortest); err != nil {
		return fmt.Errorf("shortest: %w", err)
	}
	for _, a := range q.Shortest {
		if _, wins := slices.BinarySearch(q.Right, a); !wins {
			return fmt.Errorf("shortest: %s is not one of the wins", q.State.ActionString(a))
		}
	}
	return nil
}

// readActions reads legal actions and sorts them.
func (q *Question) readActions(text string) (actions []env.Action, err error) {
	for _, name := range strings.Fields(text) {
		a, err := env.ParseAction(q.State, name)
		if err != nil {
			return nil, err
		}
		actions = append(actions, a)
	}
	slices.Sort(actions)
	return slices.Compact(actions), nil
}

// readResults reads the results of games as shares.
func (q *Question) readResults(text string, players int) error {
	fields := strings.Fields(text)
	games, drawn := 0.0, 0.0
	for i, field := range fields {
		n, err := strconv.Atoi(field)
		if err != nil || n < 0 || n > 1<<20 || len(fields) != players+1 {
			return fmt.Errorf("results %q must be %d numbers: the wins of each seat, and the draws", text, players+1)
		}
		games += float64(n)
		if i == players {
			drawn = float64(n)
		} else {
			q.Shares[i] = float64(n)
		}
	}
	if games == 0 {
		return errors.New("results without games")
	}
	for seat := range players {
		q.Shares[seat] = (q.Shares[seat] + drawn/float64(players)) / games
	}
	return nil
}
