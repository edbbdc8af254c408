package learner

import (
	"fmt"

	"tiro/net/kernel"
	"tiro/net/opencl"
)

// board is a board and its tiles: see package kernel.
type board struct {
	height, width int
	tiling        kernel.Tiling
	tiles         int
}

func newBoard(height, width int) board {
	t, tiles := kernel.BestTiling(height, width)
	return board{height, width, t, tiles}
}

// points returns the number of points of a tile.
func (b *board) points() int { return b.tiling.Points * b.tiling.Points }

// source returns the source of the kernels for tiles of this size.
func (b *board) source() string {
	t := &b.tiling
	return fmt.Sprintf("#define SIZE %d\n", t.Size) +
		opencl.Line("lineInput", t.Input) + opencl.Line("lineOutput", t.Output) + opencl.Line("lineFilter", t.Filter) +
		opencl.Line("lineSpread", t.Spread) + opencl.Line("lineGather", t.Gather) + source
}
