package envtest_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/envtest/breakthrough"
)

// guideBlocks returns the blocks of docs/ADDING_A_GAME.md in a language.
func guideBlocks(t *testing.T, language string) (blocks []string) {
	t.Helper()
	guide, err := os.ReadFile("../../docs/ADDING_A_GAME.md")
	require.NoError(t, err)
	for _, block := range strings.Split(string(guide), "```"+language+"\n")[1:] {
		code, _, closed := strings.Cut(block, "```\n")
		require.True(t, closed)
		blocks = append(blocks, code)
	}
	return blocks
}

// guideFiles returns what a reader of the guide has at its end: the game, its
// test, and its line in the table of games.
func guideFiles(t *testing.T) (game, test, entry string) {
	t.Helper()
	blocks := guideBlocks(t, "go")
	require.Greater(t, len(blocks), 3)
	n := len(blocks)
	return strings.Join(blocks[:n-2], "\n"), blocks[n-2], blocks[n-1]
}

// TestGuideIsTheGame holds the guide to the game that is compiled and tested here.
func TestGuideIsTheGame(t *testing.T) {
	game, test, _ := guideFiles(t)
	for file, code := range map[string]string{"breakthrough.go": game, "breakthrough_test.go": test} {
		want, err := os.ReadFile(filepath.Join("breakthrough", file))
		require.NoError(t, err)
		require.Equal(t, string(want), code, file)
	}
}

// TestGuideFrame: the action that the guide counts out is the move that it says,
// for Black and for White.
func TestGuideFrame(t *testing.T) {
	_, options, err := env.ParseName("breakthrough:size=5")
	require.NoError(t, err)
	game, err := breakthrough.New(options)
	require.NoError(t, err)
	for position, move := range map[string]string{
		"bbbbb/bbb.b/...b./wwwww/wwwww b": "d3-c2",
		"bbbbb/bbbbb/.w.../w.www/wwwww w": "b3-c4",
	} {
		s := game.New()
		require.NoError(t, s.(env.Positioner).SetPosition(position))
		a, err := env.ParseAction(s, move)
		require.NoError(t, err)
		require.Equal(t, env.Action(61), a, move)
	}
}

// TestGuideTrains follows the guide: the program is built with its game, and
// trains it with its configuration.
func TestGuideTrains(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	dir := t.TempDir()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		return file
	}
	game, _, entry := guideFiles(t)
	config := guideBlocks(t, "yaml")
	require.Len(t, config, 1)
	table, err := os.ReadFile("../games/games.go")
	require.NoError(t, err)
	text := strings.Replace(string(table), "\t\"tiro/env/coerceo\"\n", "\t\"tiro/env/breakthrough\"\n\t\"tiro/env/coerceo\"\n", 1)
	text = strings.Replace(text, "\t\t{\"coerceo\"", entry+"\t\t{\"coerceo\"", 1)
	require.NotEqual(t, string(table), text)
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {
		filepath.Join(root, "env/breakthrough/breakthrough.go"): write("breakthrough.go", game),
		filepath.Join(root, "env/games/games.go"):               write("games.go", text),
	}})
	require.NoError(t, err)

	tiro := filepath.Join(dir, "tiro.exe")
	run := func(name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Dir = root
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	run("go", "build", "-overlay", write("overlay.json", string(overlay)), "-o", tiro, "./cmd/tiro")
	require.Contains(t, run(tiro, "rules", "breakthrough"), "BREAKTHROUGH")
	out := run(tiro, "train", "--config", write("breakthrough.yaml", config[0]), "--run", filepath.Join(dir, "run"),
		"--generations", "2", "--set", "games_per_generation=8")
	require.NotContains(t, out, "WRN")
	require.Contains(t, run(tiro, "match", "breakthrough:size=5", "--a", "net:"+filepath.Join(dir, "run"), "--b", "random", "--games", "2"), "openings")
}
