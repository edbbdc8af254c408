package selfplay

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"

	"tiro/env"
)

// format is the version of the episode files.
const format = 1

// what tells an episode file from other compressed lines.
const what = "tiro episodes"

// Bounds on what a Reader takes: memory for decompression and for one line, in
// bytes. Windows of our files are 8 MiB; a line of a thousand plies with 500
// actions each takes about 8 MiB.
const (
	maxWindow = 8 << 20
	maxMemory = 64 << 20
	maxLine   = 32 << 20
)

// Header is the first line of an episode file: what the games are and what
// played them.
type Header struct {
	Format     int    `json:"format"`
	What       string `json:"what"`
	Game       string `json:"game"`    // canonical game string
	Version    int    `json:"version"` // of the game
	Seed       uint64 `json:"seed"`    // of the run
	Generation int    `json:"generation"`
	Net        string `json:"net"` // fingerprint of the weights that played
}

// NewHeader returns the header for games of spec.
func NewHeader(spec env.Spec, seed uint64, generation int, net string) Header {
	return Header{format, what, spec.Name, spec.Version, seed, generation, net}
}

// line is an Episode as it is written.
type line struct {
	Game    int       `json:"game"`
	Opening int       `json:"opening"`
	Plies   int       `json:"plies"`
	Result  []float32 `json:"result"` // by seat
	Ending  string    `json:"ending,omitempty"`
	Actions []string  `json:"actions"`
	Rows    []rowLine `json:"rows"`
}

type rowLine struct {
	Ply    int       `json:"ply"`
	Policy string    `json:"policy"` // ACTION:PROBABILITY …
	Value  []float32 `json:"value"`  // by seat
	KL     float32   `json:"kl"`
}

// newEncoder returns a compressor whose output depends on its input alone.
func newEncoder(w io.Writer) (*zstd.Encoder, error) {
	return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(maxWindow))
}

// Write writes a whole episode file.
func Write(w io.Writer, game env.Game, h Header, episodes []Episode) error {
	encoder, err := newEncoder(w)
	if err != nil {
		return fmt.Errorf("selfplay: write episodes: %w", err)
	}
	err = writeLines(encoder, game, h, episodes)
	if err = errors.Join(err, encoder.Close()); err != nil {
		return fmt.Errorf("selfplay: write episodes: %w", err)
	}
	return nil
}

func writeLines(w io.Writer, game env.Game, h Header, episodes []Episode) error {
	lines := json.NewEncoder(w)
	if err := lines.Encode(h); err != nil {
		return err
	}
	for i := range episodes {
		if err := lines.Encode(newLine(game, &episodes[i])); err != nil {
			return err
		}
	}
	return nil
}

// Appender writes an episode file game by game, each so that it can be read
// back even if the writing of the next is cut short.
type Appender struct {
	game env.Game
	to   io.Writer
	zstd *zstd.Encoder
}

// NewAppender returns an Appender of games to w, which is empty or the end of a
// file that an Appender has begun.
func NewAppender(w io.Writer, game env.Game) (*Appender, error) {
	encoder, err := newEncoder(nil)
	if err != nil {
		return nil, fmt.Errorf("selfplay: append episodes: %w", err)
	}
	return &Appender{game: game, to: w, zstd: encoder}, nil
}

// Begin writes the header of an empty file.
func (a *Appender) Begin(h Header) error { return a.put(h) }

// Append writes one game, in one call of the writer.
func (a *Appender) Append(e Episode) error { return a.put(newLine(a.game, &e)) }

// put writes a line as a compressed frame of its own, which has a checksum.
func (a *Appender) put(v any) error {
	data, err := json.Marshal(v)
	if err == nil {
		_, err = a.to.Write(a.zstd.EncodeAll(append(data, '\n'), nil))
	}
	if err != nil {
		return fmt.Errorf("selfplay: append episode: %w", err)
	}
	return nil
}

// newLine puts a game into words.
func newLine(game env.Game, e *Episode) line {
	players := game.Spec().Players
	l := line{
		Game:    e.Game,
		Opening: e.Opening,
		Plies:   len(e.Actions),
		Result:  append([]float32{}, e.Result[:players]...),
		Ending:  e.Ending,
		Rows:    make([]rowLine, len(e.Rows)),
	}
	s := game.New()
	next := 0
	for ply, a := range e.Actions {
		if next < len(e.Rows) && e.Rows[next].Ply == ply {
			r := &e.Rows[next]
			l.Rows[next] = rowLine{
				Ply:    ply,
				Policy: policyString(s, r.Policy),
				Value:  append([]float32{}, r.Value[:players]...),
				KL:     r.KL,
			}
			next++
		}
		l.Actions = append(l.Actions, s.ActionString(a))
		s.Play(a)
	}
	return l
}

func policyString(s env.State, policy []Share) string {
	var b strings.Builder
	for i, p := range policy {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(s.ActionString(p.Action))
		b.WriteByte(':')
		b.WriteString(strconv.FormatFloat(float64(p.Part)/Whole, 'f', -1, 64))
	}
	return b.String()
}

// readLine returns the next line without its end. A last line without an end
// is an error: its writing was cut short.
func readLine(r *bufio.Reader) ([]byte, error) {
	var data []byte
	for {
		part, err := r.ReadSlice('\n')
		if data = append(data, part...); len(data) > maxLine {
			return nil, fmt.Errorf("longer than %d bytes", maxLine)
		}
		switch {
		case err == nil:
			return data[:len(data)-1], nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(data) > 0:
			return nil, io.ErrUnexpectedEOF
		default:
			return nil, err
		}
	}
}
