//go:build linux || darwin

package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/arena"
	"tiro/internal/effort"
)

// longestGap is the longest time for which a busy core of the test may stand still. A machine
// with longer gaps is too busy for bullet games, and losses are only logged.
const longestGap = 100 * time.Millisecond

// TestAttackClocks: in bullet games on busy cores, Tiro's players lose no game on time. It
// depends on the speed of the machine, and therefore runs at full length only; package
// player/clock has the same test with a simulated machine.
func TestAttackClocks(t *testing.T) {
	if !effort.Long() {
		t.Skip("depends on the speed of the machine")
	}
	var over atomic.Bool
	var gap atomic.Int64 // longest time between two looks at the clock
	defer over.Store(true)
	for range runtime.NumCPU() {
		go func() {
			for last := time.Now(); !over.Load(); { // keeps a core busy
				now := time.Now()
				for d := int64(now.Sub(last)); d > gap.Load(); {
					gap.Store(d)
				}
				last = now
			}
		}()
	}
	for _, test := range []struct {
		name  string
		args  []string
		games int
	}{
		{"network", []string{"connect4", "--a", "bundled", "--b", "alphabeta", "--tc", "1+0.01", "--opening", "6"}, 300},
		{"playouts", []string{"mnk:m=5,n=5,k=4", "--a", "mcts", "--b", "alphabeta", "--tc", "1+0.01"}, 300},
		{"short games", []string{"tictactoe", "--a", "mcts", "--b", "alphabeta", "--tc", "1+0.01", "--opening", "1"}, 1000},
		{"no increment", []string{"connect4", "--a", "mcts", "--b", "alphabeta:tc=1+0.01", "--tc", "1"}, 60},
		{"periods", []string{"connect4", "--a", "mcts", "--b", "bundled", "--tc", "5/0.5"}, 60},
		{"turns of several actions", []string{"pacru:players=3", "--a", "bundled", "--b", "mcts", "--c", "random", "--tc", "2+0.02"}, 12},
		{"large tree", []string{"coerceo", "--a", "bundled", "--b", "alphabeta", "--tc", "2+0.02"}, 12},
		{"program", []string{"connect4", "--a", "ugi:tiro engine connect4", "--b", "bundled", "--tc", "1+0.02"}, 60},
		{"GTP", []string{"othello:size=6", "--a", "gtp:tiro engine othello:size=6 --protocol gtp", "--b", "mcts", "--tc", "2+0.02"}, 20},
	} {
		t.Run(test.name, func(t *testing.T) {
			gap.Store(0)
			file := filepath.Join(t.TempDir(), "report.json")
			args := append([]string{"match"}, test.args...)
			out, err := tiro(append(args, "--games", strconv.Itoa(test.games), "--json", file)...).CombinedOutput()
			require.NoError(t, err, "%s", out)
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			var report struct {
				Games   int
				Endings map[string]int
			}
			require.NoError(t, json.Unmarshal(data, &report))
			require.Equal(t, test.games, report.Games)
			require.Zero(t, report.Endings[arena.Forfeited], "%s", out)
			lost, stood := report.Endings[arena.TimeForfeit], time.Duration(gap.Load())
			t.Logf("%d of %d games lost on time; the longest gap was %v", lost, report.Games, stood)
			if stood < longestGap {
				require.Zero(t, lost, "%s", out)
			}
		})
	}
}
