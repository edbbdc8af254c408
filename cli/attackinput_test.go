//go:build linux || darwin

package cli

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// attackedGames are small games with two or three players.
var attackedGames = []string{"mnk", "connect4", "coerceo", "pacru", "pacru:players=3"}

// Words of sessions. MOVE stands for a move of the game, NUMBER for a number.
var (
	engineWords = []string{
		"ugi", "uci", "isready", "uginewgame", "position startpos", "position startpos moves MOVE MOVE", "position fen NOISE",
		"position startpos moves NOISE", "go nodes NUMBER\nstop", "go nodes 20", "go movetime 1", "go infinite\nstop", "go p1time NUMBER p2time NUMBER\nstop", "go\nstop",
		"go nodes\nstop", "stop", "query gameover", "query p1turn", "query result", "query NOISE", "setoption name NOISE value NUMBER",
		"setoption name Parallel value NUMBER", "setoption name MaxNodes value NUMBER", "setoption", "NOISE", "MOVE",
	}
	playWords = []string{
		"MOVE", "MOVE MOVE", "help", "?", "moves", "moves NOISE", "hint", "hint NUMBER", "undo", "undo NUMBER", "resign", "draw", "new", "sides",
		"position", "position NOISE", "rules", "save /dev/full", "load /dev/null", "load NOISE", "NOISE", "",
	}
	attackedMoves   = []string{"a1", "b2", "c3", "4", "d1", "a1-a2", "d2-d3", "c8-d7(e7)", "resign", "0000"}
	attackedNumbers = []string{"0", "1", "20", "-1", "NaN", "1e9", "9223372036854775807", "18446744073709551616", "0x10"}
)

// session returns the given number of lines of random words with noise: bytes that are not
// valid text, and lines of up to 100 kB.
func session(rng *rand.Rand, words []string, lines int) string {
	var b strings.Builder
	for range lines {
		line := words[rng.IntN(len(words))]
		for strings.Contains(line, "NOISE") {
			noise := make([]byte, 1<<rng.IntN(17))
			for i := range noise {
				noise[i] = byte(rng.Uint32())
			}
			line = strings.Replace(line, "NOISE", string(noise), 1)
		}
		for _, set := range []struct {
			name string
			of   []string
		}{{"MOVE", attackedMoves}, {"NUMBER", attackedNumbers}} {
			for strings.Contains(line, set.name) {
				line = strings.Replace(line, set.name, set.of[rng.IntN(len(set.of))], 1)
			}
		}
		b.WriteString(line)
		b.WriteString([]string{"\n", "\r\n", "\n\n", " \t\n"}[rng.IntN(4)])
	}
	return b.String()
}

// TestAttackInput feeds noise to the engine and to a session of play. Both must survive: the
// engine answers the command after the noise, and the session ends at the end of its input.
func TestAttackInput(t *testing.T) {
	c := newCampaign(t)
	sessions := 1
	if c.full {
		sessions = 30
	}
	for _, game := range attackedGames {
		for i := range sessions {
			c.attack(fmt.Sprintf("engine %s %d", game, i), func(a *attack) {
				cmd := tiro("engine", game)
				cmd.Stdin = strings.NewReader(session(a.rng, engineWords, 60) + "\nstop\nuginewgame\nposition startpos\ngo nodes 3\n")
				e := a.run(cmd)
				a.requireDone(e)
				require.Regexp(a.t, `\nbestmove [^ \n]+\n$`, e.stdout)
				a.count("engine "+game, "answered")
			})
			c.attack(fmt.Sprintf("play %s %d", game, i), func(a *attack) {
				cmd := tiro("play", game, "--sims", "2")
				cmd.Stdin = strings.NewReader(session(a.rng, playWords, 60))
				a.requireDone(a.run(cmd))
				a.count("play "+game, "ended")
			})
		}
	}
}

// TestAttackStreams closes, fills and breaks the standard streams of commands. Every command
// must end, and none may report success if its output could not be written. A program cannot
// detect a closed stream, because Go opens /dev/null in its place.
func TestAttackStreams(t *testing.T) {
	c := newCampaign(t)
	streams := []string{"<&-", ">&-", "2>&-", "2>&- <&- >&-", "| true"}
	const full = ">/dev/full"
	if _, err := os.Stat("/dev/full"); err == nil { // missing on macOS
		streams = append(streams, full)
	}
	commands := []struct {
		line   string
		prints bool
	}{
		{"train --config CONFIG --run RUN --generations 3", false},
		{"verify RUN", true},
		{"match mnk --a random --b random --games 4", true},
		{"exam mnk --model RUN --sims 0", true},
		{"export RUN --onnx RUN.onnx", true},
		{"play mnk --model RUN --sims 2", true},
		{"engine mnk --model RUN", false},
		{"games", true},
		{"rules mnk", true},
		{"models coerceo", true},
		{"perft mnk --depth 2", true},
		{"moves mnk", false},
		{"version", true},
		{"version", true},
		{"--help", true},
		{"train --help", true},
	}
	for _, stream := range streams {
		for _, cmd := range pick(c, 4, commands) {
			c.attack("tiro "+cmd.line+" "+stream, func(a *attack) {
				line := strings.NewReplacer("RUN", "'"+a.copyOfRun()+"'", "CONFIG", "'"+a.config+"'").Replace(cmd.line)
				in := ""
				if !strings.Contains(stream, "<") {
					in = "</dev/null "
				}
				e := a.run(exec.Command("sh", "-c", "tiro "+line+" "+in+stream))
				if stream == full && cmd.prints {
					require.NotZero(a.t, e.code, "%v", e)
				}
				a.countEnding(stream, e)
			})
		}
	}
}
