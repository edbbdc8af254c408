package selfplay

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"tiro/env"
)

// maxFrame is the maximum size of a frame in bytes.
const maxFrame = 64 << 20

// Tail reads the newest games of an episode file to which an Appender is adding games,
// without reading the others. Use NewTail to create one.
type Tail struct {
	find  env.Lookup
	empty []byte // a file with the header and no games; nil before the header is read
	rest  []byte // an incomplete frame
	games int
	err   error
}

// NewTail returns a Tail at the beginning of a file.
func NewTail(find env.Lookup) *Tail { return &Tail{find: find} }

// Games returns the number of games found so far.
func (t *Tail) Games() int { return t.games }

// Add adds the next bytes of the file and returns the newest games that they complete, at
// most keep, oldest first. Like Each it does not trust the file. After the first error,
// all calls return it.
func (t *Tail) Add(data []byte, keep int) ([]Episode, error) {
	if t.err != nil {
		return nil, t.err
	}
	episodes, err := t.add(data, keep)
	if err != nil {
		t.err = fmt.Errorf("selfplay: follow episodes: %w", err)
		return nil, t.err
	}
	return episodes, nil
}

func (t *Tail) add(data []byte, keep int) (newest []Episode, err error) {
	t.rest = append(t.rest, data...)
	frames, err := t.frames()
	if err != nil || len(frames) == 0 {
		return nil, err
	}
	if t.empty == nil {
		if _, err := Each(bytes.NewReader(frames[0]), t.find, func(Episode) {}); err != nil {
			return nil, err
		}
		t.empty = bytes.Clone(frames[0])
		frames = frames[1:]
	}
	t.games += len(frames)
	frames = frames[max(0, len(frames)-keep):]
	file := bytes.NewReader(bytes.Join(append([][]byte{t.empty}, frames...), nil))
	_, newest, err = Read(file, t.find)
	return newest, err
}

// frames removes the complete frames from t.rest and returns them.
func (t *Tail) frames() (frames [][]byte, err error) {
	for {
		size, err := frameSize(t.rest)
		if err != nil {
			return nil, err
		}
		if size == 0 {
			if len(t.rest) > maxFrame {
				return nil, fmt.Errorf("a frame is longer than the limit of %d bytes", maxFrame)
			}
			t.rest = bytes.Clone(t.rest) // releases the frames
			return frames, nil
		}
		frames = append(frames, t.rest[:size:size])
		t.rest = t.rest[size:]
	}
}

// frameSize returns the length of the Zstandard frame at the beginning of data, or 0 if it
// is incomplete (RFC 8878, section 3.1.1).
func frameSize(data []byte) (int, error) {
	const (
		blockHeader = 3
		repeated    = 1 // a repeated byte
		reserved    = 3
		checksum    = 4
	)
	var h zstd.Header
	if err := h.Decode(data); errors.Is(err, io.ErrUnexpectedEOF) {
		return 0, nil
	} else if err != nil {
		return 0, err
	}
	if h.Skippable {
		return 0, errors.New("skippable frame, which no episode file has")
	}
	at := h.HeaderSize
	for last := false; !last; {
		if len(data) < at+blockHeader {
			return 0, nil
		}
		bits := int(data[at]) | int(data[at+1])<<8 | int(data[at+2])<<16
		kind, size := bits>>1&3, bits>>3
		switch kind {
		case repeated:
			size = 1
		case reserved:
			return 0, errors.New("block of a reserved type")
		}
		last = bits&1 == 1
		at += blockHeader + size
	}
	if h.HasCheckSum {
		at += checksum
	}
	if at > len(data) {
		return 0, nil
	}
	return at, nil
}
