package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// bases point to rows 0, 3, 6 and 9 of a; every other row is stride*1 or stride*2 after one of
// them.
var bases = []reg.GPPhysical{reg.RAX, reg.RBX, reg.RCX, reg.RDX}

// multiply generates the kernel for packed b, whose steps come in groups of four.
func multiply(g shape) {
	const group = 4
	g.Label(g.label("segment"))
	g.nextSegment(bases[0])
	for i := 3; i < g.m; i += 3 {
		g.LEAQ(at(bases[i/3-1], stride, 2, 0), bases[i/3])
		g.ADDQ(stride, bases[i/3])
	}
	load(g.Context, fieldK, counter)
	g.SHRQ(operand.U8(2), counter)

	g.Label(g.label("step"))
	for k := range group {
		g.step(func(row int) operand.Mem { return at(bases[row/3], stride, uint8(row%3), 4*k) }, 64*k)
	}
	for i := 0; i < g.m; i += 3 {
		g.ADDQ(operand.U8(4*group), bases[i/3])
	}
	g.ADDQ(operand.U32(64*group), weights)
	g.DECQ(counter)
	g.JNE(operand.LabelRef(g.label("step")))
	g.DECQ(segments)
	g.JNE(operand.LabelRef(g.label("segment")))

	g.addResidual()
	g.rectify()
	g.hide()
}

// optional generates code that runs if the slice in a field is not nil, with the address of the
// slice's data in from.
func (g shape) optional(offset int, from reg.GPPhysical, skip string, code func()) {
	load(g.Context, offset, from)
	g.TESTQ(from, from)
	g.JEQ(operand.LabelRef(g.label(skip)))
	load(g.Context, fieldLdc, stride)
	g.SHLQ(operand.U8(2), stride)
	code()
	g.Label(g.label(skip))
}

func (g shape) addResidual() {
	from := reg.RBX
	g.optional(fieldResidual, from, "alone", func() {
		g.rows(func(i, v int) { g.VADDPS(g.vector(from, v), g.sum(i, v), g.sum(i, v)) }, func() { g.ADDQ(stride, from) })
	})
}

// rectify sets negative sums to 0. The order of the operands preserves NaN.
func (g shape) rectify() {
	g.CMPQ(field(fieldReLU), operand.U8(0))
	g.JEQ(operand.LabelRef(g.label("linear")))
	zero := g.spare(0)
	g.zero(g.Context, zero)
	g.rows(func(i, v int) { g.VMAXPS(g.sum(i, v), zero, g.sum(i, v)) }, func() {})
	g.Label(g.label("linear"))
}

// hide sets the sums to 0 where the mask is not positive.
func (g shape) hide() {
	from := reg.RBX
	g.optional(fieldMask, from, "plain", func() {
		zero, scratch := g.spare(0), g.spare(1)
		g.zero(g.Context, zero)
		g.rows(func(i, v int) { g.isa.hide(g.Context, g.vector(from, v), zero, g.sum(i, v), scratch) }, func() { g.ADDQ(stride, from) })
	})
}
