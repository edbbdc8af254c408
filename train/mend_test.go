package train

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/disk/disktest"
	"tiro/format"
	"tiro/models"
	"tiro/selfplay"
)

// metricsOf returns signed lines of so many generations.
func metricsOf(t testing.TB, generations int) (text []byte, last Metrics) {
	for g := 1; g <= generations; g++ {
		last = Metrics{Header: metricsHeader, Generation: g, Games: 8, Wins: []int{4, 4}, Machine: &Machine{Workers: g}}
		require.NoError(t, last.sign())
		line, err := json.Marshal(last)
		require.NoError(t, err)
		text = append(append(text, line...), '\n')
	}
	last.Machine = nil
	return text, last
}

// TestNewerMetrics: what a newer tiro has written is not taken for damaged, and
// stays as it is.
func TestNewerMetrics(t *testing.T) {
	fsys := disktest.New()
	folder, err := openFolder(fsys, "run")
	require.NoError(t, err)
	defer func() { require.NoError(t, folder.close()) }()
	text, last := metricsOf(t, 3)
	newer := bytes.Replace(text, []byte(`"format":2`), []byte(`"format":3`), 1)
	require.NoError(t, folder.write(folder.path(metricsFile), func(w io.Writer) error {
		_, err := w.Write(newer)
		return err
	}))
	_, _, err = folder.mendMetrics(last)
	require.ErrorContains(t, err, "metrics.jsonl: written by a newer tiro: format 3, this one reads format 2")
	kept, err := disk.ReadFile(fsys, folder.path(metricsFile), maxMetrics)
	require.NoError(t, err)
	require.Equal(t, newer, kept)

	foreign := bytes.Replace(text, []byte("tiro metrics"), []byte("tiro letters"), 1)
	_, err = readMetrics(foreign[:bytes.IndexByte(foreign, '\n')])
	require.ErrorIs(t, err, format.ErrForeign)
}

// TestForeignMetrics: the file of another run, put into this one's folder, is
// refused before anything is taken from it.
func TestForeignMetrics(t *testing.T) {
	fsys := disktest.New()
	folder, err := openFolder(fsys, "run")
	require.NoError(t, err)
	defer func() { require.NoError(t, folder.close()) }()
	text, _ := metricsOf(t, 5) // which goes on behind the checkpoint
	put := func(data []byte) {
		require.NoError(t, folder.write(folder.path(metricsFile), func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		}))
	}
	put(text)
	_, last := metricsOf(t, 3)
	last.Games++
	require.NoError(t, last.sign())
	_, _, err = folder.mendMetrics(last)
	require.ErrorIs(t, err, ErrDamaged)
	require.ErrorContains(t, err, "metrics.jsonl: generation 3 is not the one of the checkpoint: the file is of another run")
	kept, err := disk.ReadFile(fsys, folder.path(metricsFile), maxMetrics)
	require.NoError(t, err)
	require.Equal(t, text, kept)

	put(make([]byte, maxMetrics+1))
	_, _, err = folder.mendMetrics(last)
	require.ErrorIs(t, err, ErrDamaged)
	require.ErrorContains(t, err, "67108865 bytes; at most 67108864 are read")
}

// FuzzMendMetrics: whatever metrics.jsonl holds, behind the newest checkpoint's
// line there is nothing afterwards, in front of it only whole lines that were
// there, and to mend it again changes nothing.
func FuzzMendMetrics(f *testing.F) {
	text, last := metricsOf(f, 3)
	more, _ := metricsOf(f, 5)
	f.Add(text)
	f.Add(more)
	f.Add(text[:len(text)-9])
	f.Add(append(bytes.Clone(text), text...))
	f.Add(bytes.Repeat([]byte("\n"), 1000))
	f.Add([]byte(`{"format":2,"what":"tiro metrics"}` + "\n"))
	f.Add([]byte(`{"format":2,"what":"tiro metrics","generation":-5}` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		fsys := disktest.New()
		folder, err := openFolder(fsys, "run")
		require.NoError(t, err)
		defer func() { require.NoError(t, folder.close()) }()
		require.NoError(t, disk.WriteFile(fsys, folder.path(metricsFile), func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		}))
		if _, _, err = folder.mendMetrics(last); err != nil {
			require.True(t, format.OtherVersion(err) || errors.Is(err, ErrDamaged), err)
			return
		}
		mended, err := disk.ReadFile(fsys, folder.path(metricsFile), maxMetrics)
		require.NoError(t, err)
		before := 0
		for line := range bytes.Lines(mended) {
			m, err := readMetrics(bytes.TrimSuffix(line, []byte("\n")))
			require.NoError(t, err)
			require.Greater(t, m.Generation, before)
			before = m.Generation
		}
		require.Equal(t, last.Generation, before)
		told, damaged, err := folder.mendMetrics(last)
		require.NoError(t, err)
		require.Zero(t, damaged)
		require.Contains(t, told, last.Generation)
		again, err := disk.ReadFile(fsys, folder.path(metricsFile), maxMetrics)
		require.NoError(t, err)
		require.Equal(t, mended, again)
	})
}

