package learner

import (
	"fmt"

	"tiro/net/kernel"
	"tiro/net/opencl"
)

// program returns the source of the kernels for tiles of a size.
func program(t *kernel.Tiling) string {
	return fmt.Sprintf("#define SIZE %d\n", t.Size) +
		opencl.Line("lineInput", t.Input) + opencl.Line("lineOutput", t.Output) + opencl.Line("lineFilter", t.Filter) +
		opencl.Line("lineSpread", t.Spread) + opencl.Line("lineGather", t.Gather) + source
}
