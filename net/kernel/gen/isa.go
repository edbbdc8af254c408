package main

// isa is an instruction set: the shape of its tiles and the writer of its instructions.
type isa struct {
	assembler
	name      string
	rows      int // rows of the largest tile
	panels    int // panels of the largest tile
	vectors   int // vector registers per panel of 16 columns
	registers int // vector registers that the kernels may use
}

// bytes is the width of a vector register.
func (t isa) bytes() int { return 64 / t.vectors }

// general is a 64-bit general-purpose register.
type general int

// General-purpose registers of all kernels. The scratch registers hold no value between steps;
// those after the fourth exist on arm64 only.
const (
	argument general = iota // points to the tile or the patch
	scratch0
	scratch1
	scratch2
	scratch3
	scratch4
	scratch5

	// Registers of the products.
	segment  // points to the next segment
	segments // number of remaining segments
	stride   // bytes between rows of a, and at the end rows of c
	weights  // points to row k of the first panel of b
	panel    // bytes to the second panel
	counter  // number of remaining steps

	// Registers of the transforms.
	kept   = segment  // points to the results of the first pass
	point  = segments // points to the current point
	step   = stride   // bytes from point to point
	count  = weights  // bytes of a cell's numbers
	offset = panel    // bytes of them that are finished
	cell   = counter  // points to a cell's numbers
)

// vector is the number of a vector register.
type vector int

// place is memory at base + index*scale + displacement bytes; scale 0 means no index.
type place struct {
	base, index         general
	scale, displacement int
}

// at returns the memory displacement bytes after a register.
func at(base general, displacement int) place { return place{base: base, displacement: displacement} }

// field returns a field of the tile or the patch.
func field(offset int) place { return at(argument, offset) }

// condition is the outcome of a comparison of signed numbers.
type condition int

const (
	equal condition = iota
	less
	lessOrEqual
	greater
)

// assembler writes the instructions of one architecture. The operands are in the order of Go's
// assembler, with the result last.
type assembler interface {
	// function begins a function with one pointer parameter, which it loads into argument.
	function(name, parameter, doc string)
	ret()
	label(name string)
	jump(label string)

	load(from place, to general)
	store(from general, to place)
	addTo(r general, n int)                 // r += n
	addRegister(from, to general)           // to += from
	addField(from place, to general)        // to += the number in memory
	addToField(from general, to place)      // the number in memory += from
	addressOf(p place, to general)          // to = the address
	shiftLeft(bits int, r general)          // r <<= bits
	shiftRight(bits int, r general)         // r >>= bits, r not negative
	clear(r general)                        // r = 0
	loop(r general, label string)           // r--, and jump if it is not 0
	countDown(p place)                      // decrement the number in memory, for jumpIf
	compare(a general, n int)               // for jumpIf: a and n
	compareRegisters(a, b general)          // for jumpIf: a and b
	compareField(p place, n int)            // for jumpIf: the number in memory and n
	jumpIf(c condition, label string)       // after one of the preceding four
	jumpIfNil(r general, label string)      // jump if the register is 0
	loadVector(from place, to vector)       // a complete register
	storeVector(from vector, to place)      // a complete register
	broadcast(from place, to vector)        // one number to all lanes
	zero(v vector)                          // v = 0
	copyVector(from, to vector)             // to = from
	add(a, b, sum vector)                   // sum = a + b
	addMemory(a place, sum vector)          // sum += the vector in memory
	subtract(a, b, difference vector)       // difference = b - a
	rectify(zero, v vector)                 // v = 0 where it is negative; preserves NaN and -0
	raise(floor, v vector)                  // v = floor where it is below floor; preserves NaN and -0
	hide(mask place, zero, v, spare vector) // v = 0 where the mask is not positive

	// rowAddresses prepares multiplySteps for the g.m rows that begin at scratch0.
	rowAddresses(g shape)
	// multiplySteps adds a[row, k]·b[k] to the sums for the next four k, and advances a.
	multiplySteps(g shape)
	// accumulateStep adds a[row]·b to the sums, for a at from and b at weights. It advances both,
	// and b by step bytes.
	accumulateStep(g shape, from, step general)

	// constants prepares the factors of times and addTimes in the current function, and returns
	// the free vector registers.
	constants(values []float64, free []vector) []vector
	times(c float64, v, product vector) // product = c·v
	addTimes(c float64, v, sum vector)  // sum += c·v, fused

	// finish returns the text of all functions.
	finish() ([]byte, error)
}
