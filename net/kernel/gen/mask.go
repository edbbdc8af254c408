package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// less is the predicate a < b, ordered and quiet.
const less = 0x11

// hide sets a value to 0 where the mask is not positive.
func (t isa) hide(c *build.Context, mask operand.Mem, zero, value, scratch reg.VecPhysical) {
	if t.vectors == 1 {
		c.VCMPPS(operand.U8(less), mask, zero, reg.K1)
		c.VMOVAPS_Z(value, reg.K1, value)
		return
	}
	c.VCMPPS(operand.U8(less), mask, zero, scratch)
	c.VANDPS(scratch, value, value)
}
