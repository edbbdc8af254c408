package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets of the fields of kernel.patch; the package's tests compare them.
const (
	patchPoints   = 0
	patchStep     = 24
	patchCount    = 32
	patchScratch  = 40
	patchFloor    = 64
	patchMasked   = 72
	patchCells    = 80
	patchResidual = patchCells + 49*24
	patchMask     = patchResidual + 49*24
)

// General-purpose registers of the transforms.
var (
	patch   = reg.RDI // the argument
	scratch = reg.RSI // results of the first pass for the second
	point   = reg.R8  // the current point
	step    = reg.R9  // bytes from point to point
	count   = reg.R10 // bytes of a cell's numbers
	offset  = reg.R11 // bytes of them that are finished
	cell    = reg.R12 // address of a cell's numbers
)

// transformer generates the transforms of one tiling. Values are in vector registers, which are
// allocated and released explicitly.
type transformer struct {
	*build.Context
	isa
	nodes
	free  []reg.VecPhysical
	known map[float64]reg.VecPhysical // constants that have a register
	used  map[float64]bool            // constants that need memory
}

// knownLimit bounds the registers that AVX-512 uses for constants.
const knownLimit = 12

// transform generates one function. body handles one vector of the cells' numbers.
func transform(c *build.Context, t isa, n nodes, used map[float64]bool, name string, constants []float64, body func(*transformer)) {
	name = fmt.Sprintf("%s%d%s", name, n.outputs, strings.ToUpper(t.name))
	c.Function(name)
	c.Attributes(build.NOSPLIT)
	c.SignatureExpr("func(p *byte)") // a *patch, whose type the generator does not have
	c.Doc(name + " is a transform of tiles " + fmt.Sprintf("%dx%d.", n.outputs, n.outputs))
	g := &transformer{Context: c, isa: t, nodes: n, known: map[float64]reg.VecPhysical{}, used: used}
	g.free = append(g.free, t.file...)
	c.Load(c.Param("p"), patch)
	c.MOVQ(operand.Mem{Base: patch, Disp: patchScratch}, scratch)
	c.MOVQ(operand.Mem{Base: patch, Disp: patchStep}, step)
	c.SHLQ(operand.U8(2), step)
	c.MOVQ(operand.Mem{Base: patch, Disp: patchCount}, count)
	c.SHLQ(operand.U8(2), count)
	c.XORQ(offset, offset)
	if t.vectors == 1 { // there are enough registers
		for _, v := range constants[:min(len(constants), knownLimit)] {
			r := g.take()
			c.VBROADCASTSS(g.constant(v), r)
			g.known[v] = r
		}
	}
	c.Label("vector")
	c.MOVQ(operand.Mem{Base: patch, Disp: patchPoints}, point)
	c.ADDQ(offset, point)
	body(g)
	c.ADDQ(operand.U8(t.bytes()), offset)
	c.CMPQ(offset, count)
	c.JLT(operand.LabelRef("vector"))
	c.VZEROUPPER()
	c.RET()
}

func (g *transformer) take() reg.VecPhysical {
	r := g.free[0]
	g.free = g.free[1:]
	return r
}

func (g *transformer) give(rs ...reg.VecPhysical) { g.free = append(rs, g.free...) }

// constant returns the address of a constant in read-only memory, as wide as an AVX2 register.
func (g *transformer) constant(v float64) operand.Mem {
	g.used[v] = true
	return operand.NewDataAddr(operand.NewStaticSymbol(constantName(v)), 0)
}

func constantName(v float64) string {
	return fmt.Sprintf("f%08x", math.Float32bits(float32(v)))
}

// constantData generates the read-only memory of the constants.
func constantData(c *build.Context, used map[float64]bool) {
	for _, v := range slices.Sorted(maps.Keys(used)) {
		c.StaticGlobal(constantName(v))
		c.DataAttributes(build.RODATA | build.NOPTR)
		for i := range 8 {
			c.AddDatum(4*i, operand.U32(math.Float32bits(float32(v))))
		}
	}
}

// term is a value times a factor.
type term struct {
	coefficient float64
	value       reg.VecPhysical
}

// sum returns a new register with the sum of the terms.
func (g *transformer) sum(terms ...term) reg.VecPhysical {
	r := g.take()
	plain := slices.IndexFunc(terms, func(t term) bool { return t.coefficient == 1 })
	if plain < 0 {
		g.times(terms[0], r)
		terms = terms[1:]
	} else {
		first := terms[plain].value
		terms = slices.Delete(slices.Clone(terms), plain, plain+1)
		switch sign := slices.IndexFunc(terms, func(t term) bool { return t.coefficient == 1 || t.coefficient == -1 }); {
		case sign < 0:
			g.VMOVAPS(first, r)
		case terms[sign].coefficient == 1:
			g.VADDPS(terms[sign].value, first, r)
			terms = slices.Delete(terms, sign, sign+1)
		default:
			g.VSUBPS(terms[sign].value, first, r)
			terms = slices.Delete(terms, sign, sign+1)
		}
	}
	for _, t := range terms {
		g.add(r, t)
	}
	return r
}

// times sets r to a term.
func (g *transformer) times(t term, r reg.VecPhysical) {
	switch known, ok := g.known[t.coefficient]; {
	case ok:
		g.VMULPS(known, t.value, r)
	case g.vectors == 1:
		g.VMULPS_BCST(g.constant(t.coefficient), t.value, r)
	default:
		g.VMULPS(g.constant(t.coefficient), t.value, r)
	}
}

// add adds a term to the register sum.
func (g *transformer) add(sum reg.VecPhysical, t term) {
	switch known, ok := g.known[t.coefficient]; {
	case t.coefficient == 0:
	case t.coefficient == 1:
		g.VADDPS(t.value, sum, sum)
	case t.coefficient == -1:
		g.VSUBPS(t.value, sum, sum)
	case ok:
		g.VFMADD231PS(known, t.value, sum)
	case g.vectors == 1:
		g.VFMADD231PS_BCST(g.constant(t.coefficient), t.value, sum)
	default:
		g.VFMADD231PS(g.constant(t.coefficient), t.value, sum)
	}
}

// load returns a new register with the numbers at m.
func (g *transformer) load(m operand.Mem) reg.VecPhysical {
	r := g.take()
	g.VMOVUPS(m, r)
	return r
}

// save stores a register and releases it.
func (g *transformer) save(r reg.VecPhysical, m operand.Mem) {
	g.VMOVUPS(r, m)
	g.give(r)
}

// at returns the numbers of entry i of a table of slices in the patch.
func (g *transformer) at(table, i int) operand.Mem {
	g.MOVQ(operand.Mem{Base: patch, Disp: table + 24*i}, cell)
	return operand.Mem{Base: cell, Index: offset, Scale: 1}
}

// kept returns the address of number i between the passes.
func (g *transformer) kept(i int) operand.Mem {
	return operand.Mem{Base: scratch, Disp: i * g.bytes()}
}

// next returns the address of the current point and advances to the next point.
func (g *transformer) next(use func(operand.Mem)) {
	use(operand.Mem{Base: point})
	g.ADDQ(step, point)
}
