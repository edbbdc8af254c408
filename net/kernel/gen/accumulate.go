package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// accumulate generates the kernel that reads a and b row by row in k.
func accumulate(g shape) {
	from, step := reg.RAX, reg.RBX
	load(g.Context, fieldLdb, step)
	g.SHLQ(operand.U8(2), step)

	g.Label(g.label("segment"))
	g.nextSegment(from)
	load(g.Context, fieldK, counter)

	g.Label(g.label("step"))
	g.step(func(row int) operand.Mem { return at(from, nil, 0, 4*row) }, 0)
	g.ADDQ(stride, from)
	g.ADDQ(step, weights)
	g.DECQ(counter)
	g.JNE(operand.LabelRef(g.label("step")))
	g.DECQ(segments)
	g.JNE(operand.LabelRef(g.label("segment")))
}
