package selfplay

import (
	"fmt"
	"io"
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
