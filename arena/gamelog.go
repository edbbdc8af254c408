package arena

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"tiro/disk"
	"tiro/env"
	"tiro/format"
)

// gamesHeader is the header of a file of games.
var gamesHeader = format.Header{Format: 1, What: "tiro games"}

// maxGameLog bounds a file of games, in bytes: about a million games.
const maxGameLog = 1 << 30

// Conditions says which match it is that games belong to, and which program played
// them. Matches of equal conditions have equal games, unless their players have a
// budget of time.
type Conditions struct {
	format.Header
	Game         string        `json:"game"`    // canonical game string
	Version      int           `json:"version"` // of its rules
	Players      []Participant `json:"players"`
	Seed         uint64        `json:"seed"`
	Opening      int           `json:"opening"`
	Adjudication Adjudication  `json:"adjudication"`
	Tiro         string        `json:"tiro"`    // version of the program
	Backend      string        `json:"backend"` // what computed the networks
}

// Participant is a player of a match.
type Participant struct {
	Name     string `json:"name"`
	Identity string `json:"identity,omitempty"` // see Identified
}

// Builder is the program that plays a match.
type Builder struct {
	Tiro    string // its version
	Backend string // what computes its networks
}

// Conditions returns the conditions of the match. It makes a player of each factory.
func (m *Match) Conditions(by Builder) (c Conditions, err error) {
	spec := m.Game.Spec()
	c = Conditions{
		Header: gamesHeader, Game: spec.Name, Version: spec.Version, Seed: m.Seed, Opening: m.Opening,
		Adjudication: m.Adjudication, Tiro: by.Tiro, Backend: by.Backend,
	}
	return c, m.eachPlayer(func(p Player) error {
		who := Participant{Name: p.Name()}
		if p, ok := p.(Identified); ok {
			who.Identity = p.Identity()
		}
		c.Players = append(c.Players, who)
		return nil
	})
}

// GameLog is a file of the games of a match, which grows as they end: a line with the
// Conditions, then one for each game. It belongs to one process at a time, and Add to one
// goroutine.
type GameLog struct {
	Games  []GameRecord // that were there when it was opened
	fsys   disk.FS
	path   string
	header []byte // its first line
	file   disk.File
	fault  error // of the last write, which may have left a part of a line
	unlock func() error
}

// OpenGameLog opens the log of a match at path, or makes one. A last line without its end,
// which a killed process has left, is dropped. A log of another match is refused.
func OpenGameLog(fsys disk.FS, path string, m *Match, c Conditions) (l *GameLog, err error) {
	unlock, err := disk.LockFile(fsys, path)
	if err != nil {
		return nil, err
	}
	l = &GameLog{fsys: fsys, path: path, unlock: unlock}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("games %s: %w", path, err), unlock())
		}
	}()
	old, err := disk.ReadFile(fsys, path, maxGameLog)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	whole := old[:bytes.LastIndexByte(old, '\n')+1]
	if len(old) > 0 && !mayBeGames(old) {
		return nil, errors.New("the file exists and holds no games of a match; choose another name")
	}
	if len(whole) > 0 {
		if err := l.resume(whole, m, c); err != nil {
			return nil, err
		}
	} else if whole, err = line(c); err != nil {
		return nil, err
	}
	if !bytes.Equal(whole, old) {
		if err := disk.WriteFile(fsys, path, disk.Bytes(whole)); err != nil {
			return nil, err
		}
	}
	first := bytes.IndexByte(whole, '\n') + 1
	l.header = bytes.Clone(whole[:first])
	l.file, err = fsys.Append(path)
	return l, err
}

// mayBeGames reports whether a file is one of games, perhaps of another format, or one
// whose first line was cut off.
func mayBeGames(data []byte) bool {
	first, _, whole := bytes.Cut(data, []byte("\n"))
	if !whole {
		begin := fmt.Appendf(nil, `{"format":%d,"what":%q`, gamesHeader.Format, gamesHeader.What)
		n := min(len(begin), len(first))
		return bytes.Equal(first[:n], begin[:n])
	}
	var h format.Header
	return json.Unmarshal(first, &h) == nil && h.What == gamesHeader.What
}

// resume reads the games of a log whose conditions must be c.
func (l *GameLog) resume(data []byte, m *Match, c Conditions) (err error) {
	before, games, err := ReadGames(data, m.Game)
	if err != nil {
		return err
	}
	if fault := before.differs(c); fault != "" {
		return fmt.Errorf("they are of another match: %s; name another file", fault)
	}
	seen := map[int]bool{}
	for i := range games {
		g := &games[i]
		if seen[g.Number] {
			return fmt.Errorf("line %d: game %d for the second time", i+2, g.Number)
		}
		if err := m.checkSeating(g); err != nil {
			return fmt.Errorf("line %d: %w", i+2, err)
		}
		seen[g.Number] = true
	}
	l.Games = games
	return nil
}

