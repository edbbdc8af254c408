package onnx

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/net"
	"tiro/net/nettest"
)

// TestHalf: all finite 16-bit floats are read as IEEE 754 defines them. Each number between two
// of them is rounded to the nearer one, and in the middle to the even one.
func TestHalf(t *testing.T) {
	value := func(h uint16) float64 { // 3.4 of the standard
		exponent, fraction := int(h>>10), float64(h&0x3ff)/1024
		if exponent == 0 {
			return fraction * math.Pow(2, -14)
		}
		return (1 + fraction) * math.Pow(2, float64(exponent-15))
	}
	for h := range uint16(0x7c00) {
		x := fromHalf(h)
		require.Equal(t, value(h), float64(x), "%04x", h)
		require.Equal(t, h, toHalf(x), "%v", x)
		require.Equal(t, h|0x8000, toHalf(-x), "%v", -x)
		if h == 0x7bff {
			break
		}
		next := fromHalf(h + 1)
		middle := (x + next) / 2
		require.Equal(t, h+h&1, toHalf(middle), "%v", middle)
		require.Equal(t, h, toHalf(math.Nextafter32(middle, x)))
		require.Equal(t, h+1, toHalf(math.Nextafter32(middle, next)))
	}
	require.Equal(t, float32(-1.5), fromHalf(0xbe00))
	require.Equal(t, uint16(0x7bff), toHalf(65519))
	for _, x := range []float64{65520, 1e30, math.Inf(1)} {
		require.Equal(t, uint16(0x7c00), toHalf(float32(x)))
	}
	require.Equal(t, uint16(0x7e00), toHalf(float32(math.NaN())))
}

func TestQuantize(t *testing.T) {
	s, err := store(net.Tensor{Name: "block.0.conv1.weight", Shape: []int{3, 2}, Data: []float32{12.7, -0.17, 0, 0, -2.54, 1.27}}, Int8)
	require.NoError(t, err)
	require.Equal(t, []int8{127, -2, 0, 0, -127, 64}, s.steps, "63.5 is rounded to even")
	require.InDeltaSlice(t, []float32{0.1, 0, 0.02}, s.scales, 1e-7)
	require.InDeltaSlice(t, []float32{12.7, -0.2, 0, 0, -2.54, 1.28}, s.load(), 1e-6)
	bias, err := store(net.Tensor{Name: "block.0.conv1.bias", Shape: []int{2}, Data: []float32{0.123, 4}}, Int8)
	require.NoError(t, err)
	require.Equal(t, []float32{0.123, 4}, bias.load())
	stem, err := store(net.Tensor{Name: "stem.weight", Shape: []int{1, 2}, Data: []float32{1.5, 0.1}}, Int8)
	require.NoError(t, err)
	require.Equal(t, []float32{1.5, 0.099975586}, stem.load(), "as float16")
}

func TestRoundFaults(t *testing.T) {
	w := net.NewWeights(nettest.Spec(2, [3]int{3, 5, 4}, 6), net.Config{Channels: 2, Blocks: 1, OutcomeChannels: 1}, env.NewRand(1))
	_, err := Round(w, "bfloat16")
	require.ErrorContains(t, err, `"bfloat16"`)
	require.ErrorContains(t, Write(&bytes.Buffer{}, w, Options{Precision: "int4"}), `"int4"`)
	w.Tensor("stem.weight")[3] = 70000
	for _, precision := range []Precision{Float16, Int8} {
		_, err = Round(w, precision)
		require.ErrorContains(t, err, `tensor "stem.weight": float16 cannot represent 70000`)
		require.ErrorContains(t, Write(&bytes.Buffer{}, w, Options{Precision: precision}), "float16 cannot represent")
	}
	w.Tensor("stem.weight")[3] = 0
	w.Tensor("block.0.conv1.weight")[3] = float32(math.Inf(1))
	_, err = Round(w, Int8)
	require.ErrorContains(t, err, `tensor "block.0.conv1.weight": int8 cannot represent +Inf`)
}

// TestSizes: a model is little larger than its weights.
func TestSizes(t *testing.T) {
	w := nettest.Weights(nettest.Spec(2, [3]int{16, 5, 5}, 8), net.Config{Channels: 64, Blocks: 4, OutcomeChannels: 4}, env.NewRand(1))
	for precision, part := range map[Precision]float64{Float32: 1, Float16: 0.5, Int8: 0.28} {
		var model bytes.Buffer
		require.NoError(t, Write(&model, w, Options{Precision: precision}))
		require.InDelta(t, part*4*float64(w.Parameters()), model.Len(), 16_000, precision)
	}
}
