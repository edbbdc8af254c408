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

var gamesHeader = format.Header{Format: 3, What: "tiro games"}

// MaxGameLog is the maximum size of a file of games, in bytes: about a million games.
const MaxGameLog = 1 << 30

// Conditions identify a match of a game, and the program that played it. Matches with equal
// conditions have equal games, unless their players have limits of time; such games depend on
// the machine.
type Conditions struct {
	Players      []player.Spec `json:"players"`
	Seed         uint64        `json:"seed"`
	Opening      int           `json:"opening"`
	Starts       string        `json:"starts,omitempty"` // checksum of the given openings
	Adjudication Adjudication  `json:"adjudication,omitzero"`
	Tiro         string        `json:"tiro"`    // version of the program
	Backend      string        `json:"backend"` // kind of the backend that computed the networks: "fma", "go", or the device and its driver
}

// Builder identifies the program that plays a match.
type Builder struct {
	Tiro    string // its version
	Backend string // kind of the backend that computes its networks, see net.Backend.Bits
}

// Conditions returns the conditions of the match.
func (m *Match) Conditions(by Builder) Conditions {
	c := Conditions{Seed: m.Seed, Opening: m.Opening, Starts: startsSum(m.Starts), Adjudication: m.Adjudication, Tiro: by.Tiro, Backend: by.Backend}
	for _, p := range m.Players {
		c.Players = append(c.Players, p.Spec)
	}
	return c
}

// LoggedMatch is a match in a GameLog.
type LoggedMatch struct {
	Conditions
	Planned int          `json:"games,omitempty"` // number of games planned at the beginning; 0 if unknown
	Games   []GameRecord `json:"-"`               // finished games, in the order in which they ended
}

// Complete reports whether all planned games have ended.
func (l *LoggedMatch) Complete() bool { return l.Planned > 0 && len(l.Games) >= l.Planned }

// GameLog is a file to which games of matches are appended when they end. The first line
// names the game. Then follow lines of matches, each before its games, and lines of games.
// Only one process may open a file at a time, and only one goroutine may use a GameLog.
type GameLog struct {
	Matches []*LoggedMatch // in the order in which they began

	game   env.Game
	fsys   disk.FS
	path   string
	file   disk.File
	index  map[string]int // index in Matches by the text of the conditions
	fault  error          // error of the last write, which may have left a partial line
	unlock func() error
}

// logHead is the first line of a GameLog.
type logHead struct {
	format.Header
	Game    string `json:"game"`    // canonical game string
	Version int    `json:"version"` // version of the game
}

// loggedMatches is a line that adds matches.
type loggedMatches struct {
	Matches []*LoggedMatch `json:"matches"`
}

// begunPrefix begins every line that adds matches, and no line of a game.
const begunPrefix = `{"matches":`

// loggedGame is the line of a game, with the index of its match.
type loggedGame struct {
	Match int `json:"match"`
	GameRecord
}

