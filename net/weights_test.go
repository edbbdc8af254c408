package net_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tiro/env"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/net/nettest"
)

func TestConfigReportsAllFaults(t *testing.T) {
	require.NoError(t, net.Default().Validate())
	err := net.Config{Channels: 0, Blocks: -1, OutcomeChannels: 5000, Hidden: -1}.Validate()
	for _, want := range []string{"channels is 0", "blocks is -1", "outcome_channels is 5000", "hidden is -1"} {
		require.ErrorContains(t, err, want)
	}
}

func TestFreshWeightsSayNothing(t *testing.T) {
	spec := nettest.Spec(3, [3]int{2, 4, 3}, 2)
	c := net.Config{Channels: 6, Blocks: 2, Pool: true, OutcomeChannels: 3, Hidden: 5}
	w := net.NewWeights(spec, c, env.NewRand(1))
	x := nettest.Fill(make([]float32, spec.Inputs()), env.NewRand(2))
	policy, outcome := nettest.New(w).Run(x)
	for _, logit := range append(policy, outcome...) {
		require.Zero(t, logit)
	}
	require.NotZero(t, w.Tensor("block.1.conv1.weight")[0])
	require.Nil(t, w.Tensor("block.2.conv1.weight"))

	// He's initialisation: the variance of the stem's weights is 2 / fan-in.
	wide := net.NewWeights(spec, net.Config{Channels: 512, OutcomeChannels: 1}, env.NewRand(1))
	sum := 0.0
	for _, v := range wide.Tensor("stem.weight") {
		sum += float64(v) * float64(v)
	}
	require.InDelta(t, 2.0/18, sum/float64(len(wide.Tensor("stem.weight"))), 0.005)
}

// TestMACs: the multiply-adds of small networks were counted by hand.
func TestMACs(t *testing.T) {
	spec := nettest.Spec(3, [3]int{2, 4, 3}, 5) // 2 planes of 4 by 3 cells, 5 action planes, 3 seats and so 4 outcomes
	spec.OwnershipClasses = 3
	stem, policy, outcome := 2*6*9*12, 6*5*12, 6*7*12
	for _, test := range []struct {
		name string
		c    net.Config
		want int
	}{
		{"no blocks", net.Config{Channels: 6, OutcomeChannels: 7}, stem + policy + outcome + 7*12*4},
		{"hidden layer", net.Config{Channels: 6, OutcomeChannels: 7, Hidden: 8}, stem + policy + outcome + 7*12*8 + 8*4},
		{"blocks", net.Config{Channels: 6, Blocks: 2, OutcomeChannels: 7}, stem + 2*2*6*6*9*12 + policy + outcome + 7*12*4},
		{"pools", net.Config{Channels: 6, Blocks: 2, Pool: true, OutcomeChannels: 7}, stem + 2*(2*6*6*9*12+6*6) + policy + outcome + 7*12*4},
		{"ownership head", net.Config{Channels: 6, OutcomeChannels: 7, Ownership: true}, stem + policy + outcome + 7*12*4},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, int64(test.want), test.c.MACs(spec))
			model := net.Compile(kernel.Best(), net.NewWeights(spec, test.c, env.NewRand(1)))
			require.Equal(t, test.c, model.Config())
			require.Equal(t, spec.Name, model.Spec().Name)
		})
	}
}

func TestCloneHasMemoryOfItsOwn(t *testing.T) {
	w := nettest.Weights(nettest.Spec(2, [3]int{1, 3, 3}, 1), net.Config{Channels: 2, OutcomeChannels: 1}, env.NewRand(1))
	c := w.Clone()
	require.Equal(t, w.Flat(), c.Flat())
	c.Tensor("stem.bias")[0]++
	require.NotEqual(t, w.Flat(), c.Flat())
	require.Equal(t, c.Parameters(), len(c.Flat()))
}

