package telemetry_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/internal/effort"
	"tiro/rundir"
	"tiro/train/telemetry"
)

// generations returns the first n generations of a run.
func generations(n int) (all []rundir.Metrics) {
	for g := range n {
		x := 1 / float64(g+2)
		all = append(all, rundir.Metrics{
			Generation: g + 1, Games: 20, Wins: []int{10, 6}, Draws: 4, Endings: map[string]int{"full": 4, "k-in-row": 16},
			Steps: 7, TotalSteps: 7 * (g + 1), ValidationLoss: rundir.Losses{PolicyKL: x, Outcome: 2 * x}, BaselineLoss: 1.1,
			Duels:   []rundir.Duel{{Opponent: "random", Games: 4, Points: 3}, {Opponent: "generation 10", Games: 4, Points: 1}},
			Machine: &rundir.Machine{Seconds: 1.5},
		})
	}
	return all
}

// wall is a clock that always shows the same time.
func wall() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }

// board returns the event file of a run that begins in an empty folder.
func board(t *testing.T, all []rundir.Metrics) (dir string, events []byte) {
	dir = filepath.Join(t.TempDir(), "tb", "first")
	b, err := telemetry.Open(disk.OS{}, dir, wall, all)
	require.NoError(t, err)
	require.NoError(t, b.Close())
	return dir, eventFile(t, dir)
}

func eventFile(t *testing.T, dir string) []byte {
	data, err := os.ReadFile(filepath.Join(dir, telemetry.EventFile))
	require.NoError(t, err)
	return data
}

// TestTensorBoardIsRead: an independent reader in Python finds every value of every generation.
func TestTensorBoardIsRead(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		effort.NotChecked(t, "another reader: %v", err)
	}
	all := generations(3)
	dir, _ := board(t, all[:1])
	b, err := telemetry.Open(disk.OS{}, dir, wall, all[:1])
	require.NoError(t, err)
	require.NoError(t, b.Add(&all[1]))
	require.NoError(t, b.Add(&all[2]))
	require.NoError(t, b.Close())
	reader := exec.Command(python, "testdata/events.py", filepath.Join(dir, telemetry.EventFile))
	reader.Stderr = os.Stderr
	out, err := reader.Output()
	require.NoError(t, err)

	type scalar struct {
		step string
		tag  string
		x    float32
	}
	var want, got []scalar
	for i := range all {
		for _, v := range telemetry.Values(&all[i]) {
			want = append(want, scalar{strconv.Itoa(i + 1), v.Tag, float32(v.X)})
		}
	}
	for line := range strings.Lines(string(out)) {
		parts := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		x, err := strconv.ParseFloat(parts[2], 64)
		require.NoError(t, err)
		got = append(got, scalar{parts[0], parts[1], float32(x)})
	}
	require.Equal(t, want, got)
	require.Contains(t, got, scalar{"2", "duel score/earlier checkpoint", 0.25})
}

// TestTensorBoardFollowsTheRun: whatever the file had, afterwards it has the run's generations.
func TestTensorBoardFollowsTheRun(t *testing.T) {
	all := generations(5)
	dir, whole := board(t, all[:3])
	for _, n := range []int{2, 5} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, telemetry.EventFile), whole[:len(whole)-n], 0o600)) // truncated
		b, err := telemetry.Open(disk.OS{}, dir, wall, all[:n])
		require.NoError(t, err)
		require.NoError(t, b.Close())
		_, want := board(t, all[:n])
		require.Equal(t, want, eventFile(t, dir))
	}
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := telemetry.Open(disk.OS{}, file, wall, all)
	require.ErrorContains(t, err, file)
}

// TestTensorBoardOfAnotherRun: two runs do not write to the same file, and neither writes through
// a link.
func TestTensorBoardOfAnotherRun(t *testing.T) {
	all := generations(2)
	dir, foreign := t.TempDir(), filepath.Join(t.TempDir(), "foreign")
	require.NoError(t, os.WriteFile(foreign, []byte("mine"), 0o600))
	require.NoError(t, os.Symlink(foreign, filepath.Join(dir, telemetry.EventFile)))
	unfinished := filepath.Join(dir, telemetry.EventFile+disk.Unfinished)
	require.NoError(t, os.WriteFile(unfinished, nil, 0o600))
	b, err := telemetry.Open(disk.OS{}, dir, wall, all[:1])
	require.NoError(t, err)
	require.NoFileExists(t, unfinished)
	_, err = telemetry.Open(disk.OS{}, dir, wall, all)
	require.ErrorIs(t, err, disk.ErrLocked)
	require.NoError(t, b.Add(&all[1]))
	require.NoError(t, b.Close())
	_, want := board(t, all)
	require.Len(t, eventFile(t, dir), len(want), "the times differ")
	text, err := os.ReadFile(foreign)
	require.NoError(t, err)
	require.Equal(t, "mine", string(text))
}
