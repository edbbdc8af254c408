package main

// inputConstants returns the constants that input uses.
func (n nodes) inputConstants() []float64 {
	all := n.squares(-1)
	for i, p := range n.pairs {
		all = append(append(all, n.squares(i)...), p, -p)
	}
	return distinct(all, []float64{-n.single})
}

// powers returns the constants that output and spread use.
func (n nodes) powers() []float64 {
	var all []float64
	for _, p := range append(n.pairs[:len(n.pairs):len(n.pairs)], n.single) {
		for a := range n.outputs {
			all = append(all, power(p, a))
		}
	}
	return all
}

// input multiplies a line d of cells by the transposed B of Lavin and Gray. With M, the
// polynomial whose roots are all finite points, the value at point p is the sum of d_i times the
// coefficients of M/(x-p), and the value at infinity the sum with the coefficients of M. Opposite
// points share all terms except for a sign. The factor of the point without an opposite is common
// to them and is taken out first.
func (g *transformer) input(d []vector, save func(i int, r vector)) {
	all := g.squares(-1)
	odd := func() vector { return g.every(all, d, 1) } // x times the product of all squares
	var alone vector
	if g.single != 0 {
		alone = odd()
		last := len(d) - 1
		for i := range last { // times x - single
			e := g.sum(term{-g.single, d[i]}, term{1, d[i+1]})
			g.give(d[i])
			d[i] = e
		}
		g.give(d[last])
		d = d[:last]
	}
	for i, p := range g.pairs {
		others := g.squares(i)
		u, v := g.every(others, d, 2), g.every(others, d, 1)
		save(2*i, g.sum(term{p, v}, term{1, u}))
		g.addTerm(u, term{-p, v})
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
	save(i, odd())
	g.give(d...)
}

// every returns the sum of every second value, starting with first, times the coefficients.
func (g *transformer) every(coefficients []float64, d []vector, first int) vector {
	var terms []term
	for i, c := range coefficients {
		terms = append(terms, term{c, d[first+2*i]})
	}
	return g.sum(terms...)
}

// output multiplies a line of points by the transposed A: output a is the sum of p^a times the
// value at p, and infinity contributes to the last output only.
func (g *transformer) output(d []vector, save func(i int, r vector)) {
	pairs := len(g.pairs)
	for i := range pairs { // sums and differences of opposites
		sum := g.sum(term{1, d[2*i+1]}, term{1, d[2*i]})
		g.subtract(d[2*i+1], d[2*i], d[2*i+1])
		g.give(d[2*i])
		d[2*i] = sum
	}
	for a := range g.outputs {
		var terms []term
		for i, p := range g.pairs {
			terms = append(terms, term{power(p, a), d[2*i+a%2]})
		}
		if a == 0 {
			terms = append(terms, term{1, d[2*pairs]})
		}
		if g.single != 0 {
			terms = append(terms, term{power(g.single, a), d[2*pairs+1]})
		}
		if a == g.outputs-1 {
			terms = append(terms, term{1, d[len(d)-1]})
		}
		save(a, g.sum(terms...))
	}
	g.give(d...)
}

// spread multiplies a line of cells, one per output of a tile, by A: point p is the value at p of
// the polynomial whose coefficients are the cells.
func (g *transformer) spread(d []vector, save func(i int, r vector)) {
	at := func(p float64, first, step int) vector {
		var terms []term
		for a := first; a < len(d); a += step {
			terms = append(terms, term{power(p, a), d[a]})
		}
		return g.sum(terms...)
	}
	for i, p := range g.pairs {
		even, odd := at(p, 0, 2), at(p, 1, 2)
		save(2*i, g.sum(term{1, odd}, term{1, even}))
		g.subtract(odd, even, odd)
		g.give(even)
		save(2*i+1, odd)
	}
	i := 2 * len(g.pairs)
	save(i, g.sum(term{1, d[0]}))
	i++
	if g.single != 0 {
		save(i, at(g.single, 0, 1))
		i++
	}
	save(i, g.sum(term{1, d[len(d)-1]}))
	g.give(d...)
}

// filterLine multiplies a filter's line by G.
func (g *transformer) filterLine(d []vector, save func(i int, r vector)) {
	for i, row := range g.filter() {
		var terms []term
		for k, c := range row {
			if c != 0 {
				terms = append(terms, term{c, d[k]})
			}
		}
		save(i, g.sum(terms...))
	}
	g.give(d...)
}

// gather multiplies a line of points by the transposed G.
func (g *transformer) gather(d []vector, save func(i int, r vector)) {
	rows := g.filter()
	for k := range 3 {
		var terms []term
		for i, row := range rows {
			if row[k] != 0 {
				terms = append(terms, term{row[k], d[i]})
			}
		}
		save(k, g.sum(terms...))
	}
	g.give(d...)
}
