//go:build unix

package cli

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// tortured configures a run whose generations take about 100 ms, and which removes old
// checkpoints and games from the third generation on.
const tortured = `
game: mnk
seed: 7
games_per_generation: 60
net: {channels: 32, blocks: 1, outcome_channels: 2, hidden: 16}
selfplay: {concurrent_games: 8, search: {simulations: 64}}
replay: {window: 500, alpha: 0.5, sample_reuse: 12}
learner: {batch_size: 32}
checkpoints: {last: 2, every: 5}
duels: {share: 0.5, every: 2}
`

// started is a process of the command tiro in its own folder.
type started struct {
	*exec.Cmd
	stderr *bufio.Reader // the process's standard error, which only await and end read
	pipe   io.Closer     // the reading end of standard error
}

// start starts a command in a folder with the configuration tortured.yaml.
func start(t *testing.T, name string, args ...string) started {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(cmd.Dir, "tortured.yaml"), []byte(tortured), 0o600))
	pipe, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	return started{cmd, bufio.NewReader(pipe), pipe}
}

// await reads standard error up to the first line that contains text.
func (s started) await(t *testing.T, text string) {
	t.Helper()
	for {
		line, err := s.stderr.ReadString('\n')
		require.NoError(t, err, "waiting for %q", text)
		if strings.Contains(line, text) {
			return
		}
	}
}

// end reads the rest of standard error and returns it with the exit code.
func (s started) end(t *testing.T) (stderr string, code int) {
	t.Helper()
	rest, err := io.ReadAll(s.stderr)
	require.NoError(t, err)
	_ = s.Wait()
	return string(rest), s.ProcessState.ExitCode()
}

// log returns the run's log.
func (s started) log(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(s.Dir, "r", "log.jsonl"))
	require.NoError(t, err)
	return string(data)
}

// TestReaderOfStandardErrorGoesAway: a run continues after the reader of its messages has
// exited, and records this in its log.
func TestReaderOfStandardErrorGoesAway(t *testing.T) {
	s := start(t, "tiro", "train", "--config", "tortured.yaml", "--run", "r", "--generations", "100000")
	s.await(t, "generation 1 ")
	require.NoError(t, s.pipe.Close())
	const closed = `"msg":"standard error is closed; the run continues and logs here only","reason":"write /dev/stderr: broken pipe"`
	require.Eventually(t, func() bool {
		_, later, _ := strings.Cut(s.log(t), closed)
		return strings.Count(later, `"msg":"generation `) > 1
	}, 5*time.Minute, 10*time.Millisecond)
	require.NoError(t, s.Process.Signal(syscall.SIGINT))
	require.Error(t, s.Wait())
	require.Equal(t, exitInterrupted, s.ProcessState.ExitCode())
	require.Equal(t, 1, strings.Count(s.log(t), closed), s.log(t))
}

// TestReaderOfStandardOutputGoesAway: as for other programs, SIGPIPE ends the process without a
// message.
func TestReaderOfStandardOutputGoesAway(t *testing.T) {
	s := start(t, "sh", "-c", "for i in $(seq 20000); do echo .../.../...; done >all; { tiro moves mnk <all; echo $? >&2; } | head -1 >first")
	stderr, _ := s.end(t)
	require.Equal(t, "141\n", stderr) // 128 + SIGPIPE
	require.FileExists(t, filepath.Join(s.Dir, "first"))
}

// TestHangup: closing a terminal, which may send several signals, stops a run cleanly; under
// nohup the run continues.
func TestHangup(t *testing.T) {
	// The commands inherit ignored signals from the test, which may run under nohup. They do
	// not inherit signals that the test catches.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGHUP)
	defer signal.Stop(caught)

	const run = "tiro train --config tortured.yaml --run r --generations "
	s := start(t, "sh", "-c", "exec "+run+"100000")
	s.await(t, "generation 1 ")
	for range 3 {
		require.NoError(t, s.Process.Signal(syscall.SIGHUP))
	}
	_, code := s.end(t)
	require.Equal(t, exitInterrupted, code)
	require.Contains(t, s.log(t), `"phase":"stopped"`)

	s = start(t, "sh", "-c", "trap '' HUP; exec "+run+"3")
	s.await(t, "generation 1 ")
	require.NoError(t, s.Process.Signal(syscall.SIGHUP))
	stderr, code := s.end(t)
	require.Equal(t, exitDone, code, stderr)
	require.Contains(t, stderr, "generation 3 ")
}

// TestRequeue: SIGTERM, with which schedulers stop a job, ends a run with exit code 130. The same
// command then continues the run up to its target, and does nothing after that.
func TestRequeue(t *testing.T) {
	const endless = "generation_schedule: [{generation: 2, games: 20000}]" // until the signal, however late it comes
	const command = "exec tiro train --config tortured.yaml --run r --generations 8"
	s := start(t, "sh", "-c", "echo '"+endless+"' >>tortured.yaml; "+command)
	s.await(t, "generation 1 ")
	require.NoError(t, s.Process.Signal(syscall.SIGTERM))
	stderr, code := s.end(t)
	require.Equal(t, exitInterrupted, code, stderr)
	require.NotContains(t, stderr, "generation 8 ")
	require.NoError(t, os.WriteFile(filepath.Join(s.Dir, "tortured.yaml"), []byte(tortured), 0o600))
	for _, ends := range []bool{true, false} {
		again := exec.Command("sh", "-c", command)
		again.Dir = s.Dir
		out, err := again.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.NotContains(t, string(out), "INF generation 1 ")
		require.Equal(t, ends, strings.Contains(string(out), "INF generation 8 "), "%s", out)
	}
}

// TestOneTrainer: while a process trains in a folder, other processes can neither train nor
// verify there, whatever path they use.
func TestOneTrainer(t *testing.T) {
	s := start(t, "tiro", "train", "--config", "tortured.yaml", "--run", "r", "--generations", "100000")
	s.await(t, "generation 1 ")
	require.NoError(t, os.Symlink("r", filepath.Join(s.Dir, "link")))
	for _, args := range [][]string{
		{"verify", "r"},
		{"train", "--run", "r"},
		{"train", "--run", filepath.Join(s.Dir, "r")},
		{"train", "--run", "r/episodes/../../r"},
		{"train", "--run", "link"},
	} {
		other := exec.Command("tiro", args...)
		other.Dir = s.Dir
		out, err := other.CombinedOutput()
		require.Error(t, err)
		require.Contains(t, string(out), "another process is training here", "%q", args)
	}
	require.NoError(t, s.Process.Signal(syscall.SIGINT))
	_, code := s.end(t)
	require.Equal(t, exitInterrupted, code)
}
