package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// isa is an instruction set: the shape of its tiles and its registers.
type isa struct {
	name    string
	rows    int // rows of the largest tile
	panels  int // panels of the largest tile
	vectors int // vector registers per panel of 16 columns
	file    []reg.VecPhysical
}

var (
	avx512 = isa{"avx512", 12, 2, 1, []reg.VecPhysical{
		reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
		reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
		reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
		reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
	}}
	avx2 = isa{"avx2", 6, 1, 2, []reg.VecPhysical{
		reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
		reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15,
	}}
)

// bytes is the width of a vector register.
func (t isa) bytes() int { return 64 / t.vectors }

// zero clears a vector register.
func (t isa) zero(c *build.Context, v reg.VecPhysical) {
	if t.vectors == 1 {
		c.VPXORD(v, v, v)
	} else {
		c.VXORPS(v, v, v)
	}
}

// at returns the memory displacement bytes after base + index*scale.
func at(base, index reg.GPPhysical, scale uint8, displacement int) operand.Mem {
	m := operand.Mem{Base: base, Disp: displacement}
	if scale > 0 {
		m.Index, m.Scale = index, scale
	}
	return m
}
