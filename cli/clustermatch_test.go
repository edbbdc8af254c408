//go:build linux || darwin

package cli

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/internal/effort"
)

// TestMatchOnWorkers: a match and a rating played by two workers give the same reports as
// without workers, even if both the commands and the workers are killed at random instants.
func TestMatchOnWorkers(t *testing.T) {
	if testing.Short() || raceDetector {
		t.Skip("takes seconds")
	}
	at := freePort(t)
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir) // a killed process leaves its server's folder there
	for _, test := range []struct {
		name  string
		args  []string
		keeps string // the file from which it resumes
	}{
		{"match", []string{"match", "connect4", "--a", "bundled,sims=48", "--b", "mcts:300", "--games", "40", "--records"}, ""},
		{"rate", []string{"rate", "connect4", "mcts:60", "mcts:90", "mcts:300", "--games", "24", "--dir"}, "ratings.json"},
	} {
		t.Run(test.name, func(t *testing.T) {
			args := func(name string, more ...string) []string {
				path := filepath.Join(dir, test.name+"-"+name)
				return append(append(test.args, path, "--json", path+".json"), more...)
			}
			out, err := exec.Command("tiro", args("local")...).Output()
			require.NoError(t, err)
			want := readWhole(t, filepath.Join(dir, test.name+"-local.json"))

			rng := env.NewRand(1)
			workers := []*exec.Cmd{worker(t, at, 0), worker(t, at, 1)}
			remote, kept, kills := args("remote", "--listen", at, "--workers", "0", "--lease", "2s"), 0, 0
			for kills < effort.Of(0, 2, 10) && killed(t, remote, time.Duration(1000+rng.IntN(1500))*time.Millisecond) {
				kills++
				if data, err := os.ReadFile(filepath.Join(dir, test.name+"-remote", test.keeps)); err == nil {
					kept = max(kept, bytes.Count(data, []byte("\n")))
				}
				if i := rng.IntN(4); i < len(workers) {
					require.NoError(t, workers[i].Process.Kill())
					_ = workers[i].Wait()
					workers[i] = worker(t, at, i)
				}
			}
			t.Log("kills", kills, "lines kept", kept)
			last, err := exec.Command("tiro", remote...).Output()
			require.NoError(t, err)
			require.Equal(t, string(out), string(last))
			require.Equal(t, string(want), string(readWhole(t, filepath.Join(dir, test.name+"-remote.json"))))
		})
	}
}

// freePort returns an address that is free, of which systems do not give the port to outgoing
// connections, which might take it while no command listens there.
func freePort(t *testing.T) string {
	for {
		l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", 20000+rand.IntN(10000)))
		if err == nil {
			require.NoError(t, l.Close())
			return l.Addr().String()
		}
	}
}

// worker starts a worker with one goroutine and kills it at the end of the test.
func worker(t *testing.T, at string, number int) *exec.Cmd {
	cmd := exec.Command("tiro", "worker", "--nats", "nats://"+at, "--name", fmt.Sprint("worker-", number), "--workers", "1")
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd
}

func readWhole(t *testing.T, path string) []byte {
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return data
}
