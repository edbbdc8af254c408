package rundir

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/disk/disktest"
	"tiro/format"
)

// metricsOf returns signed lines for the given number of generations, and the newest metrics.
func metricsOf(t testing.TB, generations int) (text []byte, last Metrics) {
	for g := 1; g <= generations; g++ {
		last = Metrics{Header: MetricsHeader, Generation: g, Games: 8, Wins: []int{4, 4}, Machine: &Machine{Workers: g}}
		require.NoError(t, last.Sign())
		line, err := json.Marshal(last)
		require.NoError(t, err)
		text = append(append(text, line...), '\n')
	}
	last.Machine = nil
	return text, last
}

// TestNewerMetrics: lines of a newer tiro are not taken for damaged and are left unchanged.
func TestNewerMetrics(t *testing.T) {
	fsys := disktest.New()
	folder, err := Open(fsys, "run")
	require.NoError(t, err)
	defer func() { require.NoError(t, folder.Close()) }()
	text, last := metricsOf(t, 3)
	newer := bytes.Replace(text, []byte(`"format":3`), []byte(`"format":4`), 1)
	require.NoError(t, folder.WriteBytes(folder.Path(MetricsFile), newer))
	_, _, err = folder.RecoverMetrics(last)
	require.ErrorContains(t, err, "metrics.jsonl: written by a newer tiro: format 4")
	kept, err := disk.ReadFile(fsys, folder.Path(MetricsFile), MaxMetrics)
	require.NoError(t, err)
	require.Equal(t, newer, kept)

	foreign := bytes.Replace(text, []byte("tiro metrics"), []byte("tiro letters"), 1)
	_, err = parseMetrics(foreign[:bytes.IndexByte(foreign, '\n')])
	require.ErrorIs(t, err, format.ErrForeign)
}

// TestForeignMetrics: the file of another run in this run's folder is refused before anything is
// read from it.
func TestForeignMetrics(t *testing.T) {
	fsys := disktest.New()
	folder, err := Open(fsys, "run")
	require.NoError(t, err)
	defer func() { require.NoError(t, folder.Close()) }()
	text, _ := metricsOf(t, 5) // which continues after the checkpoint
	put := func(data []byte) {
		require.NoError(t, folder.WriteBytes(folder.Path(MetricsFile), data))
	}
	put(text)
	_, last := metricsOf(t, 3)
	last.Games++
	require.NoError(t, last.Sign())
	_, _, err = folder.RecoverMetrics(last)
	require.ErrorIs(t, err, ErrDamaged)
	require.ErrorContains(t, err, "generation 3")
	kept, err := disk.ReadFile(fsys, folder.Path(MetricsFile), MaxMetrics)
	require.NoError(t, err)
	require.Equal(t, text, kept)

	put(make([]byte, MaxMetrics+1))
	_, _, err = folder.RecoverMetrics(last)
	require.ErrorIs(t, err, ErrDamaged)
	require.ErrorContains(t, err, "268435457 bytes")
}

// FuzzRecoverMetrics: after recovery from any content, all lines are intact, the newest
// checkpoint's line is last, and a second recovery changes nothing.
func FuzzRecoverMetrics(f *testing.F) {
	text, last := metricsOf(f, 3)
	more, _ := metricsOf(f, 5)
	f.Add(text)
	f.Add(more)
	f.Add(text[:len(text)-9])
	f.Add(append(bytes.Clone(text), text...))
	f.Add(bytes.Repeat([]byte("\n"), 1000))
	f.Add([]byte(`{"format":3,"what":"tiro metrics"}` + "\n"))
	f.Add([]byte(`{"format":3,"what":"tiro metrics","generation":-5}` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		fsys := disktest.New()
		folder, err := Open(fsys, "run")
		require.NoError(t, err)
		defer func() { require.NoError(t, folder.Close()) }()
		require.NoError(t, folder.WriteBytes(folder.Path(MetricsFile), data))
		if _, _, err = folder.RecoverMetrics(last); err != nil {
			require.True(t, format.OtherVersion(err) || errors.Is(err, ErrDamaged), err)
			return
		}
		mended, err := disk.ReadFile(fsys, folder.Path(MetricsFile), MaxMetrics)
		require.NoError(t, err)
		before := 0
		for line := range bytes.Lines(mended) {
			m, err := parseMetrics(bytes.TrimSuffix(line, []byte("\n")))
			require.NoError(t, err)
			require.Greater(t, m.Generation, before)
			before = m.Generation
		}
		require.Equal(t, last.Generation, before)
		history, damaged, err := folder.RecoverMetrics(last)
		require.NoError(t, err)
		require.Zero(t, damaged)
		require.Contains(t, history, last.Generation)
		again, err := disk.ReadFile(fsys, folder.Path(MetricsFile), MaxMetrics)
		require.NoError(t, err)
		require.Equal(t, mended, again)
	})
}