func written(t testing.TB, w *net.Weights) []byte {
	var b bytes.Buffer
	require.NoError(t, w.Write(&b))
	return b.Bytes()
}

func TestWeightsReadBack(t *testing.T) {
	spec := nettest.Spec(2, [3]int{2, 3, 4}, 2)
	w := nettest.Weights(spec, net.Config{Channels: 3, Blocks: 1, Pool: true, OutcomeChannels: 2, Hidden: 4}, env.NewRand(1))
	got, err := net.ReadWeights(written(t, w), spec)
	require.NoError(t, err)
	require.Equal(t, w, got)

	info, err := net.ReadInfo(written(t, w))
	require.NoError(t, err)
	require.Equal(t, net.Info{Game: "nettest", Version: 1, Config: w.Config}, info)
}

func TestForeignWeightsAreRefused(t *testing.T) {
	spec := nettest.Spec(2, [3]int{2, 3, 4}, 2)
	w := nettest.Weights(spec, net.Config{Channels: 3, Blocks: 1, OutcomeChannels: 2}, env.NewRand(1))
	data := written(t, w)

	other := spec
	other.Name = "chess"
	_, err := net.ReadWeights(data, other)
	require.ErrorContains(t, err, `"chess"`)

	other = spec
	other.Version = 2
	_, err = net.ReadWeights(data, other)
	require.ErrorContains(t, err, "version 1 of nettest")

	other = spec
	other.Planes = 5
	_, err = net.ReadWeights(data, other)
	require.ErrorContains(t, err, `tensor "stem.weight" has shape [3 2 3 3]`)

	rewrite := func(change func(ts []net.Tensor, metadata map[string]string) []net.Tensor) error {
		metadata := w.Metadata()
		ts := change(w.Tensors(), metadata)
		var b bytes.Buffer
		require.NoError(t, net.WriteTensors(&b, ts, metadata))
		_, err := net.ReadWeights(b.Bytes(), spec)
		return err
	}
	require.ErrorContains(t, rewrite(func(ts []net.Tensor, _ map[string]string) []net.Tensor {
		return append(ts[1:], net.Tensor{Name: "more", Shape: []int{1}, Data: []float32{1}})
	}), "tensor \"stem.weight\" is missing\ntensor \"more\" is unknown")
	for key, want := range map[string]string{
		"what": "wrong kind of file", "format": "format is 0", "game": "the weights are for \"\"",
		"game_version": "not a number", "net": "metadata net",
	} {
		require.ErrorContains(t, rewrite(func(ts []net.Tensor, metadata map[string]string) []net.Tensor {
			delete(metadata, key)
			return ts
		}), want)
	}
	for _, config := range []string{`{"channels":100000,"outcome_channels":1}`, `{"channels":3,"layers":2}`, `[]`} {
		require.Error(t, rewrite(func(ts []net.Tensor, metadata map[string]string) []net.Tensor {
			metadata["net"] = config
			return ts
		}))
	}
	// The reader must not allocate the memory of a huge network that the file declares.
	require.ErrorContains(t, rewrite(func(ts []net.Tensor, metadata map[string]string) []net.Tensor {
		metadata["net"] = `{"channels":1024,"blocks":100,"outcome_channels":1024,"hidden":4096}`
		return ts
	}), "is missing")
}

func TestTensorsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var ts []net.Tensor
		for i := range rapid.IntRange(0, 4).Draw(t, "tensors") {
			shape := rapid.SliceOfN(rapid.IntRange(1, 4), 0, 3).Draw(t, "shape")
			n := 1
			for _, d := range shape {
				n *= d
			}
			name := fmt.Sprint(i, rapid.String().Draw(t, "name"))
			if strings.ToValidUTF8(name, "") != name {
				t.Skip("JSON holds no other text")
			}
			data := rapid.SliceOfN(rapid.Float32Range(-math.MaxFloat32, math.MaxFloat32), n, n).Draw(t, "data")
			ts = append(ts, net.Tensor{Name: name, Shape: shape, Data: data})
		}
		metadata := map[string]string{"a": "b", "quote": `"\`}
		var b bytes.Buffer
		require.NoError(t, net.WriteTensors(&b, ts, metadata))
		got, gotMetadata, err := net.ReadTensors(b.Bytes())
		require.NoError(t, err)
		require.Equal(t, metadata, gotMetadata)
		require.Len(t, got, len(ts))
		for i := range ts {
			require.Equal(t, ts[i].Name, got[i].Name)
			require.Equal(t, fmt.Sprint(ts[i].Shape), fmt.Sprint(got[i].Shape))
			require.Equal(t, ts[i].Data, got[i].Data)
		}
		cut := rapid.IntRange(0, b.Len()-1).Draw(t, "cut")
		_, _, err = net.ReadTensors(b.Bytes()[:cut])
		require.Error(t, err, "cut to %d of %d bytes", cut, b.Len())
	})
}

// file returns a safetensors file with that header and body.
func file(header string, body int) []byte {
	data := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(data, header...), make([]byte, body)...)
}

func TestHostileTensorsAreRefused(t *testing.T) {
	nan := file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 0)
	nan = binary.LittleEndian.AppendUint32(nan, math.Float32bits(float32(math.NaN())))
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "too few"},
		{"short", make([]byte, 7), "too few"},
		{"huge header", bytes.Repeat([]byte{0xff}, 64), "not a safetensors file"},
		{"truncated header", file(`{}`, 0)[:9], "the file is truncated"},
		{"not JSON", file(`{"a":`, 0), "header"},
		{"not an object", file(`[1]`, 0), "header: not a JSON object"},
		{"two objects", file(`{}{}`, 0), "header: more than one"},
		{"a name twice", file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 4), `header: duplicate tensor "a"`},
		{"metadata twice", file(`{"__metadata__":{},"__metadata__":{}}`, 0), `duplicate tensor "__metadata__"`},
		{"metadata of numbers", file(`{"__metadata__":{"a":1}}`, 0), "metadata"},
		{"tensor is text", file(`{"a":"b"}`, 0), `tensor "a"`},
		{"dtype", file(`{"a":{"dtype":"F16","shape":[2],"data_offsets":[0,4]}}`, 4), `type "F16"`},
		{"negative shape", file(`{"a":{"dtype":"F32","shape":[-1,-1],"data_offsets":[0,4]}}`, 4), "shape [-1 -1]"},
		{"zero shape", file(`{"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}}`, 0), "shape [0]"},
		{"overflowing shape", file(`{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`, 0), "does not fit"},
		{"shape beyond integers", file(`{"a":{"dtype":"F32","shape":[1e30],"data_offsets":[0,4]}}`, 4), `tensor "a"`},
		{"shape too small", file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,8]}}`, 8), "does not fit its 8 bytes"},
		{"backward", file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}}`, 4), "not a range"},
		{"negative offset", file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[-4,0]}}`, 4), "not a range"},
		{"gap", file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, 8), "gap"},
		{"overlap", file(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, 8), "overlap"},
		{"beyond the end", file(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, 4), "truncated"},
		{"bytes left", file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 8), "unused"},
		{"offset near the limit", file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,9223372036854775807]}}`, 4), "truncated"},
		{"not a number", nan, `tensor "a": element 0 is NaN`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := net.ReadTensors(test.data)
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestWriterRefusesWhatItCouldNotRead(t *testing.T) {
	one := []float32{1}
	tests := map[string][]net.Tensor{
		"shape [2] does not hold 1 numbers": {{Name: "a", Shape: []int{2}, Data: one}},
		"duplicate tensor":                  {{Name: "a", Data: one}, {Name: "a", Data: one}},
		"element 0 is +Inf":                 {{Name: "a", Data: []float32{float32(math.Inf(1))}}},
	}
	for want, ts := range tests {
		require.ErrorContains(t, net.WriteTensors(&bytes.Buffer{}, ts, nil), want)
	}
}

// FuzzReadWeights looks for input that makes the reader panic. Accepted weights are written back
// unchanged.
func FuzzReadWeights(f *testing.F) {
	spec := nettest.Spec(2, [3]int{1, 2, 2}, 1)
	w := nettest.Weights(spec, net.Config{Channels: 1, OutcomeChannels: 1}, env.NewRand(1))
	f.Add(written(f, w))
	f.Add(file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 4))
	f.Add(file(`{"__metadata__":{"format":"1","what":"tiro weights"}}`, 0))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = net.ReadInfo(data)
		w, err := net.ReadWeights(data, spec)
		if err != nil {
			return
		}
		again, err := net.ReadWeights(written(t, w), spec)
		require.NoError(t, err)
		require.Equal(t, w, again)
	})
}

