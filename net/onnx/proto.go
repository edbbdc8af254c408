package onnx

import "encoding/binary"

// message is a protocol buffer under construction. Field numbers are from onnx.proto3
// (github.com/onnx/onnx, IR version 7); the comment beside a number is the name of the field.
type message []byte

// Wire types of fields (protobuf.dev/programming-guides/encoding).
const (
	wireVarint = 0
	wireBytes  = 2
)

func (m *message) varint(n uint64) { *m = binary.AppendUvarint(*m, n) }

func (m *message) text(field uint64, s string) { m.bytes(field, []byte(s)) }

func (m *message) bytes(field uint64, b []byte) {
	m.varint(field<<3 | wireBytes)
	m.varint(uint64(len(b)))
	*m = append(*m, b...)
}

func (m *message) integer(field uint64, n int) {
	m.varint(field<<3 | wireVarint)
	m.varint(uint64(n))
}

// Values of enumerations.
const (
	typeFloat     = 1 // TensorProto.FLOAT
	attributeInt  = 2 // AttributeProto.INT
	attributeInts = 7 // AttributeProto.INTS
)

// tensor returns a TensorProto of 32-bit floats.
func tensor(name string, shape []int, numbers []float32) message {
	var m message
	for _, d := range shape {
		m.integer(1, d) // dims
	}
	raw, _ := binary.Append(nil, binary.LittleEndian, numbers) // cannot fail: floats have a fixed size
	m.integer(2, typeFloat)                                    // data_type
	m.text(8, name)                                            // name
	m.bytes(9, raw)                                            // raw_data
	return m
}

// batchDim is the name of the free dimension.
const batchDim = "batch"

// value returns a ValueInfoProto of a float tensor, with a free batch dimension before shape.
func value(name string, shape ...int) message {
	var dim, dims, tensorType, typ, m message
	dim.text(2, batchDim) // dim_param
	dims.bytes(1, dim)    // dim
	for _, d := range shape {
		dim = dim[:0]
		dim.integer(1, d)  // dim_value
		dims.bytes(1, dim) // dim
	}
	tensorType.integer(1, typeFloat) // elem_type
	tensorType.bytes(2, dims)        // shape
	typ.bytes(1, tensorType)         // tensor_type
	m.text(1, name)                  // name
	m.bytes(2, typ)                  // type
	return m
}

// attribute is a named parameter of a node: an integer or a list of integers.
type attribute struct {
	name string
	ints []int
	list bool
}

func (a attribute) encode() message {
	var m message
	m.text(1, a.name) // name
	if !a.list {
		m.integer(3, a.ints[0])     // i
		m.integer(20, attributeInt) // type
		return m
	}
	for _, n := range a.ints {
		m.integer(8, n) // ints
	}
	m.integer(20, attributeInts) // type
	return m
}

// node returns a NodeProto with one output, whose name is also the node's name.
func node(op, output string, inputs []string, attributes ...attribute) message {
	var m message
	for _, in := range inputs {
		m.text(1, in) // input
	}
	m.text(2, output) // output
	m.text(3, output) // name
	m.text(4, op)     // op_type
	for _, a := range attributes {
		m.bytes(5, a.encode()) // attribute
	}
	return m
}
