package main

import "fmt"

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

// shape generates the code of one tile shape.
type shape struct {
	isa
	m, n int
}

// tileFunction generates a kernel: straight-line code for each tile shape, and the selection of
// the shape.
func tileFunction(t isa, name, twin string, code func(shape)) {
	t.function(name, "t", name+" is "+twin+" in assembly.")
	t.load(field(fieldPanel), panel)
	t.shiftLeft(2, panel)
	t.load(field(fieldM), scratch0)
	for n := t.panels; n >= 1; n-- {
		if n > 1 {
			t.compareField(field(fieldN), n)
			t.jumpIf(less, fmt.Sprintf("panels%d", n-1))
		}
		for m := t.rows; m > 1; m-- {
			t.compare(scratch0, m)
			t.jumpIf(equal, shape{m: m, n: n}.name("tile"))
		}
		t.jump(shape{m: 1, n: n}.name("tile"))
		if n > 1 {
			t.label(fmt.Sprintf("panels%d", n-1))
		}
	}
	for n := t.panels; n >= 1; n-- {
		for m := t.rows; m >= 1; m-- {
			g := shape{t, m, n}
			g.label(g.name("tile"))
			g.start()
			code(g)
			g.storeSums()
			g.nextTile()
			g.ret()
		}
	}
}

// name returns a label of this shape.
func (g shape) name(label string) string { return fmt.Sprintf("%s%dx%d", label, g.m, g.n) }

// width returns the number of vectors in a row.
func (g shape) width() int { return g.n * g.vectors }

// sum returns the register with vector v of row i.
func (g shape) sum(i, v int) vector { return vector(i*g.width() + v) }

// column returns the register with vector v of the current row of b.
func (g shape) column(v int) vector { return vector(g.m*g.width() + v) }

// spare returns one of the unused registers, in turn.
func (g shape) spare(i int) vector {
	used := (g.m + 1) * g.width()
	return vector(used + i%(g.registers-used))
}

// start loads the sums from tile.init and selects the first segment.
func (g shape) start() {
	g.load(field(fieldLda), stride)
	g.shiftLeft(2, stride)
	g.load(field(fieldSegments), segment)
	g.load(field(fieldSegments+8), segments)
	from, step := scratch0, scratch1
	g.load(field(fieldInit), from)
	g.load(field(fieldLdi), step)
	g.shiftLeft(2, step)
	g.eachVector(func(i, v int) { g.loadVector(g.vectorAt(from, v), g.sum(i, v)) }, func() { g.addRegister(step, from) })
}

// eachVector calls each for every vector of the tile, and next between rows.
func (g shape) eachVector(each func(i, v int), next func()) {
	for i := range g.m {
		for v := range g.width() {
			each(i, v)
		}
		if i < g.m-1 {
			next()
		}
	}
}

// vectorAt returns the address of vector v of a row that begins at base.
func (g shape) vectorAt(base general, v int) place { return at(base, v*g.bytes()) }

// nextSegment points a to the segment's rows of a and weights to its part of b, and removes the
// segment from the list.
func (g shape) nextSegment(a general) {
	g.load(at(segment, 0), a)
	g.load(at(segment, 8), weights)
	g.addTo(segment, 16)
	g.addField(field(fieldAtA), a)
	g.addField(field(fieldAtB), weights)
	g.shiftLeft(2, a)
	g.shiftLeft(2, weights)
	g.addField(field(fieldA), a)
	g.addField(field(fieldB), weights)
}

// storeSums writes the sums to tile.c.
func (g shape) storeSums() {
	to, from := scratch0, scratch1
	g.load(field(fieldC), to)
	g.load(field(fieldAtC), from)
	g.addressOf(place{to, from, 4, 0}, to)
	g.load(field(fieldLdc), stride)
	g.shiftLeft(2, stride)
	g.eachVector(func(i, v int) { g.storeVector(g.sum(i, v), g.vectorAt(to, v)) }, func() { g.addRegister(stride, to) })
}

// nextTile advances to the next tile of a product, and then to the next product.
func (g shape) nextTile() {
	g.countDown(field(fieldLeft))
	g.jumpIf(lessOrEqual, g.name("done"))
	g.advance(fieldAtA, fieldTileA)
	g.advance(fieldAtC, fieldTileC)
	g.jump(g.name("tile"))

	g.label(g.name("done"))
	g.load(field(fieldTiles), scratch0)
	g.store(scratch0, field(fieldLeft))
	g.advance(fieldAtA, fieldStepA)
	g.advance(fieldAtB, fieldStepB)
	g.advance(fieldAtC, fieldStepC)
	g.countDown(field(fieldProducts))
	g.jumpIf(greater, g.name("tile"))
}

// advance adds one field to another.
func (g shape) advance(at, step int) {
	g.load(field(step), scratch0)
	g.addToField(scratch0, field(at))
}
