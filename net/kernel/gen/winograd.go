package main

import (
	"slices"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// line computes one line of a transform from registers, which it releases, and calls save with
// the results in order.
type line func(d []reg.VecPhysical, save func(i int, r reg.VecPhysical))

// winograd generates the transforms of all tilings.
func winograd(c *build.Context, t isa) {
	used := map[float64]bool{}
	for _, n := range tilings {
		powers := n.powers()
		filter := slices.Concat(n.filter()...)
		transform(c, t, n, used, "input", n.inputConstants(), func(g *transformer) { g.toPoints(n.points(), g.input) })
		transform(c, t, n, used, "output", distinct(powers), func(g *transformer) { g.fromPoints(n.outputs, g.output, true) })
		transform(c, t, n, used, "filter", distinct(filter), func(g *transformer) { g.toPoints(3, g.filterLine) })
		transform(c, t, n, used, "spread", distinct(powers), func(g *transformer) { g.toPoints(n.outputs, g.spread) })
		transform(c, t, n, used, "gather", distinct(filter), func(g *transformer) { g.fromPoints(3, g.gather, false) })
	}
	constantData(c, used)
}

// toPoints transforms side*side cells to points, columns first.
func (g *transformer) toPoints(side int, each line) {
	n := g.points()
	for x := range side {
		d := make([]reg.VecPhysical, side)
		for y := range side {
			d[y] = g.load(g.at(patchCells, y*side+x))
		}
		each(d, func(i int, r reg.VecPhysical) { g.save(r, g.kept(i*side+x)) })
	}
	for y := range n {
		d := make([]reg.VecPhysical, side)
		for x := range side {
			d[x] = g.load(g.kept(y*side + x))
		}
		each(d, func(_ int, r reg.VecPhysical) { g.next(func(m operand.Mem) { g.save(r, m) }) })
	}
}

// fromPoints transforms points to side*side cells, lines first, and adds the residual. With
// activation it applies the ReLU and the mask.
func (g *transformer) fromPoints(side int, each line, activation bool) {
	n := g.points()
	for y := range n {
		d := make([]reg.VecPhysical, n)
		for x := range n {
			g.next(func(at operand.Mem) { d[x] = g.load(at) })
		}
		each(d, func(i int, r reg.VecPhysical) { g.save(r, g.kept(y*side+i)) })
	}
	floor := g.take()
	g.VBROADCASTSS(operand.Mem{Base: patch, Disp: patchFloor}, floor)
	for x := range side {
		d := make([]reg.VecPhysical, n)
		for y := range n {
			d[y] = g.load(g.kept(y*side + x))
		}
		each(d, func(i int, r reg.VecPhysical) {
			g.VADDPS(g.at(patchResidual, i*side+x), r, r)
			if activation {
				g.VMAXPS(r, floor, r) // preserves NaN
			}
			g.save(r, g.at(patchCells, i*side+x))
		})
	}
	g.give(floor)
	if activation {
		g.CMPQ(operand.Mem{Base: patch, Disp: patchMasked}, operand.U8(0))
		g.JEQ(operand.LabelRef("plain"))
		g.hide(side * side)
		g.Label("plain")
	}
}

// hide sets cells to 0 where the mask is not positive.
func (g *transformer) hide(cells int) {
	zero, value, scratch := g.take(), g.take(), g.take()
	g.zero(g.Context, zero)
	for i := range cells {
		g.VMOVUPS(g.at(patchCells, i), value)
		g.isa.hide(g.Context, g.at(patchMask, i), zero, value, scratch)
		g.VMOVUPS(value, g.at(patchCells, i))
	}
	g.give(zero, value, scratch)
}
