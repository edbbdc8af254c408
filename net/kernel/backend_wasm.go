package kernel

import (
	"unsafe"

	"tiro/net/kernel/wasm"
)

// SIMD returns the backend that uses WebAssembly's vector instructions. Its results equal pure
// Go's to the bit. The kernels are in a separate module, SIMDModule, because Go's compiler emits
// no vector instructions. To run a program that calls SIMD, instantiate that module with the
// program's memory as go.mem, and import the module's exports into the program under the module
// name tiro.
func SIMD() Backend { return Backend{useSIMD} }

// SIMDModule returns the WebAssembly module with SIMD's kernels.
func SIMDModule() []byte {
	m := wasm.NewModule("go", "mem")
	writeMultiply(m)
	writeAccumulate(m)
	for size := smallestTile; size < smallestTile+tilings; size++ {
		writeInput(m, newTiling(size))
		writeOutput(m, newTiling(size))
	}
	return m.Bytes()
}

var useSIMD = &implementation{
	name: "simd", bits: separate, rows: maxTileRows, panels: 2,
	multiply:   func(t *tile) { simdMultiply(unsafe.Pointer(t)) },
	accumulate: func(t *tile) { simdAccumulate(unsafe.Pointer(t)) },
	transforms: &[transforms][tilings]func(*patch){
		input: {
			func(p *patch) { simdInput3(unsafe.Pointer(p)) },
			func(p *patch) { simdInput4(unsafe.Pointer(p)) },
			func(p *patch) { simdInput5(unsafe.Pointer(p)) },
		},
		output: {
			func(p *patch) { simdOutput3(unsafe.Pointer(p)) },
			func(p *patch) { simdOutput4(unsafe.Pointer(p)) },
			func(p *patch) { simdOutput5(unsafe.Pointer(p)) },
		},
		// These transforms pack weights and serve training, which are not worth vector code.
		filter: inGo(filter), spread: inGo(spread), gather: inGo(gather),
	},
}

// inGo returns a transform in pure Go for every tile size.
func inGo(f transform) (all [tilings]func(*patch)) {
	for i := range all {
		t := newTiling(smallestTile + i)
		all[i] = func(p *patch) { p.transformGo(f, t) }
	}
	return all
}

//go:wasmimport tiro multiply
//go:noescape
func simdMultiply(t unsafe.Pointer)

//go:wasmimport tiro accumulate
//go:noescape
func simdAccumulate(t unsafe.Pointer)

//go:wasmimport tiro input3
//go:noescape
func simdInput3(p unsafe.Pointer)

//go:wasmimport tiro input4
//go:noescape
func simdInput4(p unsafe.Pointer)

//go:wasmimport tiro input5
//go:noescape
func simdInput5(p unsafe.Pointer)

//go:wasmimport tiro output3
//go:noescape
func simdOutput3(p unsafe.Pointer)

//go:wasmimport tiro output4
//go:noescape
func simdOutput4(p unsafe.Pointer)

//go:wasmimport tiro output5
//go:noescape
func simdOutput5(p unsafe.Pointer)
