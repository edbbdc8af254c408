package wasm_test

import (
	"fmt"

	"tiro/net/kernel/wasm"
)

// A function doubles the number at an address.
func Example() {
	m := wasm.NewModule("go", "mem")
	address := wasm.Local(0)
	m.Func("double", wasm.I32).Get(address).Get(address).Load(wasm.I32Load, 0).Const(2).Op(wasm.I32Mul).Store(wasm.I32Store, 0)
	code := m.Bytes()
	fmt.Printf("%q, version %d, %d bytes\n", code[:4], code[4], len(code))
	// Output: "\x00asm", version 1, 63 bytes
}