// OpenGameLog opens the file of games of game at path, or creates it. It drops a partial last
// line, which a killed process may have left.
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
		return errors.New("the file exists and is not a file of games")
	default:
		whole = l.head()
	}
	l.index = map[string]int{}
	for i, m := range slices.Backward(l.Matches) { // the first of equal matches counts
		l.index[string(line(m.Conditions))] = i
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

// Begin returns the matches of the log with the given conditions. It adds the missing ones, in
// one line, with games as their planned number of games.
func (l *GameLog) Begin(games int, all ...Conditions) (matches []*LoggedMatch, err error) {
	var fresh []*LoggedMatch
	for _, c := range all {
		key := string(line(c))
		i, known := l.index[key]
		if !known {
			i = len(l.Matches)
			m := &LoggedMatch{Conditions: c, Planned: games}
			l.index[key], l.Matches, fresh = i, append(l.Matches, m), append(fresh, m)
		}
		matches = append(matches, l.Matches[i])
	}
	if len(fresh) > 0 {
		err = l.write(loggedMatches{fresh})
	}
	return matches, err
}

// Resume sets the finished games of m from the log, and makes m append its other games to the
// log.
func (l *GameLog) Resume(m *Match, by Builder) error {
	logged, err := l.Begin(m.Games, m.Conditions(by))
	if err != nil {
		return err
	}
	return l.Continue(m, logged[0])
}

// Continue is like Resume for a known entry of the log.
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

// write appends a line. After an error the log may end with a partial line, so further calls
// write nothing and return the same error.
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

// ReadGames reads the matches in a file of games of game and replays their games. It ignores a
// partial last line. An error contains the line number.
func ReadGames(data []byte, game env.Game) (matches []*LoggedMatch, err error) {
	head, err := readHead(data)
	if err != nil {
		return nil, err
	}
	if err := game.Spec().CheckGames(head.Game, head.Version); err != nil {
		return nil, fmt.Errorf("line 1: %w", err)
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
	state   env.State // scratch space
	matches []*LoggedMatch
	seen    map[[2]int]bool // games by match and number
}

// read reads a line after the first.
func (r *logReader) read(text []byte) error {
	if bytes.HasPrefix(text, []byte(begunPrefix)) {
		var next loggedMatches
		err := format.DecodeStrict(text, &next)
		if err == nil && slices.ContainsFunc(next.Matches, func(m *LoggedMatch) bool { return m == nil || len(m.Players) < 2 }) {
			err = errors.New("a match with fewer than two players")
		}
		r.matches = append(r.matches, next.Matches...)
		return err
	}
	var next loggedGame
	if err := format.DecodeStrict(text, &next); err != nil {
		return err
	}
	if next.Match < 0 || next.Match >= len(r.matches) {
		return fmt.Errorf("game of unknown match %d (%d matches so far)", next.Match, len(r.matches))
	}
	m, id := r.matches[next.Match], [2]int{next.Match, next.Number}
	if r.seen[id] {
		return fmt.Errorf("duplicate game %d", next.Number)
	}
	r.seen[id] = true
	m.Games = append(m.Games, next.GameRecord)
	return next.check(r.game, r.state, len(m.Players))
}

// check replays the game on state, and returns an error unless its moves lead to its result.
// players is the number of players of the match.
func (r *GameRecord) check(game env.Game, state env.State, players int) error {
	seats := game.Spec().Players
	switch {
	case r.Number < 0 || r.Group < 0 || r.Opening < 0 || r.Opening > len(r.Moves):
		return fmt.Errorf("invalid number %d, group %d or opening %d of a game of %d moves", r.Number, r.Group, r.Opening, len(r.Moves))
	case len(r.Seating) != seats || slices.Min(r.Seating) < 0 || slices.Max(r.Seating) >= players:
		return fmt.Errorf("seating %v must be %d players in 0..%d", r.Seating, seats, players-1)
	case len(r.Result) != seats || slices.Min(r.Result) < -1 || slices.Max(r.Result) > 1:
		return fmt.Errorf("result %v must be a payoff from -1 to 1 for each of %d seats", r.Result, seats)
	case len(r.Effort) != players:
		return fmt.Errorf("efforts of %d players instead of %d", len(r.Effort), players)
	case r.Forfeit != nil && (r.Forfeit.Seat < 0 || r.Forfeit.Seat >= seats):
		return fmt.Errorf("forfeit by seat %d, which is not in 0..%d", r.Forfeit.Seat, seats-1)
	case r.AgreedWinner != nil && (*r.AgreedWinner < 0 || *r.AgreedWinner >= seats):
		return fmt.Errorf("agreed winner %d is not in 0..%d", *r.AgreedWinner, seats-1)
	}
	played := Start{r.Position, r.Moves}
	if _, err := played.play(game, state); err != nil {
		return err
	}
	v, over := state.Result()
	early := slices.Contains([]string{Adjudicated, LengthLimit, Forfeited, TimeForfeit}, r.Ending)
	if over == early || over && !slices.Equal(v[:seats], r.Result) {
		return fmt.Errorf("result %v, ending %.40q, but the moves lead to %s", r.Result, r.Ending, env.FormatResult(state, seats))
	}
	return nil
}
