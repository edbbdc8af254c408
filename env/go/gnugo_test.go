package igo_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/internal/effort"
)

// gnugo is a GNU Go process that answers GTP commands.
type gnugo struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Reader
}

// newGNUGo starts GNU Go as a referee.
func newGNUGo(t *testing.T) gnugo {
	path, err := exec.LookPath("gnugo")
	if err != nil {
		path = "/usr/games/gnugo"
		if _, err := os.Stat(path); err != nil {
			effort.NotChecked(t, "the rules of Go against GNU Go: %v", err)
		}
	}
	command := exec.Command(path, "--mode", "gtp", "--positional-superko", "--chinese-rules")
	in, err := command.StdinPipe()
	require.NoError(t, err)
	out, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	t.Cleanup(func() {
		_ = in.Close()
		_ = command.Wait()
	})
	return gnugo{t, in, bufio.NewReader(out)}
}

// ask returns the answer to a command.
func (g gnugo) ask(format string, arguments ...any) string {
	_, err := fmt.Fprintf(g.in, format+"\n", arguments...)
	require.NoError(g.t, err)
	var answer strings.Builder
	for {
		line, err := g.out.ReadString('\n')
		require.NoError(g.t, err)
		if line == "\n" {
			break
		}
		answer.WriteString(line)
	}
	text, ok := strings.CutPrefix(answer.String(), "=")
	require.True(g.t, ok, "%s: %s", fmt.Sprintf(format, arguments...), answer.String())
	return strings.TrimSpace(text)
}

// TestAgainstGNUGo plays random games without filling eyes until the board is full. GNU Go
// must allow the same moves and report the same captures and score.
func TestAgainstGNUGo(t *testing.T) {
	referee := newGNUGo(t)
	for _, size := range []int{5, 9, 13, 19} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			referee.t = t
			for seed := range uint64(effort.Of(1, 25/size, 1000)) {
				refereed(t, referee, size, seed)
			}
		})
	}
}

func refereed(t *testing.T, referee gnugo, size int, seed uint64) {
	game := newGame(t, fmt.Sprintf("go:size=%d,komi=7.5", size))
	rng, s := env.NewRand(seed, uint64(size)), game.New()
	referee.ask("boardsize %d", size)
	referee.ask("clear_board")
	referee.ask("komi 7.5")
	for ply := 0; len(s.Legal(nil)) > 0; ply++ {
		colour := [...]string{"black", "white"}[s.Turn()]
		var moves, sensible []string
		for _, a := range s.Legal(nil) {
			if name := s.ActionString(a); name != "pass" {
				moves = append(moves, strings.ToUpper(name))
				if !fillsEye(s, int(a), size) {
					sensible = append(sensible, name)
				}
			}
		}
		theirs := strings.Fields(referee.ask("all_legal %s", colour))
		slices.Sort(theirs)
		slices.Sort(moves)
		if ply < remembered {
			require.Equal(t, strings.Join(theirs, " "), strings.Join(moves, " "), "seed %d, ply %d: %s", seed, ply, s)
		}
		move := "pass"
		if len(sensible) > 0 {
			move = sensible[rng.IntN(len(sensible))]
		}
		play(t, s, move)
		referee.ask("play %s %s", colour, move)
	}
	if s.(env.Ender).Ending() != "two-passes" || referee.ask("final_status_list dead") != "" || referee.ask("final_status_list seki") != "" {
		return // GNU Go would not count all stones as alive
	}
	ownership := make([]int8, size*size)
	s.(env.OwnershipScorer).Ownership(ownership, game.New())
	lead := -7.5
	for _, owner := range ownership {
		lead += [...]float64{1, -1, 0}[owner]
	}
	winner := "B"
	if lead < 0 {
		winner, lead = "W", -lead
	}
	require.Equal(t, referee.ask("final_score"), fmt.Sprintf("%s+%.1f", winner, lead), "seed %d: %s", seed, s)
}

// remembered is the number of moves that GNU Go keeps and uses for superko
// (MAX_MOVE_HISTORY).
const remembered = 500

// fillsEye reports whether all neighbours of a point are stones of the player on turn.
func fillsEye(s env.State, p, size int) bool {
	rows := strings.Split(strings.Fields(s.String())[0], "/")
	for _, d := range [...][2]int{{0, 1}, {0, -1}, {1, 0}, {-1, 0}} {
		row, column := p/size+d[0], p%size+d[1]
		if row >= 0 && row < size && column >= 0 && column < size && rows[size-1-row][column] != "XO"[s.Turn()] {
			return false
		}
	}
	return true
}
