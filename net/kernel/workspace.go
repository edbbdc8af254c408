package kernel

import (
	"unsafe"

	"tiro/memory"
)

// Workspace is the size of the buffers that a Worker needs for tilings, in numbers. A
// Worker grows its buffers as it goes; a Workspace says in advance how large they become.
// The zero Workspace is empty.
type Workspace struct{ points, sums, filters, zeros, sink int }

// Conv enlarges the workspace for a convolution.
func (s *Workspace) Conv(c *Conv) {
	if t := c.Weights.tiling; t != nil {
		s.enlarge(t.workspace(c.Grid, c.Weights.In, c.Weights.Out, t.blockRows(c.Grid, tiledRows), 0))
	}
}

// WeightGradient enlarges the workspace for the gradient by the weights of a convolution.
func (s *Workspace) WeightGradient(g *Grid, to *Gradient) {
	if t := to.tiling; t != nil {
		s.enlarge(t.workspace(g, to.In, to.Out, t.blockRows(g, gradRows), maxTileRows))
	}
}

// Count counts the memory of a Worker with the workspace.
func (s *Workspace) Count(a *memory.Allocator) {
	a.Add(int64(unsafe.Sizeof(Worker{}) + unsafe.Sizeof(patch{})))
	dry := memory.Allocator{DryRun: true}
	for _, n := range []int{s.points, s.sums, s.filters, s.zeros, s.sink, largestTile * Lanes} {
		memory.Make[float32](&dry, n)
	}
	a.Add(dry.Bytes())
}

func (s *Workspace) enlarge(n Workspace) {
	s.points, s.sums, s.filters = max(s.points, n.points), max(s.sums, n.sums), max(s.filters, n.filters)
	s.zeros, s.sink = max(s.zeros, n.zeros), max(s.sink, n.sink)
}

// blockRows returns how many rows of the batch are transformed together, for
// products of about that many rows.
func (t *tiling) blockRows(g *Grid, rows int) int { return max(rows/t.tiles(g), 1) }

// workspace returns the buffers for blocks of that many rows. The gradient by
// weights also holds the products of some filters at a time.
func (t *tiling) workspace(g *Grid, in, out, rows, filters int) Workspace {
	in, out = Pad(in), Pad(out)
	return Workspace{
		points: t.products() * t.tiles(g) * rows * in, sums: t.products() * t.tiles(g) * rows * out,
		filters: t.products() * filters * out, zeros: max(rows*in, rows*out, filters*out), sink: rows * out,
	}
}

// reserve grows the worker's buffers to at least a workspace.
func (w *Worker) reserve(s Workspace) {
	w.points, w.sums, w.filters = grown(w.points, s.points), grown(w.sums, s.sums), grown(w.filters, s.filters)
	w.zeros, w.sink = grown(w.zeros, s.zeros), grown(w.sink, s.sink)
}

// grown returns s, or new memory if n numbers are more than it has.
func grown(s []float32, n int) []float32 {
	if len(s) < n {
		return make([]float32, n)
	}
	return s
}