func TestStateIsStrict(t *testing.T) {
	const good = `{"format":2,"what":"tiro state","generation":3,"samples":90,"evicted_samples":10,"steps":7,"pending_samples":2.5,"backend":"go","resign":{"threshold":0.9,"calibration_games":80,"would_resign":70,"false_positives":0}}`
	s, err := readState(models.Checkpoint{Generation: 3, State: []byte(good)})
	require.NoError(t, err)
	require.Equal(t, state{stateHeader, 3, 90, 10, 7, 2.5, "go", selfplay.Calibration{Threshold: 0.9, CalibrationGames: 80, WouldResign: 70}}, s)
	tests := []struct{ old, new, want string }{
		{`"format":2`, `"format":3,"more":0`, "written by a newer tiro: format 3, this one reads format 2"},
		{`"format":2`, `"format":1`, "written by an older tiro: format 1, this one reads format 2"},
		{"tiro state", "tiro metrics", "not a file of this kind by tiro"},
		{`"steps"`, `"stepps"`, "unknown field"},
		{`"generation":3`, `"generation":4`, "generation is 4; want 3"},
		{`"samples":90`, `"samples":-90`, "samples is -90; want 0 or more"},
		{`"evicted_samples":10`, `"evicted_samples":91`, "evicted_samples is 91; want 0 to samples"},
		{`"steps":7`, `"steps":-7`, "steps is -7"},
		{`"steps":7`, `"steps":9223372036854775808`, "steps"},
		{`"pending_samples":2.5`, `"pending_samples":1e300`, "pending_samples is 1e+300; want 0 to a batch"},
		{`"pending_samples":2.5`, `"pending_samples":-1`, "pending_samples is -1"},
		{`"threshold":0.9`, `"threshold":1.5`, "resign.threshold is 1.5; want 0 to 1"},
		{`"would_resign":70`, `"would_resign":81`, "resign is {0.9 80 81 0}; want false_positives at most would_resign"},
		{`{`, `[`, "not a file of this kind by tiro"},
	}
	for _, test := range tests {
		bad := bytes.Replace([]byte(good), []byte(test.old), []byte(test.new), 1)
		_, err := readState(models.Checkpoint{Generation: 3, State: bad})
		require.ErrorContains(t, err, test.want)
		require.ErrorContains(t, err, "checkpoint 3: its state: ")
	}
}

// FuzzState: what is accepted as a run's state is one that a run can be in, and
// is written and read back the same.
func FuzzState(f *testing.F) {
	f.Add([]byte(`{"format":2,"what":"tiro state","generation":3,"samples":90,"evicted_samples":10,"steps":7,"pending_samples":2.5,"backend":"go","resign":{"threshold":0.9,"calibration_games":80,"would_resign":70,"false_positives":0}}`), 3)
	f.Add([]byte(`{"format":2,"what":"tiro state","generation":-3}`), -3)
	f.Fuzz(func(t *testing.T, data []byte, generation int) {
		s, err := readState(models.Checkpoint{Generation: generation, State: data})
		if err != nil {
			return
		}
		written, err := json.Marshal(s)
		require.NoError(t, err)
		again, err := readState(models.Checkpoint{Generation: generation, State: written})
		require.NoError(t, err)
		require.Equal(t, s, again)
	})
}
