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
	fieldMask     = 208
	fieldLdb      = 232
	fieldProducts = 240
	fieldStepA    = 248
	fieldStepB    = 256
	fieldStepC    = 264
	fieldAtA      = 272
	fieldAtB      = 280
	fieldAtC      = 288
	fieldTiles    = 296
	fieldLeft     = 304
	fieldTileA    = 312
	fieldTileC    = 320
)

// General-purpose registers of both kernels. RAX to RDX are scratch registers.
var (
	tile     = reg.RDI // the argument
	segment  = reg.RSI // the next segment
	segments = reg.R8  // number of remaining segments
	stride   = reg.R9  // bytes between rows of a, and at the end rows of c
	weights  = reg.R10 // row k of the first panel of b
	panel    = reg.R11 // bytes to the second panel
	counter  = reg.R12 // remaining steps
)

// shape generates the code of one tile shape.
type shape struct {
	*build.Context
	isa
	m, n int
}

// function generates a kernel: straight-line code for each tile shape, and the selection of the
// shape.
func function(c *build.Context, t isa, name, twin string, code func(shape)) {
	c.Function(name)
	c.Attributes(build.NOSPLIT)
	c.SignatureExpr("func(t *byte)") // a *tile, whose type the generator does not have
	c.Doc(name + " is " + twin + " in assembly.")
	c.Load(c.Param("t"), tile)
	load(c, fieldPanel, panel)
	c.SHLQ(operand.U8(2), panel)
	load(c, fieldM, reg.RAX)
	for n := t.panels; n >= 1; n-- {
		if n > 1 {
			c.CMPQ(field(fieldN), operand.U8(n))
			c.JLT(operand.LabelRef(fmt.Sprintf("panels%d", n-1)))
		}
		for m := t.rows; m > 1; m-- {
			c.CMPQ(reg.RAX, operand.U8(m))
			c.JEQ(operand.LabelRef(shape{m: m, n: n}.label("tile")))
		}
		c.JMP(operand.LabelRef(shape{m: 1, n: n}.label("tile")))
		if n > 1 {
			c.Label(fmt.Sprintf("panels%d", n-1))
		}
	}
	for n := t.panels; n >= 1; n-- {
		for m := t.rows; m >= 1; m-- {
			g := shape{c, t, m, n}
			g.Label(g.label("tile"))
			g.start()
			code(g)
			g.store()
			g.nextTile()
			g.VZEROUPPER()
			g.RET()
		}
	}
}

func field(offset int) operand.Mem { return operand.Mem{Base: tile, Disp: offset} }

func load(c *build.Context, offset int, r reg.GPPhysical) { c.MOVQ(field(offset), r) }

// label returns a label of this shape.
func (g shape) label(name string) string { return fmt.Sprintf("%s%dx%d", name, g.m, g.n) }

// width returns the number of vectors in a row.
func (g shape) width() int { return g.n * g.vectors }

// sum returns the register with vector v of row i.
func (g shape) sum(i, v int) reg.VecPhysical { return g.file[i*g.width()+v] }

// column returns the register with vector v of the current row of b.
func (g shape) column(v int) reg.VecPhysical { return g.file[g.m*g.width()+v] }

// spare returns one of the unused registers, in turn.
func (g shape) spare(i int) reg.VecPhysical {
	used := (g.m + 1) * g.width()
	return g.file[used+i%(len(g.file)-used)]
}

// start loads the sums from tile.init and selects the first segment.
func (g shape) start() {
	load(g.Context, fieldLda, stride)
	g.SHLQ(operand.U8(2), stride)
	load(g.Context, fieldSegments, segment)
	load(g.Context, fieldSegments+8, segments)
	from, step := reg.RAX, reg.RBX
	load(g.Context, fieldInit, from)
	load(g.Context, fieldLdi, step)
	g.SHLQ(operand.U8(2), step)
	g.rows(func(i, v int) { g.VMOVUPS(g.vector(from, v), g.sum(i, v)) }, func() { g.ADDQ(step, from) })
}

// rows calls each for every vector of the tile, and next between two rows.
func (g shape) rows(each func(i, v int), next func()) {
	for i := range g.m {
		for v := range g.width() {
			each(i, v)
		}
		if i < g.m-1 {
			next()
		}
	}
}

// vector returns the address of vector v of a row that begins at base.
func (g shape) vector(base reg.GPPhysical, v int) operand.Mem {
	return at(base, nil, 0, v*g.bytes())
}

// nextSegment points a to the segment's rows of a and weights to its part of b, and removes the
// segment from the list.
func (g shape) nextSegment(a reg.GPPhysical) {
	g.MOVQ(operand.Mem{Base: segment}, a)
	g.MOVQ(operand.Mem{Base: segment, Disp: 8}, weights)
	g.ADDQ(operand.U8(16), segment)
	g.ADDQ(field(fieldAtA), a)
	g.ADDQ(field(fieldAtB), weights)
	g.SHLQ(operand.U8(2), a)
	g.SHLQ(operand.U8(2), weights)
	g.ADDQ(field(fieldA), a)
	g.ADDQ(field(fieldB), weights)
}

// step adds a[row, k]·b[k] for one k, given the address of a[row, k] and the distance of row k of
// b from weights.
func (g shape) step(a func(row int) operand.Mem, b int) {
	for v := range g.width() {
		g.VMOVUPS(at(weights, panel, uint8(v/g.vectors), b+v%g.vectors*g.bytes()), g.column(v))
	}
	for i := range g.m {
		g.VBROADCASTSS(a(i), g.spare(i))
		for v := range g.width() {
			g.VFMADD231PS(g.column(v), g.spare(i), g.sum(i, v))
		}
	}
}

// store writes the sums to tile.c.
func (g shape) store() {
	to, from := reg.RAX, reg.RBX
	load(g.Context, fieldC, to)
	load(g.Context, fieldAtC, from)
	g.LEAQ(at(to, from, 4, 0), to)
	load(g.Context, fieldLdc, stride)
	g.SHLQ(operand.U8(2), stride)
	g.rows(func(i, v int) { g.VMOVUPS(g.sum(i, v), g.vector(to, v)) }, func() { g.ADDQ(stride, to) })
}

// nextTile advances to the next tile of a product, and then to the next product.
func (g shape) nextTile() {
	g.DECQ(field(fieldLeft))
	g.JLE(operand.LabelRef(g.label("done")))
	g.advance(fieldAtA, fieldTileA)
	g.advance(fieldAtC, fieldTileC)
	g.JMP(operand.LabelRef(g.label("tile")))

	g.Label(g.label("done"))
	load(g.Context, fieldTiles, reg.RAX)
	g.MOVQ(reg.RAX, field(fieldLeft))
	g.advance(fieldAtA, fieldStepA)
	g.advance(fieldAtB, fieldStepB)
	g.advance(fieldAtC, fieldStepC)
	g.DECQ(field(fieldProducts))
	g.JGT(operand.LabelRef(g.label("tile")))
}

// advance adds one field to another.
func (g shape) advance(at, step int) {
	load(g.Context, step, reg.RAX)
	g.ADDQ(reg.RAX, field(at))
}
