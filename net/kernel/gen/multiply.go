package main

// multiply generates the kernel for packed b, whose steps come in groups of four.
func multiply(g shape) {
	const group = 4
	g.label(g.name("segment"))
	g.nextSegment(scratch0)
	g.rowAddresses(g)
	g.load(field(fieldK), counter)
	g.shiftRight(2, counter)

	g.label(g.name("step"))
	g.multiplySteps(g)
	g.addTo(weights, 64*group)
	g.loop(counter, g.name("step"))
	g.loop(segments, g.name("segment"))

	g.addResidual()
	g.rectifySums()
	g.hideSums()
}

// optional generates code that runs if the slice in a field is not nil, with the address of the
// slice's data in from.
func (g shape) optional(offset int, from general, skip string, code func()) {
	g.load(field(offset), from)
	g.jumpIfNil(from, g.name(skip))
	g.load(field(fieldLdc), stride)
	g.shiftLeft(2, stride)
	code()
	g.label(g.name(skip))
}

func (g shape) addResidual() {
	from := scratch1
	g.optional(fieldResidual, from, "alone", func() {
		g.eachVector(func(i, v int) { g.addMemory(g.vectorAt(from, v), g.sum(i, v)) }, func() { g.addRegister(stride, from) })
	})
}

// rectifySums sets negative sums to 0.
func (g shape) rectifySums() {
	g.compareField(field(fieldReLU), 0)
	g.jumpIf(equal, g.name("linear"))
	zero := g.spare(0)
	g.zero(zero)
	g.eachVector(func(i, v int) { g.rectify(zero, g.sum(i, v)) }, func() {})
	g.label(g.name("linear"))
}

// hideSums sets the sums to 0 where the mask is not positive.
func (g shape) hideSums() {
	from := scratch1
	g.optional(fieldMask, from, "plain", func() {
		zero, spare := g.spare(0), g.spare(1)
		g.zero(zero)
		g.eachVector(func(i, v int) { g.hide(g.vectorAt(from, v), zero, g.sum(i, v), spare) }, func() { g.addRegister(stride, from) })
	})
}
