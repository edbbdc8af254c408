package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets of the fields of kernel.tile; the package's tests compare them.
const (
	fieldA        = 0
	fieldB        = 24
	fieldC        = 48
	fieldInit     = 72
	fieldResidual = 96
	fieldSegments = 120
	fieldLda      = 144
	fieldLdc      = 152
	fieldLdi      = 160
	fieldPanel    = 168
	fieldM        = 176
	fieldN        = 184
	fieldK        = 192
	fieldReLU     = 200
)

// General registers of multiply.
var (
	tile     = reg.RDI // the argument
	segment  = reg.RSI // the next segment
	segments = reg.R8  // how many are left
	stride   = reg.R9  // bytes between rows of a, then of what the epilogue reads and writes
	weights  = reg.R10 // row k of the first panel
	panel    = reg.R11 // bytes to the second panel
	counter  = reg.R12 // groups of four k that are left
	// rows 0, 3, 6 and 9 of a; with stride*1 and stride*2 every row is at
	// hand
	bases = []reg.GPPhysical{reg.RAX, reg.RBX, reg.RCX, reg.RDX}
)

// multiplier generates one tile shape.
type multiplier struct {
	*build.Context
	isa
	m, n int
}

// multiply generates the function multiplyAVX512 or multiplyAVX2: a piece of
// straight code for each tile shape, and the choice of it.
func multiply(c *build.Context, t isa) {
	name := map[string]string{"avx512": "multiplyAVX512", "avx2": "multiplyAVX2"}[t.name]
	c.Function(name)
	c.Attributes(build.NOSPLIT)
	c.SignatureExpr("func(t *byte)") // of *tile, which the generator does not know
	c.Doc(name + " is multiplyGo in assembly.")
	c.Load(c.Param("t"), tile)
	c.MOVQ(operand.Mem{Base: tile, Disp: fieldLda}, stride)
	c.SHLQ(operand.U8(2), stride)
	c.MOVQ(operand.Mem{Base: tile, Disp: fieldPanel}, panel)
	c.SHLQ(operand.U8(2), panel)
	c.MOVQ(operand.Mem{Base: tile, Disp: fieldSegments}, segment)
	c.MOVQ(operand.Mem{Base: tile, Disp: fieldSegments + 8}, segments)
	c.MOVQ(operand.Mem{Base: tile, Disp: fieldM}, reg.RAX)
	for n := t.panels; n >= 1; n-- {
		if n > 1 {
			c.CMPQ(operand.Mem{Base: tile, Disp: fieldN}, operand.U8(n))
			c.JLT(operand.LabelRef(fmt.Sprintf("panels%d", n-1)))
		}
		for m := t.rows; m > 1; m-- {
			c.CMPQ(reg.RAX, operand.U8(m))
			c.JEQ(operand.LabelRef(fmt.Sprintf("tile%dx%d", m, n)))
		}
		c.JMP(operand.LabelRef(fmt.Sprintf("tile1x%d", n)))
		if n > 1 {
			c.Label(fmt.Sprintf("panels%d", n-1))
		}
	}
	for n := t.panels; n >= 1; n-- {
		for m := t.rows; m >= 1; m-- {
			multiplier{c, t, m, n}.generate()
		}
	}
}

// sum returns the register with vector v of row i.
func (g multiplier) sum(i, v int) reg.VecPhysical { return g.file[i*g.width()+v] }

// width returns the vectors of a row.
func (g multiplier) width() int { return g.n * g.vectors }

// spare returns a register that holds no sum.
func (g multiplier) spare(i int) reg.VecPhysical {
	used := g.m * g.width()
	return g.file[used+i%(len(g.file)-used)]
}

func (g multiplier) label(name string) string { return fmt.Sprintf("%s%dx%d", name, g.m, g.n) }

func (g multiplier) generate() {
	g.Label(g.label("tile"))
	g.start()
	g.Label(g.label("segment"))
	g.pointers()
	g.Label(g.label("step"))
	const unroll = 4
	for u := range unroll {
		g.step(u)
	}
	for i := 0; i < g.m; i += 3 {
		g.ADDQ(operand.U8(4*unroll), bases[i/3])
	}
	g.ADDQ(operand.U32(64*unroll), weights)
	g.DECQ(counter)
	g.JNE(operand.LabelRef(g.label("step")))
	g.DECQ(segments)
	g.JNE(operand.LabelRef(g.label("segment")))
	g.finish()
	g.VZEROUPPER()
	g.RET()
}

