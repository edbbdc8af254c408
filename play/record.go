package play

import (
	"errors"
	"fmt"
	"strings"

	"tiro/env"
	"tiro/format"
	"tiro/format/pgn"
	"tiro/format/sgf"
)

// Files stores the games that a Terminal saves and loads.
type Files interface {
	// ReadFile returns a file's content. Its error wraps fs.ErrNotExist if there is no
	// such file.
	ReadFile(name string) ([]byte, error)

	// WriteFile creates a file or replaces its content.
	WriteFile(name string, data []byte) error
}

// Record is a game of a match, of self-play or at a table. Its text is PGN (docs/FORMATS.md)
// or, for some games, SGF.
type Record struct {
	Rules   env.Game
	Event   string       // occasion, or "" if unknown
	Round   string       // number of the game, or "" if unknown
	Seats   []string     // by seat: name of the player
	Start   env.State    // first position
	History []env.Action // actions from Start
	Opening int          // number of actions that no player chose, at the start

	Payoffs []float32 // by seat; nil if the game has no result
	Ending  string    // rule that ended the game, Resignation or the like; "" if unknown
	Detail  string    // reason of the ending, as text, or ""

	Comments map[int]string // by the number of actions before: comment on an action
	Lines    [][]env.Action // lines from Start that were played and abandoned

	sgf string // result in SGF, unless the last position ends the game
}

// Resignation is the Ending of a game that a player has resigned.
const Resignation = "resignation"

// Record returns the game, with lines that were played and abandoned.
func (t *Table) Record(lines ...[]env.Action) *Record {
	r := &Record{Rules: t.Rules, Seats: t.Seats, Start: t.States[0], History: t.History, Lines: lines}
	payoffs, how := t.Result()
	if payoffs != nil {
		r.Payoffs = payoffs[:len(t.Seats)]
	}
	if r.Ending = how; t.abandoned() {
		r.Ending = Resignation
	}
	return r
}

// Table returns the game as a table. It is resigned if it has two seats and ended by the
// resignation of the human on turn.
func (r *Record) Table() *Table {
	t := NewTable(r.Rules, r.Seats, r.Start)
	t.Play(r.History...)
	if r.Ending == Resignation && len(r.Payoffs) == 2 && r.Payoffs[t.State().Turn()] < 0 && t.Occupant() == Human {
		_ = t.Resign() // it is a human's turn
	}
	return t
}

// from returns the position string of the first position, "" for the start position.
func (r *Record) from() (string, error) {
	if r.Start.Hash() == r.Rules.New().Hash() {
		return "", nil
	}
	p, ok := r.Start.(env.Positioner)
	if !ok {
		return "", fmt.Errorf("%s has no notation for positions", r.Rules.Spec().Name)
	}
	return p.Position(), nil
}

// Title returns the players, the result and the length, for people.
func (r *Record) Title() string {
	who := make([]string, len(r.Seats))
	for seat, name := range r.Seats {
		who[seat] = strings.TrimSpace(env.SeatName(r.Rules, env.Player(seat)) + " " + name)
	}
	result := "*"
	if r.Payoffs != nil {
		result = env.FormatPayoffs(r.Payoffs)
	}
	if len(r.Payoffs) > 2 { // rounded
		result = strings.Trim(fmt.Sprintf("%.2g", r.Payoffs), "[]")
	}
	switch {
	case r.Detail != "":
		result += " (" + r.Ending + ", " + r.Detail + ")"
	case r.Ending != "":
		result += " (" + r.Ending + ")"
	}
	return fmt.Sprintf("%s: %s, %d plies", strings.Join(who, ", "), result, len(r.History))
}

// RecordGame returns the game string of the first game in data, "" if it is missing, for the
// game argument of ReadRecord. It reports whether data is PGN or SGF.
func RecordGame(data []byte) (game string, ok bool) {
	switch {
	case sgf.Is(data):
		game = "go"
		for nodes, err := range sgf.Games(data) { // the error is ReadRecord's
			if err == nil {
				if g, err := readSGF(nodes); err == nil {
					game = g.name()
				}
			}
			break
		}
		return game, true
	case pgn.Is(data):
		for g := range pgn.Games(data) { // the error is ReadRecord's
			game = g.Tag(variantTag)
			break
		}
		return game, true
	}
	return "", false
}

// ReadRecord returns the only game in data, which is PGN or SGF. An error contains the line
// number.
func ReadRecord(game env.Game, data []byte) (*Record, error) {
	data, err := format.Text(data)
	if err != nil {
		return nil, err
	}
	all, err := readRecords(game, data)
	switch {
	case err != nil:
		return nil, err
	case len(all) == 0:
		return nil, errors.New("the text has no game")
	case len(all) > 1:
		return nil, fmt.Errorf("the text has %d games instead of one", len(all))
	}
	return all[0], nil
}

// readRecords returns the games in data, which is PGN or SGF.
func readRecords(game env.Game, data []byte) ([]*Record, error) {
	if sgf.Is(data) {
		return readSGFRecords(game, data)
	}
	return readPGNRecords(game, data)
}

// load replaces the current game with the game in a file.
func (s *session) load(name string) error {
	data, err := s.Files.ReadFile(name)
	if err != nil {
		return err
	}
	r, err := ReadRecord(s.Game, data)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	g := s.newGame(r.Start)
	g.Play(r.History...)
	g.saved = len(r.History)
	s.begin(g)
	return nil
}
