package main

import "slices"

// line computes one line of a transform from registers, which it releases, and calls save with
// the results in order.
type line func(d []vector, save func(i int, r vector))

// winograd generates the transforms of all tilings.
func winograd(t isa) {
	for _, n := range tilings {
		powers := n.powers()
		filter := slices.Concat(n.filter()...)
		transform(t, n, "input", n.inputConstants(), func(g *transformer) { g.toPoints(n.points(), g.input) })
		transform(t, n, "output", distinct(powers), func(g *transformer) { g.fromPoints(n.outputs, g.output, true) })
		transform(t, n, "filter", distinct(filter), func(g *transformer) { g.toPoints(3, g.filterLine) })
		transform(t, n, "spread", distinct(powers), func(g *transformer) { g.toPoints(n.outputs, g.spread) })
		transform(t, n, "gather", distinct(filter), func(g *transformer) { g.fromPoints(3, g.gather, false) })
	}
}

// toPoints transforms side*side cells to points, columns first.
func (g *transformer) toPoints(side int, each line) {
	n := g.points()
	for x := range side {
		d := make([]vector, side)
		for y := range side {
			d[y] = g.take(g.at(patchCells, y*side+x))
		}
		each(d, func(i int, r vector) { g.put(r, g.kept(i*side+x)) })
	}
	for y := range n {
		d := make([]vector, side)
		for x := range side {
			d[x] = g.take(g.kept(y*side + x))
		}
		each(d, func(_ int, r vector) { g.next(func(m place) { g.put(r, m) }) })
	}
}

// fromPoints transforms points to side*side cells, lines first, and adds the residual. With
// activation it applies the ReLU and the mask.
func (g *transformer) fromPoints(side int, each line, activation bool) {
	n := g.points()
	for y := range n {
		d := make([]vector, n)
		for x := range n {
			g.next(func(at place) { d[x] = g.take(at) })
		}
		each(d, func(i int, r vector) { g.put(r, g.kept(y*side+i)) })
	}
	floor := g.new()
	g.broadcast(field(patchFloor), floor)
	for x := range side {
		d := make([]vector, n)
		for y := range n {
			d[y] = g.take(g.kept(y*side + x))
		}
		each(d, func(i int, r vector) {
			g.addMemory(g.at(patchResidual, i*side+x), r)
			if activation {
				g.raise(floor, r)
			}
			g.put(r, g.at(patchCells, i*side+x))
		})
	}
	g.give(floor)
	if activation {
		g.compareField(field(patchMasked), 0)
		g.jumpIf(equal, "plain")
		g.hideCells(side * side)
		g.label("plain")
	}
}

// hideCells sets cells to 0 where the mask is not positive.
func (g *transformer) hideCells(cells int) {
	zero, value, spare := g.new(), g.new(), g.new()
	g.zero(zero)
	for i := range cells {
		g.loadVector(g.at(patchCells, i), value)
		g.hide(g.at(patchMask, i), zero, value, spare)
		g.storeVector(value, g.at(patchCells, i))
	}
	g.give(zero, value, spare)
}
