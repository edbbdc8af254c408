package net

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// maxHeader bounds the header of a safetensors file, in bytes. Ours take about
// 100 bytes a tensor.
const maxHeader = 1 << 20

// metadataKey is the header's entry that is no tensor.
const metadataKey = "__metadata__"

// entry is what a safetensors header says of one tensor.
type entry struct {
	DType   string   `json:"dtype"`
	Shape   []int    `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"` // first byte and the byte after the last, counted from the header's end
}

// WriteTensors writes ts in the safetensors format
// (github.com/huggingface/safetensors, "Format"): eight bytes of header length,
// a JSON header, the numbers, all little-endian. It refuses numbers that are
// not finite, shapes that do not fit and names given twice.
func WriteTensors(w io.Writer, ts []Tensor, metadata map[string]string) error {
	header, err := encodeHeader(ts, metadata)
	if err != nil {
		return fmt.Errorf("net: write tensors: %w", err)
	}
	buffer := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	buffer = append(buffer, header...)
	for _, t := range ts {
		for i, x := range t.Data {
			if !finite(x) {
				return fmt.Errorf("net: write tensors: tensor %q: element %d is %v; want a finite number", t.Name, i, x)
			}
			buffer = binary.LittleEndian.AppendUint32(buffer, math.Float32bits(x))
		}
	}
	if _, err := w.Write(buffer); err != nil {
		return fmt.Errorf("net: write tensors: %w", err)
	}
	return nil
}

// encodeHeader returns the JSON header, in the order of ts, padded with spaces
// so that the numbers start at a multiple of eight bytes.
func encodeHeader(ts []Tensor, metadata map[string]string) ([]byte, error) {
	var b bytes.Buffer
	put := func(key string, value any) error {
		k, err := json.Marshal(key)
		if err != nil {
			return err
		}
		v, err := json.Marshal(value)
		if err != nil {
			return err
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		} else {
			b.WriteByte('{')
		}
		b.Write(k)
		b.WriteByte(':')
		b.Write(v)
		return nil
	}
	if err := put(metadataKey, metadata); err != nil {
		return nil, err
	}
	seen := map[string]bool{metadataKey: true}
	offset := int64(0)
	for _, t := range ts {
		if seen[t.Name] {
			return nil, fmt.Errorf("tensor name %q is given twice", t.Name)
		}
		seen[t.Name] = true
		if n, err := checkedSize(t.Shape, len(t.Data)); err != nil || n != len(t.Data) {
			return nil, fmt.Errorf("tensor %q: shape %v does not hold %d numbers", t.Name, t.Shape, len(t.Data))
		}
		end := offset + 4*int64(len(t.Data))
		shape := append([]int{}, t.Shape...) // never null in JSON
		if err := put(t.Name, entry{DType: "F32", Shape: shape, Offsets: [2]int64{offset, end}}); err != nil {
			return nil, err
		}
		offset = end
	}
	b.WriteByte('}')
	for b.Len()%8 != 0 {
		b.WriteByte(' ')
	}
	if b.Len() > maxHeader {
		return nil, fmt.Errorf("a header of %d bytes; at most %d are allowed", b.Len(), maxHeader)
	}
	return b.Bytes(), nil
}

// ReadTensors reads a safetensors file and returns its tensors in the order of
// their numbers. The file may come from anywhere: whatever is wrong with it
// gives an error, and memory is taken only in proportion to len(data). Of the
// format's types it knows F32; it refuses numbers that are not finite.
func ReadTensors(data []byte) (ts []Tensor, metadata map[string]string, err error) {
	entries, metadata, body, err := decodeHeader(data)
	if err != nil {
		return nil, nil, fmt.Errorf("net: read tensors: %w", err)
	}
	if err := tile(entries, int64(len(body))); err != nil {
		return nil, nil, fmt.Errorf("net: read tensors: %w", err)
	}
	ts = make([]Tensor, len(entries))
	for i, e := range entries {
		raw := body[e.Offsets[0]:e.Offsets[1]]
		numbers := make([]float32, len(raw)/4)
		for j := range numbers {
			x := math.Float32frombits(binary.LittleEndian.Uint32(raw[4*j:]))
			if !finite(x) {
				return nil, nil, fmt.Errorf("net: read tensors: tensor %q: element %d is %v; want a finite number", e.name, j, x)
			}
			numbers[j] = x
		}
		ts[i] = Tensor{Name: e.name, Shape: e.Shape, Data: numbers}
	}
	return ts, metadata, nil
}

