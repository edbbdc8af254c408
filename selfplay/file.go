package selfplay

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"

	"tiro/env"
	"tiro/format"
)

// fileHeader is the header of episode files.
var fileHeader = format.Header{Format: 2, What: "tiro episodes"}

// Header is the first line of an episode file. It describes the games and the network that
// played them.
type Header struct {
	format.Header
	Game       string `json:"game"`       // game string of the generation
	Version    int    `json:"version"`    // version of the game
	Seed       uint64 `json:"seed"`       // seed of the run
	Generation int    `json:"generation"` // generation that played
	Net        string `json:"net"`        // first 16 digits of the SHA-256 of the weights.safetensors that played, or "others"
}

// ByOthers is the Header.Net of games that the run's networks did not play.
const ByOthers = "others"

// NewHeader returns the header for games of spec.
func NewHeader(spec env.Spec, seed uint64, generation int, net string) Header {
	return Header{fileHeader, spec.Name, spec.Version, seed, generation, net}
}

// line is the JSON form of an Episode.
type line struct {
	Game    int          `json:"game"`             // number within the generation, from 0
	Opening int          `json:"opening"`          // number of unsearched actions at the start
	Plies   int          `json:"plies"`            // number of actions
	Result  []float32    `json:"result"`           // payoff by seat, -1 to 1, sum 0
	Ending  string       `json:"ending,omitempty"` // rule that ended the game, or "resignation" in an imported game
	Actions []string     `json:"actions"`          // actions from the start, in the game's notation
	Samples []sampleLine `json:"samples"`          // one for each search, after the opening
}

type sampleLine struct {
	Ply    int       `json:"ply"`    // number of actions before the position
	Policy string    `json:"policy"` // ACTION:PROBABILITY by the search, ordered by action; four digits, from 0.0001
	Value  []float32 `json:"value"`  // payoff by seat expected by the search, four digits
	KL     float32   `json:"kl"`     // Kullback-Leibler divergence of the policy from the prior, nats
}

// writeWindow is the compression window in bytes. An encoder uses two to three times as
// much memory. A window eight times as large hardly makes files smaller.
const writeWindow = 1 << 20

// encoder returns a deterministic compressor. Its EncodeAll may be called concurrently.
var encoder = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithWindowSize(writeWindow))
	if err != nil {
		panic(err) // options are constants
	}
	return e
})

// Encoded is a game encoded for an episode file.
type Encoded struct {
	Game  int
	frame []byte            // the game's line, compressed, with a checksum
	sum   [sha256.Size]byte // of the line
}

// Encode encodes a game for an episode file. It may be called concurrently.
func Encode(e *Episode) (Encoded, error) {
	line, err := encodeLine(e)
	if err != nil {
		return Encoded{}, fmt.Errorf("selfplay: encode episode: %w", err)
	}
	return Encoded{Game: e.Game, frame: encoder().EncodeAll(line, nil), sum: sha256.Sum256(line)}, nil
}

// encodeLine encodes a game as a line of JSON.
func encodeLine(e *Episode) ([]byte, error) {
	data, err := json.Marshal(newLine(e))
	return append(data, '\n'), err
}

// EncodeAll encodes games for an episode file.
func EncodeAll(episodes []Episode) ([]Encoded, error) {
	games := make([]Encoded, len(episodes))
	for i := range episodes {
		var err error
		if games[i], err = Encode(&episodes[i]); err != nil {
			return nil, err
		}
	}
	return games, nil
}

// Write writes an episode file: a frame for the header and one for each game.
func Write(w io.Writer, h Header, games []Encoded) error {
	line, err := json.Marshal(h)
	if err == nil {
		_, err = w.Write(encoder().EncodeAll(append(line, '\n'), nil))
	}
	for i := 0; err == nil && i < len(games); i++ {
		_, err = w.Write(games[i].frame)
	}
	if err != nil {
		return fmt.Errorf("selfplay: write episodes: %w", err)
	}
	return nil
}

// Appender appends games to an episode file one by one. A game can be read even if writing
// the next one is interrupted.
//
// An error may leave part of a game, after which further games could not be read. Every
// later call therefore returns the same error.
//
// Its methods may be called concurrently.
type Appender struct {
	mu    sync.Mutex // guards the fields below
	to    io.Writer
	games []Encoded
	err   error
}

// NewAppender returns an Appender to w, the end of a file that contains the games in done.
func NewAppender(w io.Writer, done ...Encoded) *Appender {
	return &Appender{to: w, games: done}
}

// Append writes one game with a single call of the writer.
func (a *Appender) Append(game Encoded) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err != nil {
		return a.err
	}
	if _, err := a.to.Write(game.frame); err != nil {
		a.err = fmt.Errorf("selfplay: append episode: %w", err)
		return a.err
	}
	a.games = append(a.games, game)
	return nil
}

// Games returns all games of the file, ordered by number.
func (a *Appender) Games() []Encoded {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.SortedFunc(slices.Values(a.games), func(a, b Encoded) int { return cmp.Compare(a.Game, b.Game) })
}

// newLine returns the JSON form of a game.
func newLine(e *Episode) line {
	players := e.Rules.Spec().Players
	l := line{
		Game:    e.Game,
		Opening: e.Opening,
		Plies:   len(e.Actions),
		Result:  append([]float32{}, e.Result[:players]...),
		Ending:  e.Ending,
		Samples: []sampleLine{},
	}
	s, rest := e.Rules.New(), e.Samples
	for ply, a := range e.Actions {
		if len(rest) > 0 && rest[0].Ply == ply {
			value := append([]float32{}, rest[0].Value[:players]...)
			l.Samples = append(l.Samples, sampleLine{ply, policyString(s, rest[0].Policy), value, rest[0].KL})
			rest = rest[1:]
		}
		l.Actions = append(l.Actions, s.ActionString(a))
		s.Play(a)
	}
	return l
}

func policyString(s env.State, policy []PolicyEntry) string {
	parts := make([]string, len(policy))
	for i, p := range policy {
		probability := strconv.FormatFloat(float64(p.Weight)/Scale, 'f', -1, 64)
		parts[i] = s.ActionString(env.Action(p.Action)) + ":" + probability
	}
	return strings.Join(parts, " ")
}

// Sum returns the SHA-256 checksum of the game's line, in hexadecimal digits.
func (e Encoded) Sum() string { return hex.EncodeToString(e.sum[:]) }

// Sum returns a checksum of games: the first 16 hexadecimal digits of the SHA-256 of the
// SHA-256 checksums of their lines.
func Sum(episodes []Episode) (string, error) {
	games := make([]Encoded, len(episodes))
	for i := range episodes {
		line, err := encodeLine(&episodes[i])
		if err != nil {
			return "", err
		}
		games[i].sum = sha256.Sum256(line)
	}
	return SumEncoded(games), nil
}

// SumEncoded is Sum of encoded games.
func SumEncoded(games []Encoded) string {
	all := sha256.New()
	for _, g := range games {
		all.Write(g.sum[:])
	}
	return hex.EncodeToString(all.Sum(nil))[:16]
}
