package arena

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"tiro/disk"
	"tiro/env"
	"tiro/format"
	"tiro/player"
)

var gamesHeader = format.Header{Format: 2, What: "tiro games"}

// MaxGameLog bounds a file of games, in bytes: about a million games.
const MaxGameLog = 1 << 30

// Conditions identify a match of a game, and the program that played it. Matches of equal
// conditions have equal games, unless their players have a budget of time.
type Conditions struct {
	Players      []player.Spec `json:"players"`
	Seed         uint64        `json:"seed"`
	Opening      int           `json:"opening"`
	Adjudication Adjudication  `json:"adjudication,omitzero"`
	Tiro         string        `json:"tiro"`    // version of the program
	Backend      string        `json:"backend"` // what computed the networks
}

// Builder is the program that plays a match.
type Builder struct {
	Tiro    string // its version
	Backend string // what computes its networks
}

// Conditions returns the conditions of the match.
func (m *Match) Conditions(by Builder) Conditions {
	c := Conditions{Seed: m.Seed, Opening: m.Opening, Adjudication: m.Adjudication, Tiro: by.Tiro, Backend: by.Backend}
	for _, p := range m.Players {
		c.Players = append(c.Players, p.Spec)
	}
	return c
}

// LoggedMatch is a match in a GameLog.
type LoggedMatch struct {
	Conditions
	Planned int          `json:"games,omitempty"` // games that it was begun with; 0: unknown
	Games   []GameRecord `json:"-"`               // that have ended, in that order
}

// Complete reports whether all planned games have ended.
func (l *LoggedMatch) Complete() bool { return l.Planned > 0 && len(l.Games) >= l.Planned }

// GameLog is a file of the games of matches, which grows as they end: a line for the game,
// then lines with matches that begin, and lines with their games. It belongs to one process
// at a time, and its methods to one goroutine at a time.
type GameLog struct {
	Matches []*LoggedMatch // in the order in which they began

	game   env.Game
	fsys   disk.FS
	path   string
	file   disk.File
	fault  error // of the last write, which may have left a part of a line
	unlock func() error
}

// logHead is the first line of a GameLog.
type logHead struct {
	format.Header
	Game    string `json:"game"`    // canonical game string
	Version int    `json:"version"` // of its rules
}

// loggedMatches is a line of matches that begin.
type loggedMatches struct {
	Matches []*LoggedMatch `json:"matches"`
}

// begunPrefix begins the lines of matches and no line of a game.
const begunPrefix = `{"matches":`

// loggedGame is the line of a game, with the index of its match.
type loggedGame struct {
	Match int `json:"match"`
	GameRecord
}

// OpenGameLog opens the log of games of a game at path, or makes one. A last line without
// its end, which a killed process has left, is dropped.
func OpenGameLog(fsys disk.FS, path string, game env.Game) (l *GameLog, err error) {
	unlock, err := disk.LockFile(fsys, path)
	if err != nil {
		return nil, err
	}
	l = &GameLog{game: game, fsys: fsys, path: path, unlock: unlock}
	if err := l.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("games %s: %w", path, err), unlock())
	}
	return l, nil
}

func (l *GameLog) open() error {
	old, err := disk.ReadFile(l.fsys, l.path, MaxGameLog)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	whole := old[:bytes.LastIndexByte(old, '\n')+1]
	switch {
	case len(whole) > 0:
		if l.Matches, err = ReadGames(whole, l.game); err != nil {
			return err
		}
	case !bytes.HasPrefix(l.head(), old):
		return errors.New("the file exists and holds no games; choose another name")
	default:
		whole = l.head()
	}
	if !bytes.Equal(whole, old) {
		if err := disk.WriteFile(l.fsys, l.path, disk.Bytes(whole)); err != nil {
			return err
		}
	}
	l.file, err = l.fsys.Append(l.path)
	return err
}

// head returns the first line.
func (l *GameLog) head() []byte {
	spec := l.game.Spec()
	return line(logHead{gamesHeader, spec.Name, spec.Version})
}

// Begin returns the matches of the log with the given conditions. Those that are not there
// are added, in one line, with a number of planned games.
func (l *GameLog) Begin(games int, all ...Conditions) (matches []*LoggedMatch, err error) {
	var fresh []*LoggedMatch
	for _, c := range all {
		key := line(c)
		i := slices.IndexFunc(l.Matches, func(m *LoggedMatch) bool { return bytes.Equal(line(m.Conditions), key) })
		if i < 0 {
			i = len(l.Matches)
			m := &LoggedMatch{Conditions: c, Planned: games}
			l.Matches, fresh = append(l.Matches, m), append(fresh, m)
		}
		matches = append(matches, l.Matches[i])
	}
	if len(fresh) > 0 {
		err = l.write(loggedMatches{fresh})
	}
	return matches, err
}