// differs says in what the conditions differ from others, or "".
func (c Conditions) differs(want Conditions) string {
	for _, field := range []struct {
		name      string
		got, want any
	}{
		{"game", c.Game, want.Game},
		{"players", c.Players, want.Players},
		{"seed", c.Seed, want.Seed},
		{"opening", c.Opening, want.Opening},
		{"adjudication", c.Adjudication, want.Adjudication},
		{"version of tiro", c.Tiro, want.Tiro},
		{"backend", c.Backend, want.Backend},
	} {
		if got, want := fmt.Sprint(field.got), fmt.Sprint(field.want); got != want {
			return fmt.Sprintf("%s is %.200s; want %.200s", field.name, got, want)
		}
	}
	return ""
}

// Add appends a game, in one write. After an error the log may end with a part of a
// line, so that Add returns the error again and writes nothing until a Retract.
func (l *GameLog) Add(r GameRecord) error {
	if l.fault != nil {
		return l.fault
	}
	text, err := line(r)
	if err == nil {
		_, err = l.file.Write(text)
		l.fault = err
	}
	return err
}

// Retract leaves only some games in the log, of which others were found to be wrong.
func (l *GameLog) Retract(left []GameRecord) error {
	whole := bytes.Clone(l.header)
	for _, r := range left {
		text, err := line(r)
		if err != nil {
			return err
		}
		whole = append(whole, text...)
	}
	if err := l.file.Close(); err != nil {
		return err
	}
	err := disk.WriteFile(l.fsys, l.path, disk.Bytes(whole))
	file, failure := l.fsys.Append(l.path)
	if failure == nil {
		l.file = file
	}
	l.fault = errors.Join(err, failure)
	return l.fault
}

// Close flushes the games to the disk and unlocks the file.
func (l *GameLog) Close() error { return errors.Join(l.file.Sync(), l.file.Close(), l.unlock()) }

// line returns the line of a value.
func line(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return b.Bytes(), err
}

// GamesOf returns the conditions of the games in a file, which says which game to give to
// ReadGames.
func GamesOf(data []byte) (c Conditions, err error) {
	first, _, _ := bytes.Cut(data, []byte("\n"))
	if err := format.DecodeJSON(first, gamesHeader, &c); err != nil {
		return c, fmt.Errorf("line 1: %w", err)
	}
	return c, nil
}

// ReadGames reads a file of games of game, of which the last line may be cut off, and
// plays them. An error names the line.
func ReadGames(data []byte, game env.Game) (c Conditions, games []GameRecord, err error) {
	if c, err = GamesOf(data); err != nil {
		return c, nil, err
	}
	if spec := game.Spec(); c.Game != spec.Name || c.Version != spec.Version {
		return c, nil, fmt.Errorf("line 1: games of %.100q, version %d of the rules; want %q, version %d", c.Game, c.Version, spec.Name, spec.Version)
	}
	state := game.New()
	number := 0
	for text := range bytes.Lines(data) {
		if number++; number == 1 || !bytes.HasSuffix(text, []byte("\n")) {
			continue
		}
		var r GameRecord
		if err := format.DecodeStrict(text, &r); err != nil {
			return c, nil, fmt.Errorf("line %d: %w", number, err)
		}
		if err := r.check(game, state, len(c.Players)); err != nil {
			return c, nil, fmt.Errorf("line %d: %w", number, err)
		}
		games = append(games, r)
	}
	return c, games, nil
}

// check plays a game of so many players on state, and returns an error unless it is as it
// says.
func (r *GameRecord) check(game env.Game, state env.State, players int) error {
	seats := game.Spec().Players
	switch {
	case r.Number < 0 || r.Group < 0 || r.Opening < 0 || r.Opening > len(r.Moves):
		return fmt.Errorf("number %d, group %d, opening %d of %d moves; want 0 or more, and no longer an opening than the game", r.Number, r.Group, r.Opening, len(r.Moves))
	case len(r.Seating) != seats || slices.Min(r.Seating) < 0 || slices.Max(r.Seating) >= players:
		return fmt.Errorf("seating %v; want %d players from 0 to %d", r.Seating, seats, players-1)
	case len(r.Result) != seats || slices.Min(r.Result) < -1 || slices.Max(r.Result) > 1:
		return fmt.Errorf("result %v; want a payoff from -1 to 1 for each of %d seats", r.Result, seats)
	case r.Forfeit != nil && (r.Forfeit.Seat < 0 || r.Forfeit.Seat >= seats):
		return fmt.Errorf("forfeit by seat %d; want 0 to %d", r.Forfeit.Seat, seats-1)
	case r.AgreedWinner != nil && (*r.AgreedWinner < 0 || *r.AgreedWinner >= seats):
		return fmt.Errorf("agreed winner %d; want 0 to %d", *r.AgreedWinner, seats-1)
	}
	state.CopyFrom(game.New())
	for i, name := range r.Moves {
		a, err := env.ParseAction(state, name)
		if err != nil {
			return fmt.Errorf("move %d: %w", i+1, err)
		}
		state.Play(a)
	}
	v, over := state.Result()
	early := slices.Contains([]string{Adjudicated, LengthLimit, Forfeited}, r.Ending)
	if over == early || over && !slices.Equal(v[:seats], r.Result) {
		return fmt.Errorf("result %v, ending %.40q; the moves lead to %s", r.Result, r.Ending, env.FormatResult(state, seats))
	}
	return nil
}

var _ io.Closer = (*GameLog)(nil)
