package main

import (
	"bytes"
	"compress/gzip"
	"math"
	"runtime/pprof"
	"sort"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
)

// pack compresses a message as profiles are.
func pack(t *testing.T, message []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(message)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.Bytes()
}

// number and text append a field to a message.
func number(m []byte, field protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), v)
}

func text(m []byte, field protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(m, field, protowire.BytesType), v)
}

// TestTimeByPackage reads a message made by hand: functions 1 to 4 at locations
// 11 to 14, of which 13 has function 3 inlined into function 2.
func TestTimeByPackage(t *testing.T) {
	names := []string{"", "tiro/net/kernel.multiplyAVX512", "tiro/mcts.(*Search).Run.func1", "slices.Sort[go.shape.struct { tiro/x.y int }]", "main.main"}
	var m []byte
	for _, name := range names {
		m = text(m, 6, []byte(name))
	}
	for i := uint64(1); i <= 4; i++ {
		m = text(m, 5, number(number(nil, 1, i), 2, i))
		lines := text(nil, 4, number(nil, 1, i))
		if i == 3 {
			lines = text(lines, 4, number(nil, 1, 2))
		}
		m = text(m, 4, append(number(nil, 1, 10+i), lines...))
	}
	for _, s := range []struct {
		stack []uint64
		took  uint64
	}{{[]uint64{11, 12}, 5}, {[]uint64{13, 14}, 7}, {[]uint64{14}, 11}, {[]uint64{99}, 13}} {
		var packed, sample []byte
		for _, location := range s.stack {
			packed = protowire.AppendVarint(packed, location)
		}
		if sample = text(nil, 1, packed); len(s.stack) == 1 {
			sample = number(nil, 1, s.stack[0]) // short lists need not be packed
		}
		m = text(m, 2, number(number(sample, 2, 1), 2, s.took))
	}
	times, err := timeByPackage(pack(t, m))
	require.NoError(t, err)
	require.Equal(t, map[string]time.Duration{"net/kernel": 5, "mcts": 7, "cmd/tiro": 11, outside: 13}, times)

	_, err = timeByPackage(pack(t, m[:len(m)-1]))
	require.ErrorContains(t, err, "read CPU profile: ")
	_, err = timeByPackage(m)
	require.ErrorContains(t, err, "read CPU profile: ")
}

// TestTimeByPackageOfARealProfile: work of the standard library is the time of
// who asked for it.
func TestTimeByPackageOfARealProfile(t *testing.T) {
	var profile bytes.Buffer
	if err := pprof.StartCPUProfile(&profile); err != nil {
		t.Skip(err) // go test -cpuprofile is at it
	}
	numbers := make([]float64, 10000)
	for begun := time.Now(); time.Since(begun) < 300*time.Millisecond; {
		for i := range numbers {
			numbers[i] = math.Sin(float64(i))
		}
		sort.Float64s(numbers)
	}
	pprof.StopCPUProfile()
	times, err := timeByPackage(profile.Bytes())
	require.NoError(t, err)
	require.Positive(t, times["cmd/tiro"])
	if !raceDetector { // its own code, most of the time, has no stack and counts as outside
		require.Greater(t, times["cmd/tiro"], times[outside])
	}
}
