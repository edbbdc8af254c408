package play

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"tiro/env"
	"tiro/format"
	"tiro/format/sgf"
)

// Files stores the games that a Terminal saves and loads.
type Files interface {
	// ReadFile returns a file's content. Its error wraps fs.ErrNotExist if there is
	// no such file.
	ReadFile(name string) ([]byte, error)

	// WriteFile creates a file or replaces its content.
	WriteFile(name string, data []byte) error
}

// Record is a game as text: the game string, the players, the result and the turns.
// docs/FORMATS.md describes the text.
type Record struct {
	Game     string     // game string
	Version  int        // version of the rules, see env.Spec
	Position string     // first position; "" for the start position
	Players  []string   // by seat: its name, and its player in parentheses
	Result   string     // in the format of env.FormatResult, and the ending in parentheses
	Turns    []string   // in the game's notation; single actions of an incomplete turn
	Lines    [][]string // turns of other lines that were played and abandoned
}

var recordHeader = format.Header{Format: 2, What: "tiro game"}

// Text returns the record as text, with a line for each round of turns.
func (r Record) Text() []byte {
	var b bytes.Buffer
	line := func(key, value string) { fmt.Fprintf(&b, "%s: %s\n", key, value) }
	line("format", strconv.Itoa(recordHeader.Format))
	line("what", recordHeader.What)
	line("game", r.Game)
	line("version", strconv.Itoa(r.Version))
	if r.Position != "" {
		line("position", r.Position)
	}
	line("players", strings.Join(r.Players, ", "))
	line("result", r.Result)
	for _, turns := range r.Lines {
		line("line", strings.Join(turns, " "))
	}
	for i, turn := range r.Turns {
		if i%len(r.Players) == 0 {
			fmt.Fprintf(&b, "\n%d.", 1+i/len(r.Players))
		}
		b.WriteString(" " + turn)
	}
	b.WriteString("\n")
	return b.Bytes()
}

// RecordGame returns the game string of a record, for the game argument of ReadRecord. It
// reports whether data is a record, possibly of another format, or a game of Go as SGF.
func RecordGame(data []byte) (game string, ok bool) {
	if sgf.Is(data) {
		if g, err := readSGF(data); err == nil {
			return g.name(), true
		}
		return "go", true // the error is ReadRecord's
	}
	lines := strings.SplitN(string(data), "\n", 3)
	if len(lines) < 2 || strings.TrimSpace(lines[1]) != "what: "+recordHeader.What {
		return "", false
	}
	for line := range strings.Lines(string(data)) {
		if value, found := strings.CutPrefix(line, "game:"); found {
			return strings.TrimSpace(value), true
		}
	}
	return "", true
}

// ReadRecord parses the output of Text, or a game of Go as SGF, and plays the turns. The table
// has seats if the record names them like Table.Record does. It is resigned if the record has
// two seats and its result is the resignation of the player on turn. lines are the abandoned
// lines. An error contains the line number.
func ReadRecord(game env.Game, data []byte) (t *Table, lines [][]env.Action, err error) {
	if data, err = format.Text(data); err != nil {
		return nil, nil, err
	}
	if sgf.Is(data) {
		g, err := readSGF(data)
		if err == nil {
			t, err = g.table(game)
		}
		return t, nil, err
	}
	r, err := readRecord(game, data)
	if err != nil {
		return nil, nil, err
	}
	return r.table, r.others, nil
}

func readRecord(game env.Game, data []byte) (*recordReader, error) {
	r := &recordReader{game: game, keys: map[string]string{}, lines: map[string]int{}}
	for line := range strings.Lines(string(data)) {
		r.line++
		if err := r.read(strings.TrimSpace(line)); err != nil {
			return nil, fmt.Errorf("line %d: %w", r.line, err)
		}
	}
	if err := r.finish(); err != nil {
		return nil, fmt.Errorf("line %d: %w", max(1, r.line), err)
	}
	return r, nil
}

// recordReader reads a record line by line.
type recordReader struct {
	game   env.Game
	line   int // number of the current line, or of the line with an error
	keys   map[string]string
	lines  map[string]int // line number of each key
	table  *Table         // nil until the header has been read
	others [][]env.Action
}

