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

// Bounds on what a Reader takes, whatever a file holds.
const (
	// maxWindow is how far back a frame may refer, in bytes, which the
	// decompressor keeps. Frames of ours need 8 MiB at most.
	maxWindow = 8 << 20
	// maxLine is the length of a line in bytes. A game of a thousand plies with
	// 500 actions each takes about 8 MiB.
	maxLine = 32 << 20
	// maxCommas is the number of commas in a line. It bounds the lists in it, of
	// which three bytes may become dozens in memory. A game takes about eight
	// commas a ply.
	maxCommas = 1 << 20
	// maxGame bounds the number of a game.
	maxGame = 1 << 24
	// A file may unpack to maxFree bytes and maxRatio bytes for each of its own.
	// Real files unpack to a few times their size.
	maxFree  = 64 << 20
	maxRatio = 1000
)

// counter counts the bytes that are read from a reader.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// unpacked reads what a file unpacks to and fails if that is out of proportion.
type unpacked struct {
	counter
	file *counter
}

func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.counter.Read(p)
	if u.n > maxFree+maxRatio*u.file.n {
		return 0, fmt.Errorf("%d bytes unpack to more than %d; no episode file does", u.file.n, u.n-int64(n))
	}
	return n, err
}

// Reader reads an episode file, which may come from anywhere. Errors name line
// and field; the first one is final.
type Reader struct {
	game   env.Game
	zstd   *zstd.Decoder
	lines  *bufio.Reader
	number int // of the line read last, from 1
	header Header
	seen   map[int]bool // games that were read
	memory []byte       // of lines
	err    error        // the first one
}

// OpenReader reads the header of an episode file. The game string in it is
// looked up with find. The caller closes the Reader.
func OpenReader(r io.Reader, find env.Lookup) (*Reader, error) {
	file := &counter{r: r}
	decoder, err := zstd.NewReader(file, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, fmt.Errorf("selfplay: read episodes: %w", err)
	}
	reader := &Reader{zstd: decoder, lines: bufio.NewReaderSize(&unpacked{counter{r: decoder}, file}, 1<<16), seen: map[int]bool{}}
	if err := reader.readHeader(find); err != nil {
		decoder.Close()
		return nil, fmt.Errorf("selfplay: read episodes: line 1: %w", err)
	}
	return reader, nil
}

// Close gives back the reader's memory. It does not close what is read from.
func (r *Reader) Close() { r.zstd.Close() }

// Header returns the file's header.
func (r *Reader) Header() Header { return r.header }

// Game returns the game of the file.
func (r *Reader) Game() env.Game { return r.game }

func (r *Reader) readHeader(find env.Lookup) error {
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
	h, spec := &r.header, r.game.Spec()
	switch {
	case h.Game != spec.Name:
		return fmt.Errorf("game is %q; want %q", h.Game, spec.Name)
	case h.Version != spec.Version:
		return fmt.Errorf("version is %d; this program plays version %d of %s", h.Version, spec.Version, spec.Name)
	}
	return checkActions(spec)
}

// line returns the next line without its end, valid until the next call. A last
// line without an end is an error, because its writing was cut short.
func (r *Reader) line() ([]byte, error) {
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

// Next returns the next game, replayed through the rules, and io.EOF after the
// last one.
func (r *Reader) Next() (Episode, error) {
	if r.err != nil {
		return Episode{}, r.err
	}
	var e Episode
	e, r.err = r.next()
	return e, r.err
}

func (r *Reader) next() (Episode, error) {
	data, err := r.line()
	if err == io.EOF {
		return Episode{}, io.EOF
	}
	var e Episode
	if err == nil {
		e, err = parseEpisode(r.game, data)
	}
	switch {
	case err != nil:
	case e.Game >= maxGame:
		err = fmt.Errorf("game is %d; want less than %d", e.Game, maxGame)
	case r.seen[e.Game]:
		err = fmt.Errorf("game %d is there already", e.Game)
	}
	if err != nil {
		return Episode{}, fmt.Errorf("selfplay: read episodes: line %d: %w", r.number, err)
	}
	r.seen[e.Game] = true
	return e, nil
}

// Read reads a complete episode file, as OpenReader does. On error it also returns the
// games before the fault.
func Read(r io.Reader, find env.Lookup) (Header, []Episode, error) {
	reader, err := OpenReader(r, find)
	if err != nil {
		return Header{}, nil, err
	}
	defer reader.Close()
	var episodes []Episode
	for {
		e, err := reader.Next()
		if err == io.EOF {
			return reader.header, episodes, nil
		}
		if err != nil {
			return reader.header, episodes, err
		}
		episodes = append(episodes, e)
	}
}