func ExampleWeights_Write() {
	spec := nettest.Spec(2, [3]int{3, 5, 5}, 2)
	w := net.NewWeights(spec, net.Config{Channels: 8, Blocks: 1, OutcomeChannels: 2}, env.NewRand(1))
	var b bytes.Buffer
	if err := w.Write(&b); err != nil {
		panic(err)
	}
	info, _ := net.ReadInfo(b.Bytes())
	config, _ := json.Marshal(info.Config)
	fmt.Println(info.Game, string(config), w.Parameters(), "parameters")

	spec.Name = "another"
	_, err := net.ReadWeights(b.Bytes(), spec)
	fmt.Println(err)
	// Output:
	// nettest {"channels":8,"blocks":1,"pool":false,"outcome_channels":2,"hidden":0} 1581 parameters
	// net: read weights: the weights are for "nettest", not for "another"
}

// TestHeadForLearningAlone: the networks for play, files and exports do not have the ownership
// head.
func TestHeadForLearningAlone(t *testing.T) {
	spec := nettest.Spec(3, [3]int{2, 4, 3}, 2)
	c := net.Config{Channels: 6, Blocks: 1, OutcomeChannels: 3}
	plain := net.NewWeights(spec, c, env.NewRand(1))
	c.Ownership = true
	w := net.NewWeights(spec, c, env.NewRand(1))
	const planes = 4 + 3 // owner classes of three seats and none, scores
	require.Equal(t, make([]float32, planes*6), w.Tensor("ownership.weight"))
	require.Equal(t, make([]float32, planes), w.Tensor("ownership.bias"))
	require.Equal(t, plain.Parameters()+planes*7, w.Parameters())

	require.Equal(t, plain, w.Inference())
	require.Equal(t, plain, plain.Inference())
	require.Same(t, &w.Flat()[0], &w.Inference().Flat()[0])
	require.Equal(t, written(t, plain), written(t, w))

	spec.OwnershipClasses = 0
	require.Equal(t, plain.Parameters(), net.NewWeights(spec, c, env.NewRand(1)).Parameters())
}

func TestAssemble(t *testing.T) {
	spec := nettest.Spec(2, [3]int{2, 3, 4}, 2)
	c := net.Config{Channels: 3, OutcomeChannels: 2, Ownership: true}
	w := nettest.Weights(spec, c, env.NewRand(1))
	ts := w.Tensors()
	slices.Reverse(ts)
	got, err := net.Assemble(spec, c, ts)
	require.NoError(t, err)
	require.Equal(t, w, got)
	require.NotSame(t, &w.Flat()[0], &got.Flat()[0])

	_, err = net.Assemble(spec, net.Config{Channels: 3, OutcomeChannels: 2}, ts)
	require.ErrorContains(t, err, `tensor "ownership.bias" is unknown`)
	_, err = net.Assemble(spec, c, ts[1:])
	require.ErrorContains(t, err, `tensor "ownership.bias" is missing`)
}
