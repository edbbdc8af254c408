package selfplay

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"tiro/env"
	"tiro/format"
)

// Limits that protect readers of hostile files.
const (
	// maxWindow is the maximum decompression window in bytes, which the decompressor
	// allocates. Our frames need at most writeWindow.
	maxWindow = 8 << 20
	// maxLine is the maximum length of a line in bytes. A game of a thousand plies with 500
	// actions each takes about 8 MiB.
	maxLine = 32 << 20
	// maxCommas is the maximum number of commas in a line. It limits the lists in the line,
	// in which three bytes may become dozens in memory. A game has about eight commas per
	// ply.
	maxCommas = 1 << 20
	// maxGame is the limit on the number of a game.
	maxGame = 1 << 24
	// A file may decompress to maxFree bytes plus maxRatio times its size. Real files
	// decompress to a few times their size.
	maxFree  = 64 << 20
	maxRatio = 1000
)

// counter counts the bytes read from a reader.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// unpacked reads decompressed data and fails if it is out of proportion to the file.
type unpacked struct {
	counter
	file *counter
}

func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.counter.Read(p)
	if u.n > maxFree+maxRatio*u.file.n {
		return 0, fmt.Errorf("%d bytes decompress to more than %d, which no episode file does", u.file.n, u.n-int64(n))
	}
	return n, err
}

// reader reads the lines of an episode file.
type reader struct {
	game   env.Game
	lines  *bufio.Reader
	number int // number of the last line read, from 1
	header Header
	seen   map[int]bool // games read so far
	memory []byte       // buffer for lines
}

// Each reads an episode file, which need not be trusted, and calls do with each game,
// replayed by the rules. It looks up the game of the file with find. Errors name the line and
// the field. On error, do has been called with the games before the fault, and the header is
// zero if the fault is there.
func Each(file io.Reader, find env.Lookup, do func(Episode)) (Header, error) {
	packed := &counter{r: file}
	decoder, err := zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return Header{}, fmt.Errorf("selfplay: read episodes: %w", err)
	}
	defer decoder.Close()
	r := &reader{lines: bufio.NewReaderSize(&unpacked{counter{r: decoder}, packed}, 1<<16), seen: map[int]bool{}}
	if err := r.readHeader(find); err != nil {
		return Header{}, fmt.Errorf("selfplay: read episodes: line 1: %w", err)
	}
	for {
		data, err := r.line()
		if err == io.EOF {
			return r.header, nil
		}
		var e Episode
		if err == nil {
			e, err = r.episode(data)
		}
		if err != nil {
			return r.header, fmt.Errorf("selfplay: read episodes: line %d: %w", r.number, err)
		}
		do(e)
	}
}

// Read reads a complete episode file, like Each. On error it also returns the games before
// the fault.
func Read(file io.Reader, find env.Lookup) (h Header, episodes []Episode, err error) {
	h, err = Each(file, find, func(e Episode) { episodes = append(episodes, e) })
	return h, episodes, err
}

func (r *reader) readHeader(find env.Lookup) error {
	data, err := r.line()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return err
	}
	if err := format.DecodeJSON(data, fileHeader, &r.header); err != nil {
		return err
	}
	if r.game, err = find(r.header.Game); err != nil {
		return err
	}
	if err := r.game.Spec().CheckGames(r.header.Game, r.header.Version); err != nil {
		return err
	}
	return CheckActions(r.game.Spec())
}

// line returns the next line without its newline, valid until the next call. A last line
// without a newline is an error, because it was written only in part.
func (r *reader) line() ([]byte, error) {
	r.number++
	r.memory = r.memory[:0]
	for {
		part, err := r.lines.ReadSlice('\n')
		if r.memory = append(r.memory, part...); len(r.memory) > maxLine {
			return nil, fmt.Errorf("longer than %d bytes", maxLine)
		}
		switch {
		case err == nil:
			return r.memory[:len(r.memory)-1], nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(r.memory) > 0:
			return nil, io.ErrUnexpectedEOF
		default:
			return nil, err
		}
	}
}

// episode returns the game of a line.
func (r *reader) episode(line []byte) (Episode, error) {
	e, err := parseEpisode(r.game, line)
	switch {
	case err != nil:
	case e.Game >= maxGame:
		err = fmt.Errorf("game is %d but must be less than %d", e.Game, maxGame)
	case r.seen[e.Game]:
		err = fmt.Errorf("duplicate game %d", e.Game)
	}
	r.seen[e.Game] = true
	return e, err
}
