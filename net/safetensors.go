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

// maxHeader bounds the header of a safetensors file, in bytes. Tiro's headers have about 100
// bytes per tensor.
const maxHeader = 1 << 20

// metadataKey is the only key of the header that is not the name of a tensor.
const metadataKey = "__metadata__"

// tensorHeader is the header's entry for a tensor; the key is the tensor's name.
type tensorHeader struct {
	name    string
	DType   string   `json:"dtype"`
	Shape   []int    `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"` // first byte and the byte after the last, relative to the header's end
}

// WriteTensors writes ts in the safetensors format (github.com/huggingface/safetensors,
// "Format"): eight bytes of header length, a JSON header and the data, all little-endian. It
// rejects numbers that are not finite, shapes that do not fit the data, and duplicate names.
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
				return fmt.Errorf("net: write tensors: tensor %q: element %d is %v, not a finite number", t.Name, i, x)
			}
			buffer = binary.LittleEndian.AppendUint32(buffer, math.Float32bits(x))
		}
	}
	if _, err := w.Write(buffer); err != nil {
		return fmt.Errorf("net: write tensors: %w", err)
	}
	return nil
}

// encodeHeader returns the JSON header, in the order of ts, padded with spaces so that the data
// starts at a multiple of eight bytes.
func encodeHeader(ts []Tensor, metadata map[string]string) ([]byte, error) {
	var b bytes.Buffer
	put := func(separator byte, key string, value any) error {
		k, _ := json.Marshal(key) // cannot fail for a string
		v, err := json.Marshal(value)
		fmt.Fprintf(&b, "%c%s:%s", separator, k, v)
		return err
	}
	if err := put('{', metadataKey, metadata); err != nil {
		return nil, err
	}
	seen := map[string]bool{metadataKey: true}
	offset := int64(0)
	for _, t := range ts {
		if seen[t.Name] {
			return nil, fmt.Errorf("duplicate tensor %q", t.Name)
		}
		seen[t.Name] = true
		if n, err := checkedSize(t.Shape, len(t.Data)); err != nil || n != len(t.Data) {
			return nil, fmt.Errorf("tensor %q: shape %v does not hold %d numbers", t.Name, t.Shape, len(t.Data))
		}
		end := offset + 4*int64(len(t.Data))
		shape := append([]int{}, t.Shape...) // never null in JSON
		if err := put(',', t.Name, tensorHeader{DType: "F32", Shape: shape, Offsets: [2]int64{offset, end}}); err != nil {
			return nil, err
		}
		offset = end
	}
	b.WriteByte('}')
	for b.Len()%8 != 0 {
		b.WriteByte(' ')
	}
	if b.Len() > maxHeader {
		return nil, fmt.Errorf("header has %d bytes, more than the limit of %d", b.Len(), maxHeader)
	}
	return b.Bytes(), nil
}

// ReadTensors reads a safetensors file and returns its tensors in the order of their data. The
// file may be from an untrusted source: every fault is an error, and the memory use is
// proportional to len(data). F32 is the only supported type, and numbers must be finite.
func ReadTensors(data []byte) (ts []Tensor, metadata map[string]string, err error) {
	headers, metadata, body, err := decodeHeader(data)
	if err == nil {
		err = checkCoverage(headers, int64(len(body)))
	}
	if err != nil {
		return nil, nil, fmt.Errorf("net: read tensors: %w", err)
	}
	ts = make([]Tensor, len(headers))
	for i, h := range headers {
		raw := body[h.Offsets[0]:h.Offsets[1]]
		numbers := make([]float32, len(raw)/4)
		for j := range numbers {
			x := math.Float32frombits(binary.LittleEndian.Uint32(raw[4*j:]))
			if !finite(x) {
				return nil, nil, fmt.Errorf("net: read tensors: tensor %q: element %d is %v, not a finite number", h.name, j, x)
			}
			numbers[j] = x
		}
		ts[i] = Tensor{Name: h.name, Shape: h.Shape, Data: numbers}
	}
	return ts, metadata, nil
}

