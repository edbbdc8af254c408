package kernel

import (
	"strconv"
	"unsafe"

	"tiro/net/kernel/wasm"
)

// sliceBytes is the size of a slice header, whose first field is the address.
const sliceBytes = int(unsafe.Sizeof([]float32(nil)))

// patchWriter writes a transform of a patch that handles four numbers of each cell at a time. The
// variables hold addresses or distances in bytes, unless they are counts.
type patchWriter struct {
	*wasm.Func
	of patch // for the offsets of its fields

	patch                  wasm.Local // the parameter
	at, left               wasm.Local // offset of the current four numbers in each cell; count of the remaining numbers
	step                   wasm.Local // between points
	cells, scratch, points wasm.Local // address in the current line; cells points into the array of slices
	lines                  wasm.Local // count of the remaining lines
	line                   []wasm.Local
	sum                    wasm.Local
}

// newPatchWriter begins a transform with lines of at most longest numbers.
func newPatchWriter(m *wasm.Module, name string, longest int) *patchWriter {
	w := &patchWriter{Func: m.Func(name, wasm.I32)}
	for _, l := range []*wasm.Local{&w.at, &w.left, &w.step, &w.cells, &w.scratch, &w.points, &w.lines} {
		*l = w.Local(wasm.I32)
	}
	for range longest {
		w.line = append(w.line, w.Local(wasm.V128))
	}
	w.sum = w.Local(wasm.V128)
	return w
}

// field pushes a field of the patch: a number, or the address of a slice's data.
func (w *patchWriter) field(offset uintptr) *wasm.Func {
	return w.Get(w.patch).Load(wasm.I32Load, int(offset))
}

// each writes a loop over the numbers of a cell.
func (w *patchWriter) each(body func()) {
	w.field(unsafe.Offsetof(w.of.step)).Const(4).Op(wasm.I32Mul).Set(w.step)
	w.field(unsafe.Offsetof(w.of.count)).Set(w.left)
	w.Const(0).Set(w.at)
	w.Repeat(func() {
		body()
		w.Move(w.at, func() { w.Const(vectorBytes) })
		w.Get(w.left).Const(4).Op(wasm.I32Sub).Tee(w.left)
	})
}

// eachLine writes a loop over lines.
func (w *patchWriter) eachLine(count int, body func()) {
	w.Const(count).Set(w.lines)
	w.Count(w.lines, body)
}

// load writes the loads of a line. address pushes a base address for each number and returns an
// offset from it in bytes.
func (w *patchWriter) load(count int, address func(i int) (offset int)) {
	for i := range count {
		offset := address(i)
		w.Load(wasm.V128Load, offset).Set(w.line[i])
	}
}

// row writes the product of a matrix row and the line to sum, in the order of addScaled.
func (w *patchWriter) row(coefficients []float32) {
	w.Floats(0)
	for i, c := range coefficients {
		switch c {
		case 0:
		case 1:
			w.Get(w.line[i]).Op(wasm.F32x4Add)
		default:
			w.Floats(c).Get(w.line[i]).Op(wasm.F32x4Mul, wasm.F32x4Add)
		}
	}
	w.Set(w.sum)
}

// cell pushes the address of a cell's numbers. The cell is behind slices after cells, in the
// given array of slices.
func (w *patchWriter) cell(array uintptr, behind int) *wasm.Func {
	return w.Get(w.cells).Load(wasm.I32Load, int(array)+behind*sliceBytes).Get(w.at).Op(wasm.I32Add)
}

// toScratch and toPoints set the addresses to the start of the scratch memory and of the points.
func (w *patchWriter) toScratch() { w.field(unsafe.Offsetof(w.of.scratch)).Set(w.scratch) }

func (w *patchWriter) toPoints() {
	w.field(unsafe.Offsetof(w.of.points)).Get(w.at).Op(wasm.I32Add).Set(w.points)
}

// nextPoint moves points by one.
func (w *patchWriter) nextPoint() { w.Move(w.points, func() { w.Get(w.step) }) }

// writeInput writes the counterpart of toPointsGo for the input of a tiling.
func writeInput(m *wasm.Module, t *tiling) {
	matrix := t.matrices[input]
	points, side := len(matrix), len(matrix[0])
	w := newPatchWriter(m, "input"+strconv.Itoa(t.size), side)
	w.each(func() {
		w.Get(w.patch).Set(w.cells)
		w.toScratch()
		w.eachLine(side, func() { // columns
			w.load(side, func(y int) int {
				w.cell(unsafe.Offsetof(w.of.cells), y*side)
				return 0
			})
			for i, row := range matrix {
				w.row(row)
				w.Get(w.scratch).Get(w.sum).Store(wasm.V128Store, i*side*vectorBytes)
			}
			w.Move(w.cells, func() { w.Const(sliceBytes) })
			w.Move(w.scratch, func() { w.Const(vectorBytes) })
		})
		w.toScratch()
		w.toPoints()
		w.eachLine(points, func() { // rows
			w.load(side, func(x int) int {
				w.Get(w.scratch)
				return x * vectorBytes
			})
			for _, row := range matrix {
				w.row(row)
				w.Get(w.points).Get(w.sum).Store(wasm.V128Store, 0)
				w.nextPoint()
			}
			w.Move(w.scratch, func() { w.Const(side * vectorBytes) })
		})
	})
}

// writeOutput writes the counterpart of fromPointsGo for the output of a tiling.
func writeOutput(m *wasm.Module, t *tiling) {
	matrix := t.matrices[output]
	side, points := len(matrix), len(matrix[0])
	w := newPatchWriter(m, "output"+strconv.Itoa(t.size), points)
	floor := w.Local(wasm.V128)
	w.Get(w.patch).Load(wasm.F32Load, int(unsafe.Offsetof(w.of.floor))).Op(wasm.F32x4Splat).Set(floor)
	w.each(func() {
		w.toScratch()
		w.toPoints()
		w.eachLine(points, func() { // rows
			w.load(points, func(int) int {
				w.Get(w.points)
				w.nextPoint()
				return 0
			})
			for i, row := range matrix {
				w.row(row)
				w.Get(w.scratch).Get(w.sum).Store(wasm.V128Store, i*vectorBytes)
			}
			w.Move(w.scratch, func() { w.Const(side * vectorBytes) })
		})
		w.Get(w.patch).Set(w.cells)
		w.toScratch()
		w.eachLine(side, func() { // columns
			w.load(points, func(y int) int {
				w.Get(w.scratch)
				return y * side * vectorBytes
			})
			for i, row := range matrix {
				w.row(row)
				w.activate(i*side, floor)
				w.cell(unsafe.Offsetof(w.of.cells), i*side)
				w.Get(w.sum).Store(wasm.V128Store, 0)
			}
			w.Move(w.cells, func() { w.Const(sliceBytes) })
			w.Move(w.scratch, func() { w.Const(vectorBytes) })
		})
	})
}

// activate adds the residual of a cell to sum and applies the ReLU and the mask.
func (w *patchWriter) activate(behind int, floor wasm.Local) {
	w.Get(w.sum)
	w.cell(unsafe.Offsetof(w.of.residual), behind).Load(wasm.V128Load, 0).Op(wasm.F32x4Add)
	w.Get(floor).Op(wasm.F32x4PMax).Set(w.sum)
	w.field(unsafe.Offsetof(w.of.masked)).If(func() {
		w.Get(w.sum)
		w.cell(unsafe.Offsetof(w.of.mask), behind).Load(wasm.V128Load, 0).Floats(0).Op(wasm.F32x4Gt, wasm.V128And).Set(w.sum)
	})
}
