package envtest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/envtest/breakthrough"
)

// guideBlocks returns the code blocks of docs/ADDING_A_GAME.md in a language.
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

// guideFiles returns the Go files in the guide: main, the game, and its test.
func guideFiles(t *testing.T) (main, game, test string) {
	t.Helper()
	blocks := guideBlocks(t, "go")
	require.Greater(t, len(blocks), 3)
	n := len(blocks)
	return blocks[0], strings.Join(blocks[1:n-1], "\n"), blocks[n-1]
}

// TestGuideIsTheGame compares the guide with the game compiled and tested here.
func TestGuideIsTheGame(t *testing.T) {
	_, game, test := guideFiles(t)
	for file, code := range map[string]string{"breakthrough.go": game, "breakthrough_test.go": test} {
		want, err := os.ReadFile(filepath.Join("breakthrough", file))
		require.NoError(t, err)
		require.Equal(t, string(want), code, file)
	}
}

// TestGuideFrame: the action computed in the guide is the described move, for Black and for
// White.
func TestGuideFrame(t *testing.T) {
	game, err := env.Table{breakthrough.Entry()}.New("breakthrough:size=5")
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

// TestGuideProgram follows the guide: a separate module builds a program with the game, and
// every command of the program knows the game.
func TestGuideProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	dir := t.TempDir()
	write := func(name, text string) {
		file := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	main, game, test := guideFiles(t)
	write("main.go", main)
	write("breakthrough/breakthrough.go", game)
	write("breakthrough/breakthrough_test.go", test)
	config := guideBlocks(t, "yaml")
	require.Len(t, config, 1)
	write("breakthrough.yaml", config[0])
	module := guideBlocks(t, "go.mod")
	require.Len(t, module, 1)
	write("go.mod", strings.Replace(module[0], "../tiro", filepath.ToSlash(root), 1))
	sums, err := os.ReadFile("../../go.sum") // with -mod=mod, all that go mod tidy would download
	require.NoError(t, err)
	write("go.sum", string(sums))

	run := func(name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s %s: %s", name, args, out)
		return string(out)
	}
	run("go", "build", "-mod=mod", "-o", "tiro.exe", ".")
	run("go", "test", "-mod=mod", "-c", "-o", os.DevNull, "./breakthrough")
	tiro := filepath.Join(dir, "tiro.exe")
	require.Contains(t, run(tiro, "games"), "Breakthrough, two players")
	require.Contains(t, run(tiro, "rules", "breakthrough"), "BREAKTHROUGH")
	require.Contains(t, run(tiro, "perft", "breakthrough", "--depth", "2"), "perft 2 = 484") // 22 moves each
	// With the default limit of the disk, a machine with less free space gets a warning.
	out := run(tiro, "train", "--config", "breakthrough.yaml", "--run", "run", "--generations", "2", "--set", "games_per_generation=8", "--set", "disk=1GiB")
	require.NotContains(t, out, "WRN")
	require.Contains(t, run(tiro, "match", "breakthrough:size=5", "--a", "net:run", "--b", "random", "--games", "2"), "openings")
	require.Contains(t, run(tiro, "verify", "run"), "resume from checkpoint 2")
	require.Contains(t, run(tiro, "rate", "run", "--newest", "--games", "2", "--error", "9999", "--sims", "1", "--dir", "rated"), "> run,sims=1 ")
	refused, err := exec.Command(tiro, "export", filepath.Join(dir, "run"), "--web", filepath.Join(dir, "page")).CombinedOutput()
	require.Error(t, err, "the program of the page has no such game")
	require.Regexp(t, "--program|make build", string(refused))
	run(tiro, "report", "run", "--html", "run.html")
	run(tiro, "play", "breakthrough:size=5", "--model", "run", "--seats", "random,random")
}