// namedEntry is an entry with its key.
type namedEntry struct {
	name string
	entry
}

// decodeHeader splits a file into its header's entries, by offset, its metadata
// and the bytes of its numbers.
func decodeHeader(data []byte) (entries []namedEntry, metadata map[string]string, body []byte, err error) {
	if len(data) < 8 {
		return nil, nil, nil, fmt.Errorf("%d bytes are too few for a safetensors file; it is empty or truncated", len(data))
	}
	n := binary.LittleEndian.Uint64(data)
	if n > maxHeader {
		return nil, nil, nil, fmt.Errorf("a header of %d bytes; at most %d are allowed: not a safetensors file of ours", n, maxHeader)
	}
	if n > uint64(len(data)-8) {
		return nil, nil, nil, fmt.Errorf("a header of %d bytes but only %d follow; the file is truncated", n, len(data)-8)
	}
	header, body := data[8:8+n], data[8+n:]
	entries, metadata, err = parseHeader(header)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("header: %w", err)
	}
	slices.SortFunc(entries, func(a, b namedEntry) int {
		return cmp.Or(cmp.Compare(a.Offsets[0], b.Offsets[0]), cmp.Compare(a.Offsets[1], b.Offsets[1]), cmp.Compare(a.name, b.name))
	})
	return entries, metadata, body, nil
}

// parseHeader reads the JSON of a header. Of a name that is given twice other
// readers may take the first or the last, so that it is refused.
func parseHeader(header []byte) (entries []namedEntry, metadata map[string]string, err error) {
	decoder := json.NewDecoder(bytes.NewReader(header))
	if t, err := decoder.Token(); err != nil || t != json.Delim('{') {
		return nil, nil, errors.Join(errors.New("want a JSON object"), err)
	}
	seen := map[string]bool{}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, nil, err
		}
		name, _ := key.(string) // keys of an object are nothing else
		if seen[name] {
			return nil, nil, fmt.Errorf("tensor %q is given twice", name)
		}
		seen[name] = true
		if name == metadataKey {
			if err := decoder.Decode(&metadata); err != nil {
				return nil, nil, fmt.Errorf("metadata: %w", err)
			}
			continue
		}
		e := namedEntry{name: name}
		if err := decoder.Decode(&e.entry); err != nil {
			return nil, nil, fmt.Errorf("tensor %q: %w", name, err)
		}
		entries = append(entries, e)
	}
	if _, err := decoder.Token(); err != nil {
		return nil, nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, nil, errors.New("more than one JSON value")
	}
	return entries, metadata, nil
}

// tile checks that entries, by offset, are well formed and cover the body's
// bytes one after the other, without gap or overlap.
func tile(entries []namedEntry, body int64) error {
	at := int64(0)
	for _, e := range entries {
		begin, end := e.Offsets[0], e.Offsets[1]
		switch {
		case e.DType != "F32":
			return fmt.Errorf("tensor %q: type %q; only F32 can be read", e.name, e.DType)
		case begin < 0 || end < begin:
			return fmt.Errorf("tensor %q: bytes %d to %d are no range", e.name, begin, end)
		case begin != at:
			return fmt.Errorf("tensor %q: begins at byte %d, the one before ends at %d; want neither gap nor overlap", e.name, begin, at)
		case end > body:
			return fmt.Errorf("tensor %q: ends at byte %d of %d; the file is truncated", e.name, end, body)
		}
		n, err := checkedSize(e.Shape, int(body)/4)
		if err != nil || 4*int64(n) != end-begin {
			return fmt.Errorf("tensor %q: shape %v does not fit its %d bytes", e.name, e.Shape, end-begin)
		}
		at = end
	}
	if at != body {
		return fmt.Errorf("the tensors end at byte %d of %d; want all bytes used", at, body)
	}
	return nil
}

var errSize = errors.New("shape out of range")

// checkedSize returns the number of elements of a shape, or an error if a
// dimension is below 1 or there are more elements than limit.
func checkedSize(shape []int, limit int) (int, error) {
	n := 1
	for _, d := range shape {
		if d < 1 || d > limit/n {
			return 0, errSize
		}
		n *= d
	}
	return n, nil
}

func finite(x float32) bool { return x-x == 0 }
