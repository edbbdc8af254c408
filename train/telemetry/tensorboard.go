package telemetry

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"path/filepath"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"tiro/disk"
	"tiro/rundir"
)

// EventFile is the name of the event file. TensorBoard looks for "tfevents" in it.
const EventFile = "events.out.tfevents.0.tiro"

// maxEvents bounds the length of an event file that is read, in bytes. The longest
// metrics.jsonl makes about half of it.
const maxEvents = 128 << 20

// fileVersion is the first event of a file (TensorFlow, core/util/event.proto).
const fileVersion = "brain.Event:2"

// Fields of the messages Event, Summary and Summary.Value (TensorFlow,
// core/util/event.proto and core/framework/summary.proto).
const (
	eventWallTime = 1
	eventStep     = 2
	eventVersion  = 3
	eventSummary  = 5
	summaryValue  = 1
	valueTag      = 1
	valueSimple   = 2
)

// identity is the tag by which the events of another run are told apart.
const identity = "validation loss/policy"

// TensorBoard is the event file of a run. Its methods may be called by one goroutine
// at a time.
type TensorBoard struct {
	file  disk.File
	clock func() time.Time // of the events' wall time
}

// OpenTensorBoard opens the event file in a folder, which it makes if need be, and
// adds what it does not yet have of the run's generations, history, in ascending
// order. What a killed process has written in part, and generations that the run no
// longer has, it removes. The error says so if the file belongs to another run.
func OpenTensorBoard(fsys disk.FS, dir string, clock func() time.Time, history []rundir.Metrics) (*TensorBoard, error) {
	t := &TensorBoard{clock: clock}
	if err := t.open(fsys, dir, history); err != nil {
		return nil, fmt.Errorf("telemetry: event file in %s: %w", dir, err)
	}
	return t, nil
}

func (t *TensorBoard) open(fsys disk.FS, dir string, history []rundir.Metrics) error {
	if err := disk.MkdirAll(fsys, dir); err != nil {
		return err
	}
	path := filepath.Join(dir, EventFile)
	data, err := disk.ReadFile(fsys, path, maxEvents)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	kept, missing, err := match(data, history)
	if err != nil {
		return err
	}
	if len(kept) == 0 {
		kept = appendRecord(nil, appendText(t.event(), eventVersion, fileVersion))
	}
	for i := range missing {
		kept = appendRecord(kept, t.summary(&missing[i]))
	}
	if !bytes.Equal(kept, data) {
		if err := disk.WriteFile(fsys, path, disk.Bytes(kept)); err != nil {
			return err
		}
	}
	t.file, err = fsys.Append(path)
	return err
}

// Add appends a generation. After an error the file must be opened again.
func (t *TensorBoard) Add(m *rundir.Metrics) error {
	if _, err := t.file.Write(appendRecord(nil, t.summary(m))); err != nil {
		return fmt.Errorf("telemetry: event file: %w", err)
	}
	return nil
}

// Close closes the file.
func (t *TensorBoard) Close() error { return t.file.Close() }

// event returns the beginning of an event.
func (t *TensorBoard) event() []byte {
	now := float64(t.clock().UnixNano()) / 1e9 // seconds since 1970
	return protowire.AppendFixed64(protowire.AppendTag(nil, eventWallTime, protowire.Fixed64Type), math.Float64bits(now))
}

// summary returns the event of a generation.
func (t *TensorBoard) summary(m *rundir.Metrics) []byte {
	var summary []byte
	for _, v := range Values(m) {
		value := appendText(nil, valueTag, v.Tag)
		value = protowire.AppendTag(value, valueSimple, protowire.Fixed32Type)
		value = protowire.AppendFixed32(value, math.Float32bits(float32(v.X)))
		summary = appendText(summary, summaryValue, string(value))
	}
	e := protowire.AppendTag(t.event(), eventStep, protowire.VarintType)
	e = protowire.AppendVarint(e, uint64(m.Generation))
	return appendText(e, eventSummary, string(summary))
}

// appendText appends a field of text or of an inner message.
func appendText(b []byte, field protowire.Number, text string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), text)
}

