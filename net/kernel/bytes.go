package kernel

// floatBytes is the size of a number.
const floatBytes = 4

// WeightBytes returns the memory of NewWeights, in bytes.
func WeightBytes(g *Grid, in, out int) int64 {
	taps := g.Size * g.Size
	numbers := taps
	if t := bestTiling(g, in, out); t != nil {
		numbers += t.products()
	}
	return floatBytes * (int64(numbers)*int64(Pad(in))*int64(Pad(out)) + int64(Pad(out)))
}

// GradientBytes returns the memory of NewGradient, in bytes.
func GradientBytes(g *Grid, in, out int) int64 {
	return floatBytes * int64(Pad(out)) * (int64(g.Size*g.Size)*int64(Pad(in)) + 1)
}

// WorkerBytes returns the memory that a Worker comes to take for convolutions
// of up to that many channels on a grid and for their gradients, in bytes.
func WorkerBytes(g *Grid, channels int) int64 {
	t := bestTiling(g, channels, channels)
	if t == nil {
		return 0
	}
	rows := 2*max(gradRows, t.tiles(g)) + 12 // points and sums of the gradient, and a tile of filters
	return floatBytes * int64(t.products()) * int64(Pad(channels)) * int64(rows)
}
