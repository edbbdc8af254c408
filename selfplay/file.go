package selfplay

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"

	"tiro/env"
	"tiro/format"
)

// fileHeader is the kind of episode file that is written and read.
var fileHeader = format.Header{Format: 2, What: "tiro episodes"}

// Header is the first line of an episode file: what the games are and what
// played them.
type Header struct {
	format.Header
	Game       string `json:"game"`       // game string of the generation
	Version    int    `json:"version"`    // version of the game
	Seed       uint64 `json:"seed"`       // seed of the run
	Generation int    `json:"generation"` // generation that played
	Net        string `json:"net"`        // first 16 digits of the SHA-256 of the weights.safetensors that played
}

// NewHeader returns the header for games of spec.
func NewHeader(spec env.Spec, seed uint64, generation int, net string) Header {
	return Header{fileHeader, spec.Name, spec.Version, seed, generation, net}
}

// line is an Episode as it is written.
type line struct {
	Game     int          `json:"game"`                // number within the generation, from 0
	Opening  int          `json:"opening"`             // number of unsearched actions at the start
	Plies    int          `json:"plies"`               // number of actions
	Result   []float32    `json:"result"`              // payoff by seat, -1 to 1, sum 0
	Ending   string       `json:"ending,omitempty"`    // rule that ended the game, or "resignation"
	NoResign bool         `json:"no_resign,omitempty"` // played to its end for calibration
	Actions  []string     `json:"actions"`             // actions from the start, in the game's notation
	Samples  []sampleLine `json:"samples"`             // one for each search, after the opening
}

type sampleLine struct {
	Ply    int       `json:"ply"`    // number of actions before the position
	Policy string    `json:"policy"` // ACTION:PROBABILITY by the search, ordered by action; four digits, from 0.0001
	Value  []float32 `json:"value"`  // payoff by seat expected by the search, four digits
	KL     float32   `json:"kl"`     // Kullback-Leibler divergence of the policy from the prior, nats
}

// writeWindow is how far back a frame that is written refers at most, in bytes. An
// encoder takes two to three times as much memory. With eight times the window the
// files are hardly smaller.
const writeWindow = 1 << 20

// newEncoder returns a compressor whose output depends on its input alone.
func newEncoder() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(writeWindow))
}

// Encoded is a game as an episode file holds it.
type Encoded struct {
	Game  int
	frame []byte            // its line, compressed, with a checksum
	sum   [sha256.Size]byte // of its line
}

// encode returns a game as an episode file holds it.
func encode(e *Episode, encoder *zstd.Encoder) (Encoded, error) {
	line, err := encodeLine(e)
	return Encoded{Game: e.Game, frame: encoder.EncodeAll(line, nil), sum: sha256.Sum256(line)}, err
}

// encodeLine returns a game as a line of text.
func encodeLine(e *Episode) ([]byte, error) {
	data, err := json.Marshal(newLine(e))
	return append(data, '\n'), err
}

// Encode returns games as an episode file holds them.
func Encode(episodes []Episode) ([]Encoded, error) {
	encoder, err := newEncoder()
	if err != nil {
		return nil, fmt.Errorf("selfplay: encode episodes: %w", err)
	}
	games := make([]Encoded, len(episodes))
	for i := range episodes {
		if games[i], err = encode(&episodes[i], encoder); err != nil {
			return nil, fmt.Errorf("selfplay: encode episode: %w", err)
		}
	}
	return games, nil
}

// Write writes an episode file.
func Write(w io.Writer, h Header, episodes []Episode) error {
	games, err := Encode(episodes)
	if err != nil {
		return err
	}
	return WriteEncoded(w, h, games)
}

// WriteEncoded writes an episode file: a frame for the header and one for each game.
func WriteEncoded(w io.Writer, h Header, games []Encoded) error {
	encoder, err := newEncoder()
	if err == nil {
		var line []byte
		if line, err = json.Marshal(h); err == nil {
			_, err = w.Write(encoder.EncodeAll(append(line, '\n'), nil))
		}
	}
	for i := 0; err == nil && i < len(games); i++ {
		_, err = w.Write(games[i].frame)
	}
	if err != nil {
		return fmt.Errorf("selfplay: write episodes: %w", err)
	}
	return nil
}

// Appender adds games to an episode file one by one. Each game can be read back even
// if the writing of the next one is cut short.
//
// After an error, which may have left a part of a game, every call returns that
// error, because games after that part could not be read.
type Appender struct {
	to      io.Writer
	encoder *zstd.Encoder
	games   []Encoded
	err     error
}

// NewAppender returns an Appender to w, which is the end of a file that holds the games
// in done.
func NewAppender(w io.Writer, done ...Encoded) (*Appender, error) {
	encoder, err := newEncoder()
	if err != nil {
		return nil, fmt.Errorf("selfplay: append episodes: %w", err)
	}
	return &Appender{to: w, encoder: encoder, games: done}, nil
}

// Append writes one game in one call of the writer.
func (a *Appender) Append(e Episode) error {
	if a.err != nil {
		return a.err
	}
	game, err := encode(&e, a.encoder)
	if err == nil {
		_, err = a.to.Write(game.frame)
	}
	if err != nil {
		a.err = fmt.Errorf("selfplay: append episode: %w", err)
		return a.err
	}
	a.games = append(a.games, game)
	return nil
}

// Games returns all games of the file, by their numbers.
func (a *Appender) Games() []Encoded {
	return slices.SortedFunc(slices.Values(a.games), func(a, b Encoded) int { return cmp.Compare(a.Game, b.Game) })
}

// newLine returns a game in the form that is written.
func newLine(e *Episode) line {
	players := e.Rules.Spec().Players
	l := line{
		Game:     e.Game,
		Opening:  e.Opening,
		Plies:    len(e.Actions),
		Result:   append([]float32{}, e.Result[:players]...),
		Ending:   e.Ending,
		NoResign: e.NoResign,
		Samples:  []sampleLine{},
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

// Digest is a running checksum of games: of the checksums of their lines in an episode
// file.
type Digest struct{ hash hash.Hash }

// NewDigest returns the Digest of no games.
func NewDigest() *Digest { return &Digest{sha256.New()} }

// Add adds a game.
func (d *Digest) Add(e *Episode) error {
	line, err := encodeLine(e)
	d.AddEncoded(Encoded{sum: sha256.Sum256(line)})
	return err
}

// AddEncoded adds a game.
func (d *Digest) AddEncoded(e Encoded) { d.hash.Write(e.sum[:]) }

// Sum returns the first 16 digits of the SHA-256.
func (d *Digest) Sum() string { return hex.EncodeToString(d.hash.Sum(nil))[:16] }
