package cluster

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"

	"tiro/env"
	"tiro/net"
	"tiro/net/kernel"
)

// maxKept bounds how many networks a worker keeps. Their memory is bounded by a quarter of
// the worker's.
const maxKept = 64

// objectDigits is how many digits of a checksum name a network.
const objectDigits = 16

// objectOf returns the name of a network.
func objectOf(sum string) string { return sum[:min(len(sum), objectDigits)] }

// fetched is a network in memory.
type fetched struct {
	sum     string // SHA-256 of its weights file
	game    string // canonical game string that it was trained for
	backend string
	config  net.Config
	model   *net.Model
	bytes   int64
}

// fetcher is where a worker gets networks from. It keeps those that were used last.
type fetcher struct {
	// piece returns the piece of a network that begins at an offset, and the size of all.
	piece   func(ctx context.Context, name string, offset int) ([]byte, error)
	memory  int64       // of the worker
	failed  func(error) // is told what does not work and is tried again
	got     func(sum string)
	counted *counter

	kept []fetched // those that were used last first
}

// network returns the network of a game whose checksum begins with sum. It waits until it
// is there.
func (f *fetcher) network(ctx context.Context, sum string, spec env.Spec, backend kernel.Backend) (*fetched, error) {
	i := slices.IndexFunc(f.kept, func(k fetched) bool {
		return strings.HasPrefix(k.sum, sum) && k.game == spec.Name && k.backend == backend.Name()
	})
	if i >= 0 {
		k := f.kept[i]
		f.kept = slices.Insert(slices.Delete(f.kept, i, i+1), 0, k)
		return &k, nil
	}
	data, err := f.fetch(ctx, objectOf(sum))
	if err != nil {
		return nil, err
	}
	w, err := net.ReadWeights(data, spec)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errRefused, err)
	}
	found, err := w.Checksum()
	if err == nil && !strings.HasPrefix(found, sum) {
		err = fmt.Errorf("%w: the network is %s; the announcement names %s", errRefused, objectOf(found), sum)
	}
	if err != nil {
		return nil, err
	}
	f.got(objectOf(found))
	k := fetched{found, spec.Name, backend.Name(), w.Config, net.Compile(backend, w), w.Config.ModelBytes(spec) + modelOverhead}
	f.keep(k)
	return &k, nil
}

// modelOverhead is what a network takes besides its numbers, about: 0.33 MB were measured
// for one of 27 kB.
const modelOverhead = 300 << 10

// keep keeps a network, and forgets those that were not used for long.
func (f *fetcher) keep(k fetched) {
	f.kept = slices.Insert(f.kept, 0, k)
	all := int64(0)
	for i := range f.kept {
		if all += f.kept[i].bytes; i > 0 && (i == maxKept || all > f.memory/4) {
			f.kept = slices.Delete(f.kept, i, len(f.kept))
			return
		}
	}
}

// bytes returns how much memory the networks take.
func (f *fetcher) bytes() (all int64) {
	for i := range f.kept {
		all += f.kept[i].bytes
	}
	return all
}

// fetch returns a weights file. It tries again until it has it.
func (f *fetcher) fetch(ctx context.Context, name string) (data []byte, err error) {
	const retry = time.Second
	fault := lastError{}
	for {
		piece, err := f.piece(ctx, name, len(data))
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err == nil && len(piece) < pieceHeader:
			err = fmt.Errorf("the trainer does not know network %s", name)
		case err == nil:
			size := binary.BigEndian.Uint64(piece)
			if size > uint64(min(maxWeights, f.memory/4)) {
				return nil, fmt.Errorf("%w: network %s has %d bytes; want at most a quarter of --memory", errRefused, name, size)
			}
			data = append(data, piece[pieceHeader:]...)
			if len(data) == int(size) {
				return data, nil
			}
			if len(piece) > pieceHeader && len(data) < int(size) {
				continue
			}
			data, err = nil, fmt.Errorf("network %s has another size than its pieces", name)
		}
		if fault.changes(err) {
			f.failed(err)
		}
		if err := pause(ctx, retry); err != nil {
			return nil, context.Cause(ctx)
		}
	}
}

// pieceHeader is the size of the number that a piece begins with: the bytes of all pieces.
const pieceHeader = 8

// pieceOf returns the piece of a weights file that begins at an offset.
func pieceOf(data []byte, offset int) []byte {
	piece := data[min(max(offset, 0), len(data)):]
	piece = piece[:min(len(piece), networkPiece)]
	return append(binary.BigEndian.AppendUint64(nil, uint64(len(data))), piece...)
}

// lastError is the text of an error that was told, so that it is told only once.
type lastError struct{ text string }

// changes reports whether err is another one than the last time.
func (e *lastError) changes(err error) bool {
	text := ""
	if err != nil {
		text = err.Error()
	}
	changed := text != e.text
	e.text = text
	return changed
}
