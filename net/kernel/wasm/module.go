// Package wasm writes WebAssembly modules, with the features that the kernels need. A module
// imports a memory and exports functions without results, whose code is appended instruction by
// instruction for WebAssembly's stack machine.
//
//	m := wasm.NewModule("go", "mem")
//	f := m.Func("double", wasm.I32) // doubles the number at an address
//	f.Get(0)
//	f.Get(0).Load(wasm.I32Load, 0).Const(2).Op(wasm.I32Mul).Store(wasm.I32Store, 0)
//	code := m.Bytes()
package wasm

// Type is the type of a value.
type Type byte

// Types of values.
const (
	I32  Type = 0x7f
	V128 Type = 0x7b
)

// Module is a module under construction.
type Module struct {
	from, memory string
	funcs        []*Func
}

// NewModule returns a module that imports a memory, given the names of the exporting module and
// of the memory.
func NewModule(from, memory string) *Module { return &Module{from: from, memory: memory} }

// Func adds an exported function with parameters, which are its first locals.
func (m *Module) Func(name string, params ...Type) *Func {
	f := &Func{name: name, params: params}
	m.funcs = append(m.funcs, f)
	return f
}

// Numbers of the sections, in their order in a module.
const (
	typeSection     = 1
	importSection   = 2
	functionSection = 3
	exportSection   = 7
	codeSection     = 10
)

// Bytes returns the module in the binary format (webassembly.github.io/spec/core/binary).
func (m *Module) Bytes() []byte {
	var types, functions, exports, codes [][]byte
	for i, f := range m.funcs {
		signature := number([]byte{0x60}, len(f.params))
		for _, p := range f.params {
			signature = append(signature, byte(p))
		}
		types = append(types, append(signature, 0))
		functions = append(functions, number(nil, i))
		exports = append(exports, number(append(text(nil, f.name), 0), i))
		codes = append(codes, f.body())
	}
	memory := append(text(text(nil, m.from), m.memory), 2, 0, 0) // of any size
	b := []byte("\x00asm\x01\x00\x00\x00")
	b = section(b, typeSection, types)
	b = section(b, importSection, [][]byte{memory})
	b = section(b, functionSection, functions)
	b = section(b, exportSection, exports)
	return section(b, codeSection, codes)
}

// section appends a section with items.
func section(b []byte, kind byte, items [][]byte) []byte {
	content := number(nil, len(items))
	for _, item := range items {
		content = append(content, item...)
	}
	return append(number(append(b, kind), len(content)), content...)
}

// number appends an unsigned number in LEB128 encoding.
func number(b []byte, n int) []byte {
	for n >= 0x80 {
		b = append(b, byte(n)|0x80)
		n >>= 7
	}
	return append(b, byte(n))
}

// signed appends a signed number in LEB128 encoding.
func signed(b []byte, n int) []byte {
	for n < -0x40 || n >= 0x40 {
		b = append(b, byte(n)|0x80)
		n >>= 7
	}
	return append(b, byte(n)&0x7f)
}

// text appends the length of a text and the text.
func text(b []byte, s string) []byte { return append(number(b, len(s)), s...) }
