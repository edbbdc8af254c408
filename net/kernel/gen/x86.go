package main

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
)

func avx512() isa {
	return isa{newX86("avx512", 1, []reg.VecPhysical{
		reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
		reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
		reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
		reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
	}), "avx512", 12, 2, 1, 32}
}

func avx2() isa {
	return isa{newX86("avx2", 2, []reg.VecPhysical{
		reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
		reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15,
	}), "avx2", 6, 1, 2, 16}
}

// x86 writes AVX-512 or AVX2 with avo.
type x86 struct {
	*build.Context
	name    string
	vectors int // per panel: 1 for AVX-512, 2 for AVX2
	file    []reg.VecPhysical
	known   map[float64]vector // constants that have a register in this function
	used    map[float64]bool   // constants in memory
}

func newX86(name string, vectors int, file []reg.VecPhysical) *x86 {
	return &x86{build.NewContext(), name, vectors, file, nil, map[float64]bool{}}
}

// knownLimit bounds the registers that AVX-512 uses for constants.
const knownLimit = 12

var generals = map[general]reg.GPPhysical{
	argument: reg.RDI, scratch0: reg.RAX, scratch1: reg.RBX, scratch2: reg.RCX, scratch3: reg.RDX,
	segment: reg.RSI, segments: reg.R8, stride: reg.R9, weights: reg.R10, panel: reg.R11, counter: reg.R12,
}

func (a *x86) memory(p place) operand.Mem {
	m := operand.Mem{Base: generals[p.base], Disp: p.displacement}
	if p.scale > 0 {
		m.Index, m.Scale = generals[p.index], uint8(p.scale)
	}
	return m
}

func immediate(n int) operand.Constant {
	if n < 128 {
		return operand.U8(n)
	}
	return operand.U32(n)
}

func (a *x86) function(name, parameter, doc string) {
	a.Function(name)
	a.Attributes(build.NOSPLIT)
	a.SignatureExpr("func(" + parameter + " *byte)") // a type that the generator does not have
	a.Doc(doc)
	a.Load(a.Param(parameter), generals[argument])
}

func (a *x86) ret() {
	a.VZEROUPPER()
	a.RET()
}

func (a *x86) label(name string) { a.Label(name) }
func (a *x86) jump(label string) { a.JMP(operand.LabelRef(label)) }

func (a *x86) load(from place, to general)     { a.MOVQ(a.memory(from), generals[to]) }
func (a *x86) store(from general, to place)    { a.MOVQ(generals[from], a.memory(to)) }
func (a *x86) addTo(r general, n int)          { a.ADDQ(immediate(n), generals[r]) }
func (a *x86) addRegister(from, to general)    { a.ADDQ(generals[from], generals[to]) }
func (a *x86) addField(from place, to general) { a.ADDQ(a.memory(from), generals[to]) }
func (a *x86) addToField(from general, to place) {
	a.ADDQ(generals[from], a.memory(to))
}
func (a *x86) addressOf(p place, to general)  { a.LEAQ(a.memory(p), generals[to]) }
func (a *x86) shiftLeft(bits int, r general)  { a.SHLQ(operand.U8(bits), generals[r]) }
func (a *x86) shiftRight(bits int, r general) { a.SHRQ(operand.U8(bits), generals[r]) }
func (a *x86) clear(r general)                { a.XORQ(generals[r], generals[r]) }
func (a *x86) countDown(p place)              { a.DECQ(a.memory(p)) }
func (a *x86) compare(r general, n int)       { a.CMPQ(generals[r], operand.U8(n)) }
func (a *x86) compareRegisters(r, s general)  { a.CMPQ(generals[r], generals[s]) }
func (a *x86) compareField(p place, n int)    { a.CMPQ(a.memory(p), operand.U8(n)) }

func (a *x86) loop(r general, label string) {
	a.DECQ(generals[r])
	a.JNE(operand.LabelRef(label))
}

func (a *x86) jumpIf(c condition, label string) {
	switch c {
	case equal:
		a.JEQ(operand.LabelRef(label))
	case less:
		a.JLT(operand.LabelRef(label))
	case lessOrEqual:
		a.JLE(operand.LabelRef(label))
	case greater:
		a.JGT(operand.LabelRef(label))
	}
}

func (a *x86) jumpIfNil(r general, label string) {
	a.TESTQ(generals[r], generals[r])
	a.jumpIf(equal, label)
}

func (a *x86) loadVector(from place, to vector)  { a.VMOVUPS(a.memory(from), a.file[to]) }
func (a *x86) storeVector(from vector, to place) { a.VMOVUPS(a.file[from], a.memory(to)) }
func (a *x86) broadcast(from place, to vector)   { a.VBROADCASTSS(a.memory(from), a.file[to]) }
func (a *x86) copyVector(from, to vector)        { a.VMOVAPS(a.file[from], a.file[to]) }
func (a *x86) add(v, w, sum vector)              { a.VADDPS(a.file[v], a.file[w], a.file[sum]) }
func (a *x86) addMemory(from place, sum vector) {
	a.VADDPS(a.memory(from), a.file[sum], a.file[sum])
}

