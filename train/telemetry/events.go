package telemetry

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"tiro/rundir"
)

// Numbers of the fields of tensorflow.Event, Summary and Summary.Value (TensorFlow,
// core/util/event.proto and core/framework/summary.proto).
const (
	eventWallTime    protowire.Number = 1
	eventStep        protowire.Number = 2
	eventFileVersion protowire.Number = 3
	eventSummary     protowire.Number = 5
	summaryValue     protowire.Number = 1
	valueTag         protowire.Number = 1
	valueSimple      protowire.Number = 2
)

// Events writes an event file of TensorBoard. It is not safe for concurrent use.
type Events struct{ w io.Writer }

// NewEvents begins an event file.
func NewEvents(w io.Writer, now time.Time) (*Events, error) {
	e := &Events{w}
	event := protowire.AppendString(protowire.AppendTag(wallTime(now), eventFileVersion, protowire.BytesType), "brain.Event:2")
	return e, e.record(event)
}

// Add adds the scalars of a generation, whose number is the step, with tags such as
// "loss/outcome".
func (e *Events) Add(m *rundir.Metrics, now time.Time) error {
	var summary []byte
	for _, s := range Scalars(m) {
		value := protowire.AppendString(protowire.AppendTag(nil, valueTag, protowire.BytesType), s.Group+"/"+s.Name)
		value = protowire.AppendFixed32(protowire.AppendTag(value, valueSimple, protowire.Fixed32Type), math.Float32bits(float32(s.Value)))
		summary = protowire.AppendBytes(protowire.AppendTag(summary, summaryValue, protowire.BytesType), value)
	}
	event := protowire.AppendVarint(protowire.AppendTag(wallTime(now), eventStep, protowire.VarintType), uint64(m.Generation))
	event = protowire.AppendBytes(protowire.AppendTag(event, eventSummary, protowire.BytesType), summary)
	return e.record(event)
}

// wallTime returns the beginning of an event.
func wallTime(now time.Time) []byte {
	seconds := float64(now.UnixNano()) / 1e9
	return protowire.AppendFixed64(protowire.AppendTag(nil, eventWallTime, protowire.Fixed64Type), math.Float64bits(seconds))
}

// record writes a record of the TFRecord format: the length, its checksum, the data and
// their checksum (TensorFlow, core/lib/io/record_writer.h).
func (e *Events) record(data []byte) error {
	length := binary.LittleEndian.AppendUint64(nil, uint64(len(data)))
	all := binary.LittleEndian.AppendUint32(length, masked(length))
	all = append(all, data...)
	all = binary.LittleEndian.AppendUint32(all, masked(data))
	if _, err := e.w.Write(all); err != nil {
		return fmt.Errorf("telemetry: %w", err)
	}
	return nil
}

// masked returns the CRC-32C of data as records have it, rotated and shifted.
func masked(data []byte) uint32 {
	const delta = 0xa282ead8
	sum := crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))
	return (sum>>15 | sum<<17) + delta
}