// Resume has a match go on with its games in the log, and append the others to it.
func (l *GameLog) Resume(m *Match, by Builder) error {
	logged, err := l.Begin(m.Games, m.Conditions(by))
	if err != nil {
		return err
	}
	return l.Continue(m, logged[0])
}

// Continue is Resume for a match whose entry in the log is known.
func (l *GameLog) Continue(m *Match, logged *LoggedMatch) error {
	for i := range logged.Games {
		if err := m.checkSeating(&logged.Games[i]); err != nil {
			return fmt.Errorf("games %s: %w", l.path, err)
		}
	}
	index := slices.Index(l.Matches, logged)
	m.Finished = slices.Clone(logged.Games)
	m.Record = func(r GameRecord) error {
		logged.Games = append(logged.Games, r)
		return l.write(loggedGame{index, r})
	}
	return nil
}

// write appends a line. After an error the log may end with a part of a line, so that write
// writes nothing more and returns the error again.
func (l *GameLog) write(of any) error {
	if l.fault == nil {
		_, l.fault = l.file.Write(line(of))
	}
	return l.fault
}

// Close flushes the games to the disk and unlocks the file.
func (l *GameLog) Close() error { return errors.Join(l.file.Sync(), l.file.Close(), l.unlock()) }

func line(v any) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(err) // numbers in records are finite
	}
	return b.Bytes()
}

// GameOf returns the canonical game string of the games in a file.
func GameOf(data []byte) (string, error) {
	head, err := readHead(data)
	return head.Game, err
}

func readHead(data []byte) (head logHead, err error) {
	first, _, _ := bytes.Cut(data, []byte("\n"))
	if err := format.DecodeJSON(first, gamesHeader, &head); err != nil {
		return head, fmt.Errorf("line 1: %w", err)
	}
	return head, nil
}

// ReadGames reads the matches in a file of games of game, of which the last line may be cut
// off, and plays their games. An error names the line.
func ReadGames(data []byte, game env.Game) (matches []*LoggedMatch, err error) {
	head, err := readHead(data)
	if err != nil {
		return nil, err
	}
	if spec := game.Spec(); head.Game != spec.Name || head.Version != spec.Version {
		return nil, fmt.Errorf("line 1: games of %.100q, version %d of the rules; want %q, version %d", head.Game, head.Version, spec.Name, spec.Version)
	}
	r := &logReader{game: game, state: game.New(), seen: map[[2]int]bool{}}
	number := 0
	for text := range bytes.Lines(data) {
		if number++; number == 1 || !bytes.HasSuffix(text, []byte("\n")) {
			continue
		}
		if err := r.read(text); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	return r.matches, nil
}

// logReader reads the lines of a GameLog.
type logReader struct {
	game    env.Game
	state   env.State // any
	matches []*LoggedMatch
	seen    map[[2]int]bool // games by match and number
}

// read reads a line but the first.
func (r *logReader) read(text []byte) error {
	if bytes.HasPrefix(text, []byte(begunPrefix)) {
		var next loggedMatches
		err := format.DecodeStrict(text, &next)
		if err == nil && slices.ContainsFunc(next.Matches, func(m *LoggedMatch) bool { return m == nil || len(m.Players) < 2 }) {
			err = errors.New("a match without players")
		}
		r.matches = append(r.matches, next.Matches...)
		return err
	}
	var next loggedGame
	if err := format.DecodeStrict(text, &next); err != nil {
		return err
	}
	if next.Match < 0 || next.Match >= len(r.matches) {
		return fmt.Errorf("game of match %d; the file has %d matches before it", next.Match, len(r.matches))
	}
	m, id := r.matches[next.Match], [2]int{next.Match, next.Number}
	if r.seen[id] {
		return fmt.Errorf("game %d for the second time", next.Number)
	}
	r.seen[id] = true
	m.Games = append(m.Games, next.GameRecord)
	return next.check(r.game, r.state, len(m.Players))
}

// check plays a game of a number of players on state, and returns an error unless its result
// follows from its moves.
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
