package wasm

import (
	"encoding/binary"
	"math"
)

// Op is an instruction without immediate operands. SIMD instructions have their prefix in the
// second byte.
type Op uint16

// Instructions.
const (
	I32Eqz  Op = 0x45
	I32GeS  Op = 0x4e
	I32Add  Op = 0x6a
	I32Sub  Op = 0x6b
	I32Mul  Op = 0x6c
	V128And Op = simd | 0x4e

	F32x4Splat Op = simd | 0x13
	F32x4Gt    Op = simd | 0x44
	F32x4Add   Op = simd | 0xe4
	F32x4Mul   Op = simd | 0xe6
	F32x4PMax  Op = simd | 0xeb // b where a < b, else a
)

// Instructions for Load and Store.
const (
	I32Load         Op = 0x28
	F32Load         Op = 0x2a
	I32Store        Op = 0x36
	V128Load        Op = simd
	V128Load32Splat Op = simd | 0x09
	V128Store       Op = simd | 0x0b
)

const (
	simd   Op = 0xfd00
	loop   Op = 0x03
	branch Op = 0x04 // if
	end    Op = 0x0b
	brIf   Op = 0x0d
	get    Op = 0x20
	set    Op = 0x21
	tee    Op = 0x22

	i32Const  Op = 0x41
	v128Const Op = simd | 0x0c

	noResult = 0x40
)

// Local is a local variable of a function: a parameter, or a variable added with Func.Local.
type Local int

// Func is a function under construction. Its methods append instructions and return the function.
type Func struct {
	name   string
	params []Type
	locals []Type
	code   []byte
}

// Local adds a local variable.
func (f *Func) Local(t Type) Local {
	f.locals = append(f.locals, t)
	return Local(len(f.params) + len(f.locals) - 1)
}

// Op appends instructions.
func (f *Func) Op(ops ...Op) *Func {
	for _, op := range ops {
		if op&simd == simd {
			f.code = number(append(f.code, byte(simd>>8)), int(op&0xff))
		} else {
			f.code = append(f.code, byte(op))
		}
	}
	return f
}

// with appends an instruction with an immediate number.
func (f *Func) with(op Op, n int) *Func {
	f.Op(op)
	f.code = number(f.code, n)
	return f
}

// Get pushes a local variable.
func (f *Func) Get(l Local) *Func { return f.with(get, int(l)) }

// Set pops a local variable.
func (f *Func) Set(l Local) *Func { return f.with(set, int(l)) }

// Tee sets a local variable to the value on top of the stack without popping it.
func (f *Func) Tee(l Local) *Func { return f.with(tee, int(l)) }

// Const pushes an integer.
func (f *Func) Const(n int) *Func {
	f.Op(i32Const)
	f.code = signed(f.code, n)
	return f
}

// Floats pushes a vector of four copies of x.
func (f *Func) Floats(x float32) *Func {
	f.Op(v128Const)
	for range 4 {
		f.code = binary.LittleEndian.AppendUint32(f.code, math.Float32bits(x))
	}
	return f
}

// Load pops an address and pushes the value at offset bytes after it.
func (f *Func) Load(op Op, offset int) *Func { return f.access(op, offset) }

// Store pops a value and an address, and stores the value at offset bytes after the address.
func (f *Func) Store(op Op, offset int) *Func { return f.access(op, offset) }

// access appends a memory access aligned to four bytes.
func (f *Func) access(op Op, offset int) *Func {
	const align = 2 // 1<<2 bytes
	f.with(op, align)
	f.code = number(f.code, offset)
	return f
}

// Move adds to an integer variable the amount that push pushes.
func (f *Func) Move(l Local, push func()) *Func {
	f.Get(l)
	push()
	return f.Op(I32Add).Set(l)
}

// If pops a condition and runs then if it is not 0.
func (f *Func) If(then func()) *Func {
	f.Op(branch)
	f.code = append(f.code, noResult)
	then()
	return f.Op(end)
}

// Repeat runs body at least once. body pushes a condition; the loop continues while it is not 0.
func (f *Func) Repeat(body func()) *Func {
	f.Op(loop)
	f.code = append(f.code, noResult)
	body()
	return f.with(brIf, 0).Op(end)
}

// Count runs body left times, at least once. It counts left down to 0.
func (f *Func) Count(left Local, body func()) *Func {
	return f.Repeat(func() {
		body()
		f.Get(left).Const(1).Op(I32Sub).Tee(left)
	})
}

// body returns the code with its length.
func (f *Func) body() []byte {
	b := number(nil, len(f.locals))
	for _, t := range f.locals {
		b = append(number(b, 1), byte(t))
	}
	b = append(append(b, f.code...), byte(end))
	return append(number(nil, len(b)), b...)
}