// decodeHeader splits a file into the headers of its tensors, ordered by offset, the metadata and
// the data.
func decodeHeader(data []byte) (headers []tensorHeader, metadata map[string]string, body []byte, err error) {
	if len(data) < 8 {
		return nil, nil, nil, fmt.Errorf("%d bytes are too few for a safetensors file: it is empty or truncated", len(data))
	}
	n := binary.LittleEndian.Uint64(data)
	if n > maxHeader {
		return nil, nil, nil, fmt.Errorf("header has %d bytes, more than the limit of %d: not a safetensors file of tiro", n, maxHeader)
	}
	if n > uint64(len(data)-8) {
		return nil, nil, nil, fmt.Errorf("header has %d bytes, but only %d follow: the file is truncated", n, len(data)-8)
	}
	headers, metadata, err = parseHeader(data[8 : 8+n])
	if err != nil {
		return nil, nil, nil, fmt.Errorf("header: %w", err)
	}
	slices.SortFunc(headers, func(a, b tensorHeader) int {
		return cmp.Or(cmp.Compare(a.Offsets[0], b.Offsets[0]), cmp.Compare(a.Offsets[1], b.Offsets[1]), cmp.Compare(a.name, b.name))
	})
	return headers, metadata, data[8+n:], nil
}

// parseHeader parses the JSON of a header. It rejects duplicate names, because readers disagree
// on which one counts.
func parseHeader(header []byte) (headers []tensorHeader, metadata map[string]string, err error) {
	decoder := json.NewDecoder(bytes.NewReader(header))
	if t, err := decoder.Token(); err != nil || t != json.Delim('{') {
		return nil, nil, errors.Join(errors.New("not a JSON object"), err)
	}
	seen := map[string]bool{}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, nil, err
		}
		name, _ := key.(string) // keys of an object are always strings
		if seen[name] {
			return nil, nil, fmt.Errorf("duplicate tensor %q", name)
		}
		seen[name] = true
		if name == metadataKey {
			if err := decoder.Decode(&metadata); err != nil {
				return nil, nil, fmt.Errorf("metadata: %w", err)
			}
			continue
		}
		h := tensorHeader{name: name}
		if err := decoder.Decode(&h); err != nil {
			return nil, nil, fmt.Errorf("tensor %q: %w", name, err)
		}
		headers = append(headers, h)
	}
	if _, err := decoder.Token(); err != nil {
		return nil, nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, nil, errors.New("more than one JSON value")
	}
	return headers, metadata, nil
}

// checkCoverage checks that the tensors, ordered by offset, are well formed and cover the data
// without gaps or overlaps.
func checkCoverage(headers []tensorHeader, body int64) error {
	at := int64(0)
	for _, h := range headers {
		begin, end := h.Offsets[0], h.Offsets[1]
		switch {
		case h.DType != "F32":
			return fmt.Errorf("tensor %q: unsupported type %q (F32)", h.name, h.DType)
		case begin < 0 || end < begin:
			return fmt.Errorf("tensor %q: bytes %d to %d are not a range", h.name, begin, end)
		case begin != at:
			return fmt.Errorf("tensor %q begins at byte %d, but the one before it ends at byte %d: a gap or overlap", h.name, begin, at)
		case end > body:
			return fmt.Errorf("tensor %q ends at byte %d of %d: the file is truncated", h.name, end, body)
		}
		n, err := checkedSize(h.Shape, int(body)/4)
		if err != nil || 4*int64(n) != end-begin {
			return fmt.Errorf("tensor %q: shape %v does not fit its %d bytes", h.name, h.Shape, end-begin)
		}
		at = end
	}
	if at != body {
		return fmt.Errorf("the tensors end at byte %d of %d: the rest is unused", at, body)
	}
	return nil
}

var errSize = errors.New("shape out of range")

// checkedSize returns the number of elements of a shape. It returns an error if a dimension is
// below 1 or there are more than limit elements.
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
