package net_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/net"
	"tiro/net/nettest"
)

// numbers returns a safetensors file with one tensor of the given numbers.
func numbers(xs ...float32) []byte {
	data := file(fmt.Sprintf(`{"a":{"dtype":"F32","shape":[%d],"data_offsets":[0,%d]}}`, len(xs), 4*len(xs)), 0)
	for _, x := range xs {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	return data
}

// TestHostileFilesTakeLittleMemory: the memory depends on the length of the file, not on the
// sizes that it declares.
func TestHostileFilesTakeLittleMemory(t *testing.T) {
	const entry = `{"dtype":"F32","shape":[1],"data_offsets":[0,4]}`
	many := new(strings.Builder)
	for i := range 15_000 {
		fmt.Fprintf(many, `"%d":%s,`, i, entry)
	}
	weights := func(config string) []byte {
		var b bytes.Buffer
		metadata := map[string]string{"format": "1", "what": "tiro weights", "game": "nettest", "game_version": "1", "net": config}
		require.NoError(t, net.WriteTensors(&b, []net.Tensor{{Name: "a", Shape: []int{1}, Data: []float32{1}}}, metadata))
		return b.Bytes()
	}
	spec := nettest.Spec(2, [3]int{1, 2, 2}, 1)
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"a header of 2^60 bytes", binary.LittleEndian.AppendUint64(nil, 1<<60), "1048576"},
		{"a header beyond the file", append(binary.LittleEndian.AppendUint64(nil, 1<<20), "{}"...), "only 2 follow"},
		{"deep brackets", file(`{"a":`+strings.Repeat("[", 1<<20-100), 0), "header"},
		{"deep braces", file(strings.Repeat(`{"a":`, 200_000), 0), "header"},
		{"a long shape", file(`{"a":{"dtype":"F32","shape":[`+strings.Repeat("1,", 500_000)+`1],"data_offsets":[0,4]}}`, 0), "the file is truncated"},
		{"many tensors", file(`{`+many.String()+`"a":`+entry+`}`, 4), "gap or overlap"},
		{"a shape that overflows", file(`{"a":{"dtype":"F32","shape":[3037000500,3037000500,4],"data_offsets":[0,4]}}`, 4), "does not fit"},
		{"offsets that overflow", file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[-9223372036854775808,9223372036854775807]}}`, 4), "not a range"},
		{"a huge network", weights(`{"channels":1024,"blocks":100,"pool":true,"outcome_channels":1024,"hidden":4096}`), "is missing"},
		{"more than a huge network", weights(`{"channels":1024,"blocks":1000000000,"outcome_channels":1}`), "1000000000"},
		{"infinite", numbers(1, float32(math.Inf(-1))), "element 1 is -Inf"},
		{"not a number", numbers(math.Float32frombits(0xffffffff)), "element 0 is NaN"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, _, err := net.ReadTensors(test.data)
			if err == nil {
				_, err = net.ReadWeights(test.data, spec)
			}
			runtime.ReadMemStats(&after)
			require.ErrorContains(t, err, test.want)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(40<<20))
		})
	}
}

// TestEveryFiniteNumberIsKept: all finite numbers are written and read back to the bit.
func TestEveryFiniteNumberIsKept(t *testing.T) {
	odd := []float32{float32(math.Copysign(0, -1)), math.SmallestNonzeroFloat32, -math.MaxFloat32}
	ts, _, err := net.ReadTensors(numbers(odd...))
	require.NoError(t, err)
	for i, x := range odd {
		require.Equal(t, math.Float32bits(x), math.Float32bits(ts[0].Data[i]))
	}
}

// FuzzReadTensors: accepted files are written and read back to the bit.
func FuzzReadTensors(f *testing.F) {
	w := nettest.Weights(nettest.Spec(2, [3]int{1, 2, 2}, 1), net.Config{Channels: 1, OutcomeChannels: 1}, env.NewRand(1))
	f.Add(written(f, w))
	f.Add(numbers(1, -2, 3))
	f.Add(file(`{"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1,2],"data_offsets":[4,12]}}  `, 12))
	f.Add(file(`{"__metadata__":null,"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, 8))
	f.Add(file(`{"a":{"dtype":"F32","shape":[-1],"data_offsets":[-4,0]}}`, 4))
	f.Add(binary.LittleEndian.AppendUint64(nil, 1<<60))
	f.Fuzz(func(t *testing.T, data []byte) {
		ts, metadata, err := net.ReadTensors(data)
		if err != nil {
			require.Empty(t, ts)
			return
		}
		var first, second bytes.Buffer
		require.NoError(t, net.WriteTensors(&first, ts, metadata))
		again, same, err := net.ReadTensors(first.Bytes())
		require.NoError(t, err)
		require.Equal(t, metadata, same)
		require.NoError(t, net.WriteTensors(&second, again, same))
		require.Equal(t, first.Bytes(), second.Bytes())
	})
}
