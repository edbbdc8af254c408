package main

// accumulate generates the kernel that reads a and b row by row in k.
func accumulate(g shape) {
	from, step := scratch0, scratch1
	g.load(field(fieldLdb), step)
	g.shiftLeft(2, step)

	g.label(g.name("segment"))
	g.nextSegment(from)
	g.load(field(fieldK), counter)

	g.label(g.name("step"))
	g.accumulateStep(g, from, step)
	g.loop(counter, g.name("step"))
	g.loop(segments, g.name("segment"))
}
