package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// winograd generates the transforms of all tilings.
func winograd(c *build.Context, t isa) {
	used := map[float64]bool{}
	var all []float64
	for _, n := range tilings {
		for _, f := range []struct {
			name      string
			constants []float64
			body      func(*transformer)
		}{
			{"input", n.inputConstants(), (*transformer).input},
			{"output", n.outputConstants(), (*transformer).output},
		} {
			for _, v := range f.constants {
				if !used[v] {
					used[v] = true
					all = append(all, v)
				}
			}
			transform(c, t, n, f.name, f.constants, f.body)
		}
	}
	constantData(c, all)
}

// distinct returns the numbers that need a constant, once each.
func distinct(values []float64) []float64 {
	seen := map[float64]bool{1: true, -1: true, 0: true}
	var out []float64
	for _, v := range values {
		if !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	return out
}

func (n nodes) inputConstants() []float64 {
	all := n.squares(-1)
	for i, p := range n.pairs {
		all = append(append(all, n.squares(i)...), p, -p)
	}
	return distinct(append(all, -n.single))
}

func (n nodes) outputConstants() []float64 {
	var all []float64
	for _, p := range append(n.pairs[:len(n.pairs):len(n.pairs)], n.single) {
		power := 1.0
		for range n.outputs - 1 {
			power *= p
			all = append(all, power)
		}
	}
	return distinct(all)
}

// input transforms the cells of a tile's input to points.
func (g *transformer) input() {
	n := g.inputs()
	for x := range n {
		line := make([]reg.VecPhysical, n)
		for y := range n {
			line[y] = g.load(g.at(patchCells, y*n+x))
		}
		g.toPoints(line, func(i int, r reg.VecPhysical) { g.save(r, g.kept(i*n+x)) })
	}
	for y := range n {
		line := make([]reg.VecPhysical, n)
		for x := range n {
			line[x] = g.load(g.kept(y*n + x))
		}
		g.toPoints(line, func(_ int, r reg.VecPhysical) { g.next(func(m operand.Mem) { g.save(r, m) }) })
	}
}

// toPoints multiplies a line d of input cells by the transposed B of Lavin and
// Gray: with the polynomial M of all finite points, point p is the sum of d_i
// times the coefficients of M/(x-p), infinity that of M. Opposite points share
// all but a sign; what belongs to the point without opposite is a common
// factor, taken out first. It uses up d and calls save in the order of points.
func (g *transformer) toPoints(d []reg.VecPhysical, save func(i int, r reg.VecPhysical)) {
	n := g.inputs()
	all := g.squares(-1)
	odd := func(d []reg.VecPhysical) reg.VecPhysical { return g.every(all, d, 1) } // x times the product of all squares
	var alone reg.VecPhysical
	if g.single != 0 {
		alone = odd(d)
		for i := range n - 1 { // times x - single
			e := g.sum(term{-g.single, d[i]}, term{1, d[i+1]})
			g.give(d[i])
			d[i] = e
		}
		g.give(d[n-1])
		d = d[:n-1]
	}
	for i, p := range g.pairs {
		others := g.squares(i)
		u, v := g.every(others, d, 2), g.every(others, d, 1)
		save(2*i, g.sum(term{p, v}, term{1, u}))
		g.add(u, term{-p, v})
		g.give(v)
		save(2*i+1, u)
	}
	i := 2 * len(g.pairs)
	save(i, g.every(all, d, 0))
	i++
	if g.single != 0 {
		save(i, alone)
		i++
	}
	save(i, odd(d))
	g.give(d...)
}

// every returns the sum of every second value from first on, times the
// coefficients, of which the last is 1.
func (g *transformer) every(coefficients []float64, d []reg.VecPhysical, first int) reg.VecPhysical {
	var terms []term
	for i, c := range coefficients {
		terms = append(terms, term{c, d[first+2*i]})
	}
	return g.sum(terms...)
}

// output transforms points to the cells of a tile, and adds the residual,
// rectifies and masks.
func (g *transformer) output() {
	n, m := g.inputs(), g.outputs
	for y := range n {
		line := make([]reg.VecPhysical, n)
		for x := range n {
			g.next(func(at operand.Mem) { line[x] = g.load(at) })
		}
		g.fromPoints(line, func(i int, r reg.VecPhysical) { g.save(r, g.kept(y*m+i)) })
	}
	floor := g.take()
	g.VBROADCASTSS(operand.Mem{Base: patch, Disp: patchFloor}, floor)
	for x := range m {
		line := make([]reg.VecPhysical, n)
		for y := range n {
			line[y] = g.load(g.kept(y*m + x))
		}
		g.fromPoints(line, func(i int, r reg.VecPhysical) {
			g.VADDPS(g.at(patchResidual, i*m+x), r, r)
			g.VMAXPS(r, floor, r) // keeps what is not a number
			g.save(r, g.at(patchCells, i*m+x))
		})
	}
	g.give(floor)
	g.CMPQ(operand.Mem{Base: patch, Disp: patchMasked}, operand.U8(0))
	g.JEQ(operand.LabelRef("plain"))
	g.hide()
	g.Label("plain")
}

// fromPoints multiplies a line of points by the transposed A: output a is the
// sum of p^a times the value at p, and infinity counts for the last alone.
func (g *transformer) fromPoints(d []reg.VecPhysical, save func(i int, r reg.VecPhysical)) {
	pairs := len(g.pairs)
	for i := range pairs { // sums and differences of opposites
		sum := g.sum(term{1, d[2*i+1]}, term{1, d[2*i]})
		g.VSUBPS(d[2*i+1], d[2*i], d[2*i+1])
		g.give(d[2*i])
		d[2*i] = sum
	}
	for a := range g.outputs {
		var terms []term
		weigh := func(p float64, r reg.VecPhysical) {
			power := 1.0
			for range a {
				power *= p
			}
			terms = append(terms, term{power, r})
		}
		if g.single != 0 {
			weigh(g.single, d[2*pairs+1])
		}
		if a == 0 {
			terms = append(terms, term{1, d[2*pairs]})
		}
		if a == g.outputs-1 {
			terms = append(terms, term{1, d[len(d)-1]})
		}
		for i := pairs - 1; i >= 0; i-- { // 1 and -1 last
			weigh(g.pairs[i], d[2*i+a%2])
		}
		save(a, g.sum(terms...))
	}
	g.give(d...)
}

// hide makes cells 0 where the mask is not above 0.
func (g *transformer) hide() {
	const less = 0x11 // ordered, quiet
	zero, value, test := g.take(), g.take(), g.take()
	g.zero(g.Context, zero)
	for i := range g.outputs * g.outputs {
		g.VMOVUPS(g.at(patchCells, i), value)
		if g.vectors == 1 {
			g.VCMPPS(operand.U8(less), g.at(patchMask, i), zero, reg.K1)
			g.VMOVAPS_Z(value, reg.K1, value)
		} else {
			g.VCMPPS(operand.U8(less), g.at(patchMask, i), zero, test)
			g.VANDPS(test, value, value)
		}
		g.VMOVUPS(value, g.at(patchCells, i))
	}
	g.give(zero, value, test)
}
