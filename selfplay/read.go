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

// Limits that protect a Reader from hostile files.
const (
	// maxWindow is the maximum decompression window in bytes, which the decompressor
	// allocates. Our frames need at most 8 MiB.
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

// Reader reads an episode file, which need not be trusted. Errors name the line and the
// field. After the first error, all calls return it.
type Reader struct {
	game   env.Game
	zstd   *zstd.Decoder
	lines  *bufio.Reader
	number int // number of the last line read, from 1
	header Header
	seen   map[int]bool // games read so far
	memory []byte       // buffer for lines
	err    error        // the first error
}

// OpenReader reads the header of an episode file and looks up its game with find. The
// caller must close the Reader.
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

// Close releases the reader's memory. It does not close the underlying reader.
func (r *Reader) Close() { r.zstd.Close() }

// Header returns the file's header.
func (r *Reader) Header() Header { return r.header }

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
		return fmt.Errorf("game is %q, not %q", h.Game, spec.Name)
	case h.Version != spec.Version:
		return fmt.Errorf("version is %d, but this program supports version %d of %s", h.Version, spec.Version, spec.Name)
	}
	return CheckActions(spec)
}

// line returns the next line without its newline, valid until the next call. A last line
// without a newline is an error, because it was written only in part.
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

// Next returns the next game, replayed by the rules, or io.EOF after the last one.
func (r *Reader) Next() (Episode, error) {
	if r.err != nil {
		return Episode{}, r.err
	}
	var e Episode
	e, r.err = r.next()
	return e, r.err
}

// Each calls do with each remaining game, up to the first error of Next.
func (r *Reader) Each(do func(Episode)) error {
	for {
		e, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		do(e)
	}
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
		err = fmt.Errorf("game is %d but must be less than %d", e.Game, maxGame)
	case r.seen[e.Game]:
		err = fmt.Errorf("duplicate game %d", e.Game)
	}
	if err != nil {
		return Episode{}, fmt.Errorf("selfplay: read episodes: line %d: %w", r.number, err)
	}
	r.seen[e.Game] = true
	return e, nil
}

// Read reads a complete episode file, like OpenReader. On error it also returns the games
// before the fault.
func Read(r io.Reader, find env.Lookup) (Header, []Episode, error) {
	reader, err := OpenReader(r, find)
	if err != nil {
		return Header{}, nil, err
	}
	defer reader.Close()
	var episodes []Episode
	err = reader.Each(func(e Episode) { episodes = append(episodes, e) })
	return reader.header, episodes, err
}
