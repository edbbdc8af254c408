package cli

import (
	"bytes"
	"math"
	"runtime/pprof"
	"sort"
	"testing"
	"time"

	"github.com/google/pprof/profile"
	"github.com/stretchr/testify/require"
)

// TestTimeByPackage reads a profile made by hand: function i is at location i, and
// function 3 is inlined into function 2 there.
func TestTimeByPackage(t *testing.T) {
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		PeriodType: &profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Period: 1,
	}
	for i, name := range []string{
		"tiro/net/kernel.multiplyAVX512", "tiro/mcts.(*Search).Run.func1",
		"slices.Sort[go.shape.struct { tiro/x.y int }]", "main.main", "runtime.gcBgMarkWorker",
	} {
		function := &profile.Function{ID: uint64(i + 1), Name: name}
		location := &profile.Location{ID: uint64(i + 1), Line: []profile.Line{{Function: function}}}
		if i == 2 {
			location.Line = append(location.Line, profile.Line{Function: p.Function[1]})
		}
		p.Function, p.Location = append(p.Function, function), append(p.Location, location)
	}
	for _, s := range []struct {
		stack []int
		took  int64
	}{{[]int{1, 2}, 5}, {[]int{3, 4}, 7}, {[]int{4}, 11}, {[]int{5}, 13}, {nil, 17}} {
		sample := &profile.Sample{Value: []int64{1, s.took}}
		for _, id := range s.stack {
			sample.Location = append(sample.Location, p.Location[id-1])
		}
		p.Sample = append(p.Sample, sample)
	}
	var data bytes.Buffer
	require.NoError(t, p.Write(&data))
	times, err := timeByPackage(data.Bytes())
	require.NoError(t, err)
	require.Equal(t, map[string]time.Duration{"net/kernel": 5, "mcts": 7, "cli": 11, outside: 30}, times)

	_, err = timeByPackage(data.Bytes()[:data.Len()-1])
	require.ErrorContains(t, err, "read CPU profile: ")
	_, err = timeByPackage(nil)
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
	require.Positive(t, times["cli"])
	if !raceDetector { // its own code, most of the time, has no stack and counts as outside
		require.Greater(t, times["cli"], times[outside])
	}
}
