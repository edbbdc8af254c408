package telemetry

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"path/filepath"
	"time"

	"tiro/disk"
	"tiro/rundir"
)

// EventFile is the name of the event file. TensorBoard looks for "tfevents" in it.
const EventFile = "events.out.tfevents.0.tiro"

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

// TensorBoard is the event file of a run. It is for one goroutine at a time.
type TensorBoard struct {
	file   disk.File
	unlock func() error
	clock  func() time.Time // for the wall time of events
}

// Open rewrites the event file of a run with the generations in history, which are in ascending
// order. It makes the folder if necessary and locks it until Close.
func Open(fsys disk.FS, dir string, clock func() time.Time, history []rundir.Metrics) (*TensorBoard, error) {
	unlock, err := disk.LockFolder(fsys, dir, EventFile)
	if err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	t := &TensorBoard{clock: clock, unlock: unlock}
	events := appendRecord(nil, appendText(event(clock()), eventVersion, fileVersion))
	at := clock()
	for i := range history {
		at = at.Add(-took(&history[i]))
	}
	for i := range history {
		at = at.Add(took(&history[i]))
		events = appendRecord(events, summary(&history[i], at))
	}
	path := filepath.Join(dir, EventFile)
	if err = disk.WriteFile(fsys, path, disk.Bytes(events)); err == nil {
		t.file, err = fsys.Append(path)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("telemetry: event file in %s: %w", dir, err), unlock())
	}
	return t, nil
}

// took returns the duration of a generation, or 0 if unknown.
func took(m *rundir.Metrics) time.Duration {
	if m.Machine == nil {
		return 0
	}
	return time.Duration(m.Machine.Seconds * float64(time.Second))
}

// Add appends a generation. After an error the file must be opened again.
func (t *TensorBoard) Add(m *rundir.Metrics) error {
	if _, err := t.file.Write(appendRecord(nil, summary(m, t.clock()))); err != nil {
		return fmt.Errorf("telemetry: event file: %w", err)
	}
	return nil
}

// Close closes the file and unlocks the folder.
func (t *TensorBoard) Close() error { return errors.Join(t.file.Close(), t.unlock()) }

// Wire types of fields (protobuf.dev/programming-guides/encoding).
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireFixed32 = 5
)

// event returns the first field of an event, its time.
func event(at time.Time) []byte {
	seconds := float64(at.UnixNano()) / 1e9 // since 1970
	return binary.LittleEndian.AppendUint64([]byte{eventWallTime<<3 | wireFixed64}, math.Float64bits(seconds))
}

// summary returns the event of a generation.
func summary(m *rundir.Metrics, at time.Time) []byte {
	var summary []byte
	for _, v := range Values(m) {
		value := appendText(nil, valueTag, v.Tag)
		value = append(value, valueSimple<<3|wireFixed32)
		value = binary.LittleEndian.AppendUint32(value, math.Float32bits(float32(v.X)))
		summary = appendText(summary, summaryValue, string(value))
	}
	e := append(event(at), eventStep<<3|wireVarint)
	e = binary.AppendUvarint(e, uint64(m.Generation))
	return appendText(e, eventSummary, string(summary))
}

// appendText appends a field of text or of a nested message.
func appendText(b []byte, field byte, text string) []byte {
	b = binary.AppendUvarint(append(b, field<<3|wireBytes), uint64(len(text)))
	return append(b, text...)
}

// appendRecord appends data as a record: its length, the length's checksum, the data and the
// data's checksum (TensorFlow, core/lib/io/record_writer.h).
func appendRecord(b, data []byte) []byte {
	length := binary.LittleEndian.AppendUint64(nil, uint64(len(data)))
	b = append(b, length...)
	b = binary.LittleEndian.AppendUint32(b, maskedSum(length))
	b = append(b, data...)
	return binary.LittleEndian.AppendUint32(b, maskedSum(data))
}

// castagnoli is the polynomial of CRC-32C.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// maskedSum returns the CRC-32C of data, masked so that checksums remain effective for data that
// contains checksums (TensorFlow, core/lib/hash/crc32c.h).
func maskedSum(data []byte) uint32 {
	sum := crc32.Checksum(data, castagnoli)
	return (sum>>15 | sum<<17) + 0xa282ead8
}