// start loads the sums from tile.init.
func (g multiplier) start() {
	from, step := reg.RAX, reg.RBX
	g.MOVQ(operand.Mem{Base: tile, Disp: fieldInit}, from)
	g.MOVQ(operand.Mem{Base: tile, Disp: fieldLdi}, step)
	for i := range g.m {
		for v := range g.width() {
			g.VMOVUPS(at(from, nil, 0, v*g.bytes()), g.sum(i, v))
		}
		if i < g.m-1 {
			g.LEAQ(at(from, step, 4, 0), from)
		}
	}
}

// pointers sets up the segment's pointers and takes it off the list.
func (g multiplier) pointers() {
	g.MOVQ(operand.Mem{Base: segment}, reg.RAX)
	g.MOVQ(operand.Mem{Base: segment, Disp: 8}, weights)
	g.ADDQ(operand.U8(16), segment)
	g.SHLQ(operand.U8(2), reg.RAX)
	g.SHLQ(operand.U8(2), weights)
	g.ADDQ(operand.Mem{Base: tile, Disp: fieldA}, reg.RAX)
	g.ADDQ(operand.Mem{Base: tile, Disp: fieldB}, weights)
	for i := 3; i < g.m; i += 3 {
		g.LEAQ(at(bases[i/3-1], stride, 2, 0), bases[i/3])
		g.ADDQ(stride, bases[i/3])
	}
	g.MOVQ(operand.Mem{Base: tile, Disp: fieldK}, counter)
	g.SHRQ(operand.U8(2), counter)
}

// step adds a[row, k]·b[k] for one k, the u-th of its group.
func (g multiplier) step(u int) {
	for v := range g.width() {
		g.VMOVUPS(at(weights, panel, uint8(v/g.vectors), u*64+v%g.vectors*g.bytes()), g.spare(v))
	}
	for i := range g.m {
		factor := g.spare(g.width() + i%(g.spares()-g.width()))
		g.VBROADCASTSS(at(bases[i/3], stride, uint8(i%3), u*4), factor)
		for v := range g.width() {
			g.VFMADD231PS(g.spare(v), factor, g.sum(i, v))
		}
	}
}

func (g multiplier) spares() int { return len(g.file) - g.m*g.width() }

// finish adds the residual, rectifies and stores.
func (g multiplier) finish() {
	to, from, step := reg.RAX, reg.RBX, stride
	g.MOVQ(operand.Mem{Base: tile, Disp: fieldC}, to)
	g.MOVQ(operand.Mem{Base: tile, Disp: fieldLdc}, step)
	g.SHLQ(operand.U8(2), step)
	g.MOVQ(operand.Mem{Base: tile, Disp: fieldResidual}, from)
	g.TESTQ(from, from)
	g.JEQ(operand.LabelRef(g.label("alone")))
	for i := range g.m {
		for v := range g.width() {
			g.VADDPS(at(from, nil, 0, v*g.bytes()), g.sum(i, v), g.sum(i, v))
		}
		if i < g.m-1 {
			g.ADDQ(step, from)
		}
	}
	g.Label(g.label("alone"))
	g.CMPQ(operand.Mem{Base: tile, Disp: fieldReLU}, operand.U8(0))
	g.JEQ(operand.LabelRef(g.label("store")))
	zero := g.spare(0)
	g.zero(g.Context, zero)
	for i := range g.m {
		for v := range g.width() {
			g.VMAXPS(g.sum(i, v), zero, g.sum(i, v)) // keeps what is not a number
		}
	}
	g.Label(g.label("store"))
	for i := range g.m {
		for v := range g.width() {
			g.VMOVUPS(g.sum(i, v), at(to, nil, 0, v*g.bytes()))
		}
		if i < g.m-1 {
			g.ADDQ(step, to)
		}
	}
}
