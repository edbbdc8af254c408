package main

import (
	"fmt"
	"slices"
	"strings"
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

// transformer generates the transforms of one tiling. Values are in vector registers, which are
// allocated and released explicitly.
type transformer struct {
	isa
	nodes
	free []vector
}

// transform generates one function. body handles one vector of the cells' numbers, and multiplies
// by the constants.
func transform(t isa, n nodes, name string, constants []float64, body func(*transformer)) {
	name = fmt.Sprintf("%s%d%s", name, n.outputs, strings.ToUpper(t.name))
	t.function(name, "p", name+" is a transform of tiles "+fmt.Sprintf("%dx%d.", n.outputs, n.outputs))
	g := &transformer{isa: t, nodes: n}
	for i := range t.registers {
		g.free = append(g.free, vector(i))
	}
	g.load(field(patchScratch), kept)
	g.load(field(patchStep), step)
	g.shiftLeft(2, step)
	g.load(field(patchCount), count)
	g.shiftLeft(2, count)
	g.clear(offset)
	g.free = g.constants(constants, g.free)
	g.label("vector")
	g.load(field(patchPoints), point)
	g.addRegister(offset, point)
	body(g)
	g.addTo(offset, t.bytes())
	g.compareRegisters(offset, count)
	g.jumpIf(less, "vector")
	g.ret()
}

// new returns a free register.
func (g *transformer) new() vector {
	r := g.free[0]
	g.free = g.free[1:]
	return r
}

// give releases registers.
func (g *transformer) give(rs ...vector) { g.free = append(rs, g.free...) }

// term is a value times a factor.
type term struct {
	coefficient float64
	value       vector
}

// sum returns a new register with the sum of the terms.
func (g *transformer) sum(terms ...term) vector {
	r := g.new()
	plain := slices.IndexFunc(terms, func(t term) bool { return t.coefficient == 1 })
	if plain < 0 {
		g.times(terms[0].coefficient, terms[0].value, r)
		terms = terms[1:]
	} else {
		first := terms[plain].value
		terms = slices.Delete(slices.Clone(terms), plain, plain+1)
		switch sign := slices.IndexFunc(terms, func(t term) bool { return t.coefficient == 1 || t.coefficient == -1 }); {
		case sign < 0:
			g.copyVector(first, r)
		case terms[sign].coefficient == 1:
			g.add(terms[sign].value, first, r)
			terms = slices.Delete(terms, sign, sign+1)
		default:
			g.subtract(terms[sign].value, first, r)
			terms = slices.Delete(terms, sign, sign+1)
		}
	}
	for _, t := range terms {
		g.addTerm(r, t)
	}
	return r
}

// addTerm adds a term to the register sum.
func (g *transformer) addTerm(sum vector, t term) {
	switch t.coefficient {
	case 0:
	case 1:
		g.add(t.value, sum, sum)
	case -1:
		g.subtract(t.value, sum, sum)
	default:
		g.addTimes(t.coefficient, t.value, sum)
	}
}

// take returns a new register with the numbers at p.
func (g *transformer) take(p place) vector {
	r := g.new()
	g.loadVector(p, r)
	return r
}

// put stores a register and releases it.
func (g *transformer) put(r vector, p place) {
	g.storeVector(r, p)
	g.give(r)
}

// at returns the numbers of entry i of a table of slices in the patch.
func (g *transformer) at(table, i int) place {
	g.load(field(table+24*i), cell)
	return place{cell, offset, 1, 0}
}

// kept returns the address of number i between the passes.
func (g *transformer) kept(i int) place { return at(kept, i*g.bytes()) }

// next returns the address of the current point and advances to the next point.
func (g *transformer) next(use func(place)) {
	use(at(point, 0))
	g.addRegister(step, point)
}
