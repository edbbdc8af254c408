package main

import (
	"strings"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// less is the predicate a < b, ordered and quiet.
const less = 0x11

// mask generates the function that keeps grad where out is above 0.
func mask(c *build.Context, t isa) {
	name := "mask" + strings.ToUpper(t.name)
	c.Function(name)
	c.Attributes(build.NOSPLIT)
	c.SignatureExpr("func(dst, out, grad []float32)")
	c.Doc(name + " is maskGo in assembly.")
	dst, out, grad, end := reg.RDI, reg.RSI, reg.RDX, reg.RCX
	c.Load(c.Param("dst").Base(), dst)
	c.Load(c.Param("dst").Len(), end)
	c.Load(c.Param("out").Base(), out)
	c.Load(c.Param("grad").Base(), grad)
	offset := reg.RAX
	c.XORQ(offset, offset)
	zero, value := t.file[0], t.file[1]
	t.zero(c, zero)
	c.Label("vector")
	c.VMOVUPS(at(grad, offset, 4, 0), value)
	t.hide(c, at(out, offset, 4, 0), zero, value, t.file[2])
	c.VMOVUPS(value, at(dst, offset, 4, 0))
	c.ADDQ(operand.U8(t.bytes()/4), offset)
	c.CMPQ(offset, end)
	c.JLT(operand.LabelRef("vector"))
	c.VZEROUPPER()
	c.RET()
}

// hide makes value 0 where the mask is not above 0.
func (t isa) hide(c *build.Context, mask operand.Mem, zero, value, scratch reg.VecPhysical) {
	if t.vectors == 1 {
		c.VCMPPS(operand.U8(less), mask, zero, reg.K1)
		c.VMOVAPS_Z(value, reg.K1, value)
		return
	}
	c.VCMPPS(operand.U8(less), mask, zero, scratch)
	c.VANDPS(scratch, value, value)
}
