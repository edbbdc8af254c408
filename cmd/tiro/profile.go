package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// module begins the import paths of our packages.
const module = "tiro/"

// outside is where time goes that none of our functions asked for: garbage
// collection and scheduling.
const outside = "Go runtime"

// timeByPackage reads a CPU profile, as runtime/pprof writes it, and returns
// the CPU time by our packages, without the module's name. A sample counts for
// the innermost of our functions on its stack, so that what a package has the
// standard library do is its own time. The message is described in
// github.com/google/pprof/proto/profile.proto.
func timeByPackage(profile []byte) (map[string]time.Duration, error) {
	unpacked, err := gzip.NewReader(bytes.NewReader(profile))
	if err != nil {
		return nil, fmt.Errorf("read CPU profile: %w", err)
	}
	data, err := io.ReadAll(unpacked)
	if err != nil {
		return nil, fmt.Errorf("read CPU profile: %w", err)
	}
	var d decoder
	p := d.decode(data)
	texts := p[6]
	ours := map[uint64]string{} // by function
	for _, f := range p[5] {
		function := d.decode(f.bytes)
		if name := function.number(2); name < uint64(len(texts)) {
			ours[function.number(1)] = ourPackage(string(texts[name].bytes))
		}
	}
	spender := map[uint64]string{} // by location
	for _, l := range p[4] {
		location := d.decode(l.bytes)
		id := location.number(1)
		for _, line := range location[4] { // what was inlined, then what it was inlined into
			if spender[id] == "" {
				spender[id] = ours[d.decode(line.bytes).number(1)]
			}
		}
	}
	times := map[string]time.Duration{}
	for _, s := range p[2] {
		sample := d.decode(s.bytes)
		where := outside
		for _, id := range d.numbers(sample[1]) { // the innermost first
			if spender[id] != "" {
				where = spender[id]
				break
			}
		}
		if values := d.numbers(sample[2]); len(values) == 2 { // how often, nanoseconds
			times[where] += time.Duration(values[1])
		}
	}
	if d.err != nil {
		return nil, fmt.Errorf("read CPU profile: %w", d.err)
	}
	return times, nil
}

// ourPackage returns the package of a function with a name such as
// "tiro/mcts.(*Search).Run.func1", without the module's, if it is one of ours.
func ourPackage(function string) string {
	function, _, _ = strings.Cut(function, "[") // type arguments
	path := strings.LastIndexByte(function, '/') + 1
	name, _, _ := strings.Cut(function[path:], ".")
	if function[:path]+name == "main" {
		return "cmd/tiro"
	}
	ours, ok := strings.CutPrefix(function[:path]+name, module)
	if !ok {
		return ""
	}
	return ours
}

// message is a protocol buffer message: the values of each field in order.
type message map[protowire.Number][]value

// value is a varint, or bytes: text, a message, or several varints.
type value struct {
	varint uint64
	bytes  []byte // nil for a varint
}

// number returns the value of a field that is there once, 0 if it is not.
func (m message) number(field protowire.Number) uint64 {
	if len(m[field]) == 0 {
		return 0
	}
	return m[field][0].varint
}

// decoder takes messages apart and remembers the first error.
type decoder struct{ err error }

// advance returns data without its first n bytes; n < 0 is an error code.
func (d *decoder) advance(data []byte, n int) []byte {
	if n < 0 {
		if d.err == nil {
			d.err = protowire.ParseError(n)
		}
		return nil
	}
	return data[n:]
}

func (d *decoder) decode(data []byte) message {
	m := message{}
	for len(data) > 0 {
		field, kind, n := protowire.ConsumeTag(data)
		data = d.advance(data, n)
		v := value{}
		switch kind {
		case protowire.VarintType:
			v.varint, n = protowire.ConsumeVarint(data)
		case protowire.BytesType:
			v.bytes, n = protowire.ConsumeBytes(data)
		default:
			n = protowire.ConsumeFieldValue(field, kind, data)
		}
		data = d.advance(data, n)
		m[field] = append(m[field], v)
	}
	return m
}

// numbers returns the varints of a repeated field, packed or not.
func (d *decoder) numbers(values []value) []uint64 {
	var all []uint64
	for _, v := range values {
		if v.bytes == nil {
			all = append(all, v.varint)
		}
		for data := v.bytes; len(data) > 0; {
			number, n := protowire.ConsumeVarint(data)
			data = d.advance(data, n)
			all = append(all, number)
		}
	}
	return all
}