// match returns the beginning of an event file that agrees with a run, and the
// generations of the run that are missing after it. An event of another run is an
// error.
func match(data []byte, history []rundir.Metrics) (kept []byte, missing []rundir.Metrics, err error) {
	_, end := nextRecord(data) // its version
	for missing = history; ; missing = missing[1:] {
		event, length := nextRecord(data[end:])
		if length == 0 {
			return data[:end:end], missing, nil
		}
		step, losses := parseEvent(event)
		follows := len(missing) > 0 && step == int64(missing[0].Generation)
		other := follows && len(losses) > 0 && losses[0] != float32(missing[0].ValidationLoss.PolicyKL)
		switch {
		case other, !follows && len(missing) == len(history):
			return nil, nil, fmt.Errorf("%s has generation %d of another run; want a folder for each run", EventFile, step)
		case !follows:
			return data[:end:end], missing, nil
		}
		end += length
	}
}

// parseEvent returns the step of an event and its values with the tag identity, none
// if it has no such value.
func parseEvent(event []byte) (step int64, identities []float32) {
	each(event, func(field protowire.Number, number uint64, text []byte) {
		switch field {
		case eventStep:
			step = int64(number)
		case eventSummary:
			each(text, func(_ protowire.Number, _ uint64, value []byte) {
				tag, x := "", float32(0)
				each(value, func(field protowire.Number, number uint64, text []byte) {
					switch field {
					case valueTag:
						tag = string(text)
					case valueSimple:
						x = math.Float32frombits(uint32(number))
					}
				})
				if tag == identity {
					identities = append(identities, x)
				}
			})
		}
	})
	return step, identities
}

// each calls f for each field of a message, up to the first fault: with its number,
// or with its text or inner message.
func each(message []byte, f func(field protowire.Number, number uint64, text []byte)) {
	for len(message) > 0 {
		field, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return
		}
		message = message[n:]
		var number uint64
		var text []byte
		switch kind {
		case protowire.VarintType:
			number, n = protowire.ConsumeVarint(message)
		case protowire.Fixed64Type:
			number, n = protowire.ConsumeFixed64(message)
		case protowire.Fixed32Type:
			var short uint32
			short, n = protowire.ConsumeFixed32(message)
			number = uint64(short)
		case protowire.BytesType:
			text, n = protowire.ConsumeBytes(message)
		default:
			n = -1
		}
		if n < 0 {
			return
		}
		f(field, number, text)
		message = message[n:]
	}
}

// Bytes of a record around its data: the length and its checksum before, the
// checksum of the data after (TensorFlow, core/lib/io/record_writer.h).
const (
	recordHead = 8 + 4
	recordTail = 4
)

// appendRecord appends data as a record.
func appendRecord(b, data []byte) []byte {
	length := binary.LittleEndian.AppendUint64(nil, uint64(len(data)))
	b = append(b, length...)
	b = binary.LittleEndian.AppendUint32(b, maskedSum(length))
	b = append(b, data...)
	return binary.LittleEndian.AppendUint32(b, maskedSum(data))
}

// nextRecord returns the data of the first record of b, and the length of the whole
// record; 0 if it is not complete or damaged.
func nextRecord(b []byte) (data []byte, length int) {
	if len(b) < recordHead+recordTail {
		return nil, 0
	}
	size := binary.LittleEndian.Uint64(b)
	if size > uint64(len(b)-recordHead-recordTail) || binary.LittleEndian.Uint32(b[8:]) != maskedSum(b[:8]) {
		return nil, 0
	}
	data = b[recordHead:][:size]
	if binary.LittleEndian.Uint32(b[recordHead+len(data):]) != maskedSum(data) {
		return nil, 0
	}
	return data, recordHead + len(data) + recordTail
}

// castagnoli is the polynomial of CRC-32C.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// maskedSum returns the CRC-32C of data, masked so that checksums of data that
// contains checksums stay good (TensorFlow, core/lib/hash/crc32c.h).
func maskedSum(data []byte) uint32 {
	sum := crc32.Checksum(data, castagnoli)
	return (sum>>15 | sum<<17) + 0xa282ead8
}
