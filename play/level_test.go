package play

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/mcts"
	"tiro/player"
)

// With a level, every search ends after at most the level's simulations, and its moves vary.
// Level 0 restores the moves of full strength.
func TestLevelOption(t *testing.T) {
	e := newEngine(t, newGame(t, "connect4"))
	e.Search, e.Evaluator = player.NetworkConfig(100), mcts.Uniform{}
	e.Levels = []player.Level{{Simulations: 3, Temperature: 99}, {Simulations: 50, Temperature: 0.01}}
	ask := func(commands string) string {
		out := answers(t, e, commands)
		return out
	}
	require.Contains(t, ask("ugi\n"), "option name Level type spin default 0 min 0 max 2\n")
	for _, limit := range []string{"", " nodes 90", " movetime 60000", " p1time 100000"} {
		require.Regexp(t, `(?s)info depth \d+ nodes 3 .*bestmove [1-7]\n`, ask("setoption name Level value 1\ngo"+limit+"\n"), limit)
	}
	require.Contains(t, ask("setoption name level value 2\ngo nodes 20\n"), " nodes 20 ", "a limit below the level's")
	require.Contains(t, ask("setoption name Level value 3\n"), `info string error: option Level must be 0 to 2, not "3"`)

	moves := func(level string) int {
		all := map[string]bool{}
		for _, line := range strings.Split(ask("setoption name Level value "+level+"\n"+strings.Repeat("uginewgame\ngo nodes 20\n", 30)), "\n") {
			if strings.HasPrefix(line, "bestmove") {
				all[line] = true
			}
		}
		return len(all)
	}
	require.Greater(t, moves("1"), 3)
	require.Equal(t, 1, moves("0"))

	e.Level = 1
	require.Contains(t, ask("ugi\ngo\n"), "option name Level type spin default 1 min 0 max 2\n")
	require.Contains(t, ask("go nodes 90\n"), " nodes 3 ")
}
