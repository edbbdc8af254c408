//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/rundir"
)

// soak returns two hours of samples, each as of says.
func soak(of func(minute float64, s *sample)) []sample {
	var samples []sample
	for at := sampleEvery; at <= 2*time.Hour; at += sampleEvery {
		s := sample{at: at, memory: 100 << 20, descriptors: 12, goroutines: 5, threads: 9, generation: int(at.Minutes())}
		of(at.Minutes(), &s)
		s.most = s.memory
		samples = append(samples, s)
	}
	return samples
}

// swing is memory between two collections of garbage, on average as before.
func swing(s *sample) {
	s.memory += float64((int(s.at/sampleEvery)%3 - 1) * 20 << 20)
}

func TestVerdict(t *testing.T) {
	tests := []struct {
		name string
		of   func(minute float64, s *sample)
		want string // in the error; "": flat
	}{
		{"flat", func(float64, *sample) {}, ""},
		{"flat but for warming up", func(m float64, s *sample) {
			if m <= 10 {
				s.memory, s.descriptors, s.goroutines = 50<<20, 6, 2
			}
		}, ""},
		{"swinging", func(_ float64, s *sample) { swing(s) }, ""},
		{"less in the end", func(m float64, s *sample) { s.memory -= m * (1 << 18) }, ""},
		// From 15 minutes to 115 on average: 100 times 20 KiB on 100.3 MiB.
		{"growing a little", func(m float64, s *sample) { swing(s); s.memory += m * (20 << 10) }, ""},
		{"growing", func(m float64, s *sample) { swing(s); s.memory += m * (22 << 10) }, "memory grew by 2.14%; want less than 2%"},
		{"files", func(m float64, s *sample) {
			if m > 111 {
				s.descriptors++
			}
		}, "descriptors: at most 12 became 13"},
		{"goroutines", func(m float64, s *sample) { s.goroutines += int(m) / 60 }, "goroutines: at most 5 became 7"},
		{"threads", func(m float64, s *sample) { s.threads += int(m) / 60 }, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			err := judge(&out, soak(test.of), 2)
			require.Contains(t, out.String(), "360 samples, 120 generations, windows of 10m0s")
			if test.want == "" {
				require.NoError(t, err)
				require.Contains(t, out.String(), "verdict      flat")
				return
			}
			require.EqualError(t, err, test.want)
		})
	}
	require.ErrorContains(t, judge(&bytes.Buffer{}, soak(func(float64, *sample) {})[:5], 2), "5 samples are too few")
	samples := []sample{{peak: 5 << 20}, {peak: 6 << 20}}
	require.NoError(t, checkPeak(&bytes.Buffer{}, samples, 6<<20))
	require.NoError(t, checkPeak(&bytes.Buffer{}, samples, 0))
	require.ErrorContains(t, checkPeak(&bytes.Buffer{}, samples, 5<<20), "resident memory reached 6.00MiB; the run may use 5MiB")
}

func TestReadings(t *testing.T) {
	var s sample
	require.NoError(t, s.read(os.Getpid()))
	require.NoError(t, s.read(os.Getpid()))
	run := t.TempDir()
	require.NoError(t, s.complete(os.Getpid(), run))
	require.Greater(t, s.memory, float64(1<<20))
	require.Less(t, s.memory, float64(1<<30))
	require.GreaterOrEqual(t, s.most, s.memory)
	require.GreaterOrEqual(t, s.descriptors, 3)
	require.Positive(t, s.threads)
	require.Zero(t, s.generation)

	var lines []byte
	for g := 1; g <= 3; g++ {
		m := rundir.Metrics{Header: rundir.MetricsHeader, Generation: g, Machine: &rundir.Machine{Usage: rundir.Usage{Goroutines: 2 + g}}}
		require.NoError(t, m.Sign())
		line, err := json.Marshal(m)
		require.NoError(t, err)
		lines = append(append(lines, line...), '\n')
	}
	lines = lines[:len(lines)-5] // the last line is being written
	require.NoError(t, os.WriteFile(filepath.Join(run, rundir.MetricsFile), lines, 0o600))
	require.NoError(t, s.complete(os.Getpid(), run))
	require.Equal(t, 2, s.generation)
	require.Equal(t, 4, s.goroutines)
}