func (r *recordReader) read(line string) error {
	key, value, ok := strings.Cut(line, ":")
	switch {
	case line == "":
		return nil
	case key == "line" && ok:
		if err := r.begin(); err != nil {
			return err
		}
		actions, err := playMoves(env.After(r.game, r.table.States[0]), strings.Fields(value), parseMove)
		r.others = append(r.others, actions)
		return err
	case r.table != nil || !ok || strings.Contains(key, " "):
		if err := r.begin(); err != nil {
			return err
		}
		turns := slices.DeleteFunc(strings.Fields(line), func(word string) bool { // such as "12.", the number of a round
			n, err := strconv.Atoi(strings.TrimSuffix(word, "."))
			return err == nil && n > 0 && strings.HasSuffix(word, ".")
		})
		actions, err := playMoves(env.After(r.game, r.table.State()), turns, parseMove)
		r.table.Play(actions...)
		return err
	}
	switch key {
	case "format", "what", "game", "version", "position", "players", "result":
		if _, twice := r.keys[key]; twice {
			return fmt.Errorf("duplicate %s", key)
		}
		r.keys[key], r.lines[key] = strings.TrimSpace(value), r.line
		return nil
	}
	return fmt.Errorf("unknown key %q (format, what, game, version, position, players, result, line)", clip(key))
}

// begin checks the header once it is complete.
func (r *recordReader) begin() error {
	if r.table != nil {
		return nil
	}
	n, _ := strconv.Atoi(r.keys["format"])
	if err := (format.Header{Format: n, What: r.keys["what"]}).Check(recordHeader); errors.Is(err, format.ErrForeign) {
		return r.about("what", err)
	} else if err != nil {
		return r.about("format", err)
	}
	for _, key := range []string{"game", "version", "players", "result"} {
		if r.keys[key] == "" {
			return r.about(key, fmt.Errorf("the header has no %s; the file may be truncated", key))
		}
	}
	spec := r.game.Spec()
	if r.keys["game"] != spec.Name {
		return r.about("game", fmt.Errorf("a game of %s, not of %s", clip(r.keys["game"]), spec.Name))
	}
	if r.keys["version"] != strconv.Itoa(spec.Version) {
		return r.about("version", fmt.Errorf("version %s of the rules of %s, not %d", clip(r.keys["version"]), spec.Name, spec.Version))
	}
	start, err := PositionAfter(r.game, r.keys["position"], nil)
	if err != nil {
		return r.about("position", err)
	}
	r.table = NewTable(r.game, r.seats(), start)
	return nil
}

// seats returns the player of each seat, nil if the record does not name them like
// Table.Record does.
func (r *recordReader) seats() []string {
	pattern := make([]string, r.game.Spec().Players)
	for seat := range pattern {
		pattern[seat] = regexp.QuoteMeta(env.SeatName(r.game, env.Player(seat))) + ` \((.*?)\)`
	}
	found := regexp.MustCompile("^" + strings.Join(pattern, ", ") + "$").FindStringSubmatch(r.keys["players"])
	return found[min(1, len(found)):]
}

// about sets the current line to the line of a key, and returns err.
func (r *recordReader) about(key string, err error) error {
	if line, ok := r.lines[key]; ok {
		r.line = line
	}
	return err
}

func (r *recordReader) finish() error {
	if err := r.begin(); err != nil {
		return err
	}
	want := env.FormatResult(r.table.State(), r.game.Spec().Players) // "*" even after a resignation
	got, how, _ := strings.Cut(r.keys["result"], " (")
	if got != want {
		return r.about("result", fmt.Errorf("result %q, but the moves lead to %s", clip(got), want))
	}
	if len(r.table.Seats) == 2 && how == env.SeatName(r.game, r.table.State().Turn())+" resigned)" {
		return r.about("result", r.table.Resign())
	}
	return nil
}

// Record returns the record of the game, with other lines that were played and abandoned.
func (t *Table) Record(lines ...[]env.Action) Record {
	spec := t.Rules.Spec()
	r := Record{Game: spec.Name, Version: spec.Version, Result: env.FormatResult(t.State(), spec.Players)}
	if p, ok := t.States[0].(env.Positioner); ok && p.Position() != t.Rules.New().(env.Positioner).Position() {
		r.Position = p.Position()
	}
	for seat, name := range t.Seats {
		r.Players = append(r.Players, env.SeatName(t.Rules, env.Player(seat))+" ("+name+")")
	}
	if _, how := t.Result(); how != "" {
		r.Result += " (" + how + ")"
	}
	for turn := range Turns(t.Rules, t.States[0], t.History) {
		r.Turns = append(r.Turns, turn.Text)
	}
	for _, line := range lines {
		r.Lines = append(r.Lines, notation(t.Rules, t.States[0], line))
	}
	return r
}

// load replaces the current game with the game in a file.
func (s *session) load(name string) error {
	data, err := s.Files.ReadFile(name)
	if err != nil {
		return err
	}
	t, _, err := ReadRecord(s.Game, data)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	g := s.newGame(t.States[0])
	g.Play(t.History...)
	g.saved = len(t.History)
	s.begin(g)
	return nil
}