func (a *x86) subtract(v, w, difference vector) {
	a.VSUBPS(a.file[v], a.file[w], a.file[difference])
}

func (a *x86) zero(v vector) {
	if a.vectors == 1 {
		a.VPXORD(a.file[v], a.file[v], a.file[v])
	} else {
		a.VXORPS(a.file[v], a.file[v], a.file[v])
	}
}

// The order of the operands preserves NaN and -0.
func (a *x86) rectify(zero, v vector) { a.VMAXPS(a.file[v], a.file[zero], a.file[v]) }
func (a *x86) raise(floor, v vector)  { a.VMAXPS(a.file[v], a.file[floor], a.file[v]) }

func (a *x86) hide(mask place, zero, v, spare vector) {
	const less = 0x11 // ordered and quiet
	if a.vectors == 1 {
		a.VCMPPS(operand.U8(less), a.memory(mask), a.file[zero], reg.K1)
		a.VMOVAPS_Z(a.file[v], reg.K1, a.file[v])
		return
	}
	a.VCMPPS(operand.U8(less), a.memory(mask), a.file[zero], a.file[spare])
	a.VANDPS(a.file[spare], a.file[v], a.file[v])
}

// rowAddresses points the scratch registers to rows 0, 3, 6 and 9. Every other row is stride*1 or
// stride*2 after one of them.
func (a *x86) rowAddresses(g shape) {
	for i := 3; i < g.m; i += 3 {
		base := scratch0 + general(i/3)
		a.addressOf(place{base - 1, stride, 2, 0}, base)
		a.addRegister(stride, base)
	}
}

func (a *x86) multiplySteps(g shape) {
	for k := range 4 {
		a.products(g, func(row int) place {
			return place{scratch0 + general(row/3), stride, row % 3, 4 * k}
		}, 64*k)
	}
	for i := 0; i < g.m; i += 3 {
		a.addTo(scratch0+general(i/3), 16)
	}
}

func (a *x86) accumulateStep(g shape, from, step general) {
	a.products(g, func(row int) place { return at(from, 4*row) }, 0)
	a.addRegister(stride, from)
	a.addRegister(step, weights)
}

// products adds a[row]·b to the sums, given the address of a[row] and the distance of the row of
// b from weights.
func (a *x86) products(g shape, row func(int) place, b int) {
	for v := range g.width() {
		a.loadVector(place{weights, panel, v / g.vectors, b + v%g.vectors*g.bytes()}, g.column(v))
	}
	for i := range g.m {
		a.broadcast(row(i), g.spare(i))
		for v := range g.width() {
			a.VFMADD231PS(a.file[g.column(v)], a.file[g.spare(i)], a.file[g.sum(i, v)])
		}
	}
}

// constants loads as many constants into registers as there is room for; the others are operands
// in memory.
func (a *x86) constants(values []float64, free []vector) []vector {
	a.known = map[float64]vector{}
	if a.vectors > 1 {
		return free
	}
	for i, v := range values[:min(len(values), knownLimit)] {
		a.VBROADCASTSS(a.constant(v), a.file[free[i]])
		a.known[v] = free[i]
	}
	return free[len(a.known):]
}

func (a *x86) times(c float64, v, product vector) {
	switch known, ok := a.known[c]; {
	case ok:
		a.VMULPS(a.file[known], a.file[v], a.file[product])
	case a.vectors == 1:
		a.VMULPS_BCST(a.constant(c), a.file[v], a.file[product])
	default:
		a.VMULPS(a.constant(c), a.file[v], a.file[product])
	}
}

func (a *x86) addTimes(c float64, v, sum vector) {
	switch known, ok := a.known[c]; {
	case ok:
		a.VFMADD231PS(a.file[known], a.file[v], a.file[sum])
	case a.vectors == 1:
		a.VFMADD231PS_BCST(a.constant(c), a.file[v], a.file[sum])
	default:
		a.VFMADD231PS(a.constant(c), a.file[v], a.file[sum])
	}
}

// constant returns the address of a constant in read-only memory, as wide as an AVX2 register.
func (a *x86) constant(v float64) operand.Mem {
	a.used[v] = true
	return operand.NewDataAddr(operand.NewStaticSymbol(constantName(v)), 0)
}

func constantName(v float64) string {
	return fmt.Sprintf("f%08x", math.Float32bits(float32(v)))
}

func (a *x86) finish() ([]byte, error) {
	for _, v := range slices.Sorted(maps.Keys(a.used)) {
		a.StaticGlobal(constantName(v))
		a.DataAttributes(build.RODATA | build.NOPTR)
		for i := range 8 {
			a.AddDatum(4*i, operand.U32(math.Float32bits(float32(v))))
		}
	}
	file, err := a.Result()
	if err != nil {
		return nil, err
	}
	if err := pass.Compile.Execute(file); err != nil {
		return nil, err
	}
	text, err := printer.NewGoAsm(printer.Config{Name: "gen", Argv: []string{"gen", a.name}, Pkg: "kernel"}).Print(file)
	return bytes.Clone(text), err
}
