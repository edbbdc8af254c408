package play

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"tiro/env"
	"tiro/format"
)

// Files is where a Terminal saves and loads games.
type Files interface {
	// ReadFile returns a file's content. Its error wraps fs.ErrNotExist if there is
	// no such file.
	ReadFile(name string) ([]byte, error)

	// WriteFile replaces the content of a file, or makes the file.
	WriteFile(name string, data []byte) error
}

// Record is a game as text: what it is, how it ended, and its turns. The text is
// described in docs/FORMATS.md.
type Record struct {
	Game     string   // game string
	Version  int      // of the rules, see env.Spec
	Position string   // where it began; "" for the start position
	Players  []string // by seat, for people
	Result   string   // as env.FormatResult writes it, and in parentheses how the game ended, for people
	Turns    []string // complete turns, in the game's notation
}

var recordHeader = format.Header{Format: 1, What: "tiro game"}

// Text writes the record, with a line for each round of turns.
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
	for i, turn := range r.Turns {
		if i%len(r.Players) == 0 {
			fmt.Fprintf(&b, "\n%d.", 1+i/len(r.Players))
		}
		b.WriteString(" " + turn)
	}
	b.WriteString("\n")
	return b.Bytes()
}

// isRecord reports whether a file is a game, perhaps of another format.
func isRecord(data []byte) bool {
	lines := bytes.SplitN(data, []byte("\n"), 3)
	return len(lines) > 1 && strings.TrimSpace(string(lines[1])) == "what: "+recordHeader.What
}

// RecordGame returns the game string of a record, which says which game to give to
// ReadRecord, and reports whether data is a record.
func RecordGame(data []byte) (game string, ok bool) {
	if !isRecord(data) {
		return "", false
	}
	for line := range strings.Lines(string(data)) {
		if value, found := strings.CutPrefix(line, "game:"); found {
			return strings.TrimSpace(value), true
		}
	}
	return "", true
}

// ReadRecord reads what Text writes and plays the turns. It returns the position in
// which the game of game began, and all actions. An error names the line.
func ReadRecord(game env.Game, data []byte) (start env.State, history []env.Action, err error) {
	r := recordReader{game: game, start: game.New(), at: game.New(), keys: map[string]string{}, lines: map[string]int{}}
	for line := range strings.Lines(string(data)) {
		r.line++
		if err := r.read(strings.TrimSpace(line)); err != nil {
			return nil, nil, fmt.Errorf("line %d: %w", r.line, err)
		}
	}
	if err := r.finish(); err != nil {
		return nil, nil, fmt.Errorf("line %d: %w", max(1, r.line), err)
	}
	return r.start, r.history, nil
}

// recordReader reads a record line by line.
type recordReader struct {
	game    env.Game
	line    int // that is read, or that an error is about
	keys    map[string]string
	lines   map[string]int // of the keys
	started bool           // the header has been read
	start   env.State
	at      env.State
	history []env.Action
}

// read reads one line.
func (r *recordReader) read(line string) error {
	key, value, ok := strings.Cut(line, ":")
	switch {
	case line == "":
		return nil
	case r.started || !ok || strings.Contains(key, " "):
		if err := r.begin(); err != nil {
			return err
		}
		return r.play(strings.Fields(line))
	}
	switch key {
	case "format", "what", "game", "version", "position", "players", "result":
		if _, twice := r.keys[key]; twice {
			return fmt.Errorf("%s for the second time", key)
		}
		r.keys[key], r.lines[key] = strings.TrimSpace(value), r.line
		return nil
	}
	return fmt.Errorf("unknown key %q; want format, what, game, version, position, players or result", clip(key))
}

// begin checks the header once it is complete.
func (r *recordReader) begin() error {
	if r.started {
		return nil
	}
	r.started = true
	n, _ := strconv.Atoi(r.keys["format"])
	if err := (format.Header{Format: n, What: r.keys["what"]}).Check(recordHeader); errors.Is(err, format.ErrForeign) {
		return r.about("what", err)
	} else if err != nil {
		return r.about("format", err)
	}
	for _, key := range []string{"game", "version", "players", "result"} {
		if r.keys[key] == "" {
			return r.about(key, fmt.Errorf("the header has no %s; the file may have been cut off", key))
		}
	}
	spec := r.game.Spec()
	if r.keys["game"] != spec.Name {
		return r.about("game", fmt.Errorf("a game of %s; this is %s", clip(r.keys["game"]), spec.Name))
	}
	if r.keys["version"] != strconv.Itoa(spec.Version) {
		return r.about("version", fmt.Errorf("version %s of the rules of %s; want %d", clip(r.keys["version"]), spec.Name, spec.Version))
	}
	if pos := r.keys["position"]; pos != "" {
		if err := setPosition(r.start, pos); err != nil {
			return r.about("position", err)
		}
	}
	r.at.CopyFrom(r.start)
	return nil
}

// about returns an error about the value of a key, so that its line is named.
func (r *recordReader) about(key string, err error) error {
	if line, ok := r.lines[key]; ok {
		r.line = line
	}
	return err
}

// play plays the turns on a line. Words such as "12." number the rounds.
func (r *recordReader) play(words []string) error {
	for _, word := range words {
		if n, err := strconv.Atoi(strings.TrimSuffix(word, ".")); err == nil && n > 0 && strings.HasSuffix(word, ".") {
			continue
		}
		actions, err := env.ParseTurn(r.at, word)
		if err != nil {
			return fmt.Errorf("move %d: %w", len(r.history)+1, err)
		}
		for _, a := range actions {
			r.history = append(r.history, a)
			r.at.Play(a)
		}
	}
	return nil
}

// finish checks the result.
func (r *recordReader) finish() error {
	if err := r.begin(); err != nil {
		return err
	}
	want := env.FormatResult(r.at, r.game.Spec().Players) // also * after a resignation: whoever resigned may play on
	if got, _, _ := strings.Cut(r.keys["result"], " ("); got != want {
		return r.about("result", fmt.Errorf("result %q; the moves lead to %s", clip(got), want))
	}
	return nil
}

// Record returns the game as text, without a turn that is not complete.
func (t *Table) Record() Record {
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
	for _, turn := range t.Turns() {
		if !turn.part {
			r.Turns = append(r.Turns, turn.Text)
		}
	}
	return r
}

// save writes the current game to a file.
func (s *session) save(name string) error {
	old, err := s.Files.ReadFile(name)
	switch {
	case err == nil && !isRecord(old):
		return fmt.Errorf("%s exists and is no game; choose another name", name)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := s.Files.WriteFile(name, s.Record().Text()); err != nil {
		return err
	}
	s.saved = len(s.History)
	return nil
}

// load makes the game in a file the current one.
func (s *session) load(name string) error {
	data, err := s.Files.ReadFile(name)
	if err != nil {
		return err
	}
	start, history, err := ReadRecord(s.Game, data)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	g := s.newGame(start)
	g.Play(history...)
	g.saved = len(history)
	s.begin(g)
	return nil
}
