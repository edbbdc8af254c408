package opencl

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"tiro/net/kernel"
)

//go:embed kernels.cl
var common string

//go:embed tiles.cl
var tiles string

// source returns the source of all kernels.
func source() string {
	text := common
	for _, t := range kernel.Tilings() {
		size := strconv.Itoa(t.Size)
		text += Line("lineToPoints"+size, t.Input) + Line("lineToCells"+size, t.Output) +
			strings.NewReplacer("SIZE", size, "POINTS", strconv.Itoa(t.Points)).Replace(tiles)
	}
	return text
}

// Line returns a function of OpenCL C with the given name that multiplies a line of numbers, which
// are step numbers apart, by a matrix [results, inputs].
func Line(name string, matrix [][]float32) string {
	text := fmt.Sprintf("\nstatic inline __attribute__((always_inline)) void %s(float *y, const float *x, int step)\n{\n", name)
	for i, row := range matrix {
		sum := ""
		for j, c := range row {
			x := fmt.Sprintf("x[%d * step]", j)
			switch {
			case c == 0:
			case sum == "" && c == 1:
				sum = x
			case sum == "":
				sum = fmt.Sprintf("%s * %s", number(c), x)
			case c == 1:
				sum += " + " + x
			case c == -1:
				sum += " - " + x
			default:
				sum = fmt.Sprintf("fma(%s, %s, %s)", number(c), x, sum)
			}
		}
		text += fmt.Sprintf("\ty[%d * step] = %s;\n", i, sum)
	}
	return text + "}\n"
}

// number returns a constant of OpenCL C.
func number(c float32) string {
	text := strconv.FormatFloat(float64(c), 'g', -1, 32)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text + "f"
}
