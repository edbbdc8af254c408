package cli

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/internal/browser"
	"tiro/internal/effort"
	"tiro/models/bundled"
)

// exported is a folder with the programs of docs/export, laid out as for their users.
type exported struct {
	dir     string
	library string // path of ONNX Runtime's shared library
}

// export fills a folder with the programs, a game's model and the packages for node.
func export(t *testing.T, game, model string) exported {
	if testing.Short() {
		t.Skip("ONNX Runtime takes some seconds")
	}
	packages, err := filepath.Abs("../.cache/onnxruntime/node_modules")
	require.NoError(t, err)
	if _, err := os.Stat(filepath.Join(packages, "onnxruntime-web")); err != nil {
		effort.NotChecked(t, "%v; scripts/onnxruntime.sh installs it", err)
	}
	e := exported{t.TempDir(), filepath.Join(packages, "onnxruntime-node/bin/napi-v6/linux/x64/libonnxruntime.so.1")}
	require.NoError(t, os.CopyFS(e.dir, os.DirFS("../docs/export")))
	require.NoError(t, os.Symlink(packages, filepath.Join(e.dir, "node_modules")))
	name, _, _ := strings.Cut(game, ":")
	command(t, "", "export", model, "--onnx", filepath.Join(e.dir, name+".onnx"))
	return e
}

// native returns the path of the library, and skips the test where there is none for this
// system.
func (e exported) native(t *testing.T) string {
	if _, err := os.Stat(e.library); err != nil {
		effort.NotChecked(t, "%v; this needs Linux on amd64", err)
	}
	return e.library
}

// run runs a program in the folder and returns its standard output.
func (e exported) run(t *testing.T, in string, variables []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = e.dir, append(os.Environ(), variables...), strings.NewReader(in)
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	require.NoError(t, cmd.Run(), "%s %s", name, &complaints)
	return out.String()
}

// python runs a program with a Python that has NumPy. If the package onnxruntime is missing, a
// substitute in testdata calls the same library.
func (e exported) python(t *testing.T, in string, args ...string) string {
	t.Helper()
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(python, "-c", "import numpy, onnxruntime").Run() == nil {
			return e.run(t, in, nil, python, args...)
		}
		if exec.Command(python, "-c", "import numpy").Run() == nil {
			stand, err := filepath.Abs("testdata/export")
			require.NoError(t, err)
			return e.run(t, in, []string{"PYTHONPATH=" + stand, "PYTHONDONTWRITEBYTECODE=1", "ONNXRUNTIME=" + e.native(t)}, python, args...)
		}
	}
	effort.NotChecked(t, "no python3 has NumPy; make numpy installs it")
	return ""
}

// opinion is the evaluation of a position by a program or by tiro analyze.
type opinion struct {
	Best    string             `json:"best"`
	Priors  map[string]float64 `json:"priors"`
	Outcome []float64          `json:"outcome"`
}

// opinions parses one opinion from each line.
func opinions(t *testing.T, text string) []opinion {
	t.Helper()
	var all []opinion
	for line := range strings.Lines(text) {
		var o opinion
		require.NoError(t, json.Unmarshal([]byte(line), &o), line)
		all = append(all, o)
	}
	return all
}

// analysed returns the evaluations that tiro analyze prints for games in progress, using the
// network without search.
func analysed(t *testing.T, game, model string, ways [][]string) []opinion {
	var questions strings.Builder
	for i, way := range ways {
		text, err := json.Marshal(map[string]any{"id": i, "moves": way})
		require.NoError(t, err)
		fmt.Fprintf(&questions, "%s\n", text)
	}
	var all []opinion
	for line := range strings.Lines(command(t, questions.String(), "analyze", game, "--model", model, "--sims", "0")) {
		var a struct {
			Error   string
			Outcome []float64
			Lines   []struct {
				Action string
				Prior  float64
			}
		}
		require.NoError(t, json.Unmarshal([]byte(line), &a))
		require.Empty(t, a.Error)
		o := opinion{Best: a.Lines[0].Action, Priors: map[string]float64{}, Outcome: a.Outcome}
		for _, l := range a.Lines {
			o.Priors[l.Action] = l.Prior
		}
		all = append(all, o)
	}
	return all
}

// requireAgree requires equal opinions within a small tolerance.
func requireAgree(t *testing.T, want, got []opinion) {
	t.Helper()
	require.Len(t, got, len(want))
	for i, w := range want {
		require.Len(t, got[i].Priors, len(w.Priors), "position %d", i)
		for move, p := range w.Priors {
			require.InDelta(t, p, got[i].Priors[move], 1e-4, "position %d, move %s", i, move)
		}
		require.InDelta(t, w.Priors[w.Best], w.Priors[got[i].Best], 1e-4, "position %d", i)
		require.InDeltaSlice(t, w.Outcome, got[i].Outcome, 1e-4, "position %d", i)
	}
}

// waysOf returns the actions that lead to n different positions of random games, from the start
// to the late game.
func waysOf(t *testing.T, name string, n int) [][]string {
	game, err := shippedGames.newGame(name)
	require.NoError(t, err)
	var ways [][]string
	seen := map[uint64]bool{}
	for number := uint64(0); len(ways) < n; number++ {
		rng, s, way := env.NewRand(number), game.New(), []string{}
		for legal := s.Legal(nil); len(legal) > 0; legal = s.Legal(legal[:0]) {
			if !seen[s.Hash()] && rng.IntN(4) == 0 && len(ways) < n {
				seen[s.Hash()] = true
				ways = append(ways, append([]string{}, way...))
			}
			a := legal[rng.IntN(len(legal))]
			way = append(way, s.ActionString(a))
			s.Play(a)
		}
	}
	return ways
}

// TestExportedConnect4: the programs of docs/export that encode positions themselves evaluate
// 1,000 positions as tiro analyze does.
func TestExportedConnect4(t *testing.T) {
	model := withAllPlanes(t)
	e := export(t, "connect4", model)
	ways := append(waysOf(t, "connect4", 600), lateWays(t)...)
	want := analysed(t, "connect4", model, ways)
	var games strings.Builder
	for _, way := range ways {
		fmt.Fprintln(&games, strings.Join(way, ""))
	}
	in := games.String()
	t.Run("Python", func(t *testing.T) {
		requireAgree(t, want, opinions(t, e.python(t, in, "connect4.py", "connect4.onnx")))
	})
	t.Run("node", func(t *testing.T) {
		requireAgree(t, want, opinions(t, e.run(t, in, nil, "node", "connect4-node.mjs", "connect4.onnx")))
	})
	t.Run("browser", func(t *testing.T) { requireAgree(t, want, e.inBrowser(t, in)) })
	t.Run("C++", func(t *testing.T) {
		program := e.buildC(t)
		requireAgree(t, want, opinions(t, e.run(t, in, nil, program, "connect4.onnx")))
	})
}

// lateWays returns the moves that lead to the first 400 published positions of the late game. Many
// are decided by answering in pairs, which random games hardly reach.
func lateWays(t *testing.T) (ways [][]string) {
	f, err := os.Open("../env/connect4/testdata/Test_L3_R1.txt.gz")
	require.NoError(t, err)
	defer f.Close()
	text, err := gzip.NewReader(f)
	require.NoError(t, err)
	for lines := bufio.NewScanner(text); lines.Scan() && len(ways) < 400; {
		moves, _, _ := strings.Cut(lines.Text(), " ")
		ways = append(ways, strings.Split(moves, ""))
	}
	require.Len(t, ways, 400)
	return ways
}

// withAllPlanes writes the bundled network of Connect Four with random numbers instead of its zero
// weights for some planes, so that its answers depend on every plane, and returns the file.
func withAllPlanes(t *testing.T) string {
	game, err := shippedGames.newGame("connect4")
	require.NoError(t, err)
	m, err := bundled.Find("connect4")
	require.NoError(t, err)
	w, err := m.Weights(game.Spec())
	require.NoError(t, err)
	rng := env.NewRand(1)
	for i, x := range w.Tensor("stem.weight") {
		if x == 0 {
			w.Tensor("stem.weight")[i] = 0.1 * float32(rng.NormFloat64())
		}
	}
	path := filepath.Join(t.TempDir(), "weights.safetensors")
	f, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, errors.Join(w.Write(f), f.Close()))
	return path
}

// inBrowser evaluates games with the page.
func (e exported) inBrowser(t *testing.T, in string) []opinion {
	server := httptest.NewServer(http.FileServer(http.Dir(e.dir)))
	t.Cleanup(server.Close)
	b := browser.Open(t, server.URL+"/connect4.html")
	b.WaitFor("!!window.ask")
	browser.Eval[any](b, `document.getElementById("go").click()`)
	b.WaitFor(`document.getElementById("answer").textContent.includes('"best"')`)
	games, err := json.Marshal(strings.Split(strings.TrimSuffix(in, "\n"), "\n"))
	require.NoError(t, err)
	browser.Eval[any](b, fmt.Sprintf(`void window.ask(%s).then(all => { window.answers = all })`, games))
	b.WaitFor("!!window.answers")
	lines := browser.Eval[string](b, `window.answers.map(a => JSON.stringify(a) + "\n").join("")`)
	for _, said := range b.Complaints() {
		require.True(t, strings.HasPrefix(said, "request of "+server.URL+"/"), said)
	}
	return opinions(t, lines)
}

// buildC builds the C++ program, using the ONNX Runtime header from a Go module.
func (e exported) buildC(t *testing.T) string {
	said, err := exec.Command("go", "mod", "download", "-json", "github.com/yalue/onnxruntime_go@v1.27.0").Output()
	var headers struct{ Dir string }
	if err == nil {
		err = json.Unmarshal(said, &headers)
	}
	if err != nil {
		effort.NotChecked(t, "no header of ONNX Runtime: %v", err)
	}
	program, library := filepath.Join(e.dir, "native"), e.native(t)
	build := exec.Command("g++", "-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-I", headers.Dir,
		filepath.Join(e.dir, "connect4.cpp"), library, "-Wl,-rpath,"+filepath.Dir(library), "-o", program)
	if _, err := exec.LookPath("g++"); err != nil {
		effort.NotChecked(t, "%v", err)
	}
	said, err = build.CombinedOutput()
	require.NoError(t, err, "%s", said)
	return program
}

// TestExportedPlanes: the programs that use tiro to encode positions evaluate them as tiro
// analyze does, with history, with Black's rotated view and with three seats.
func TestExportedPlanes(t *testing.T) {
	for _, game := range []string{"coerceo", "pacru:players=3"} {
		t.Run(game, func(t *testing.T) {
			e := export(t, game, "bundled:"+game)
			name, _, _ := strings.Cut(game, ":")
			ways := waysOf(t, game, 100)
			want := analysed(t, game, "bundled", ways)
			var lines strings.Builder
			for _, way := range ways {
				text, err := json.Marshal(map[string]any{"moves": way})
				require.NoError(t, err)
				fmt.Fprintf(&lines, "%s\n", text)
			}
			planes := command(t, lines.String(), "moves", game, "--planes", "--model", "bundled")
			requireAgree(t, want, opinions(t, e.python(t, planes, "planes.py", name+".onnx")))
			requireAgree(t, want, opinions(t, e.run(t, planes, nil, "node", "planes.mjs", name+".onnx")))
		})
	}
}

// TestExportPage: docs/EXPORT.md links to every program, and a test covers its Go program.
func TestExportPage(t *testing.T) {
	page, err := os.ReadFile("../docs/EXPORT.md")
	require.NoError(t, err)
	example, err := os.ReadFile("../networks/example_test.go")
	require.NoError(t, err)
	_, body, _ := strings.Cut(string(example), "func ExampleOpener() {\n")
	body, _, _ = strings.Cut(body, "\t// Output:")
	require.Contains(t, string(page), "func main() {\n"+body+"}\n")
	require.NoError(t, filepath.WalkDir("../docs/export", func(path string, e os.DirEntry, err error) error {
		if !e.IsDir() {
			require.Contains(t, string(page), "("+strings.TrimPrefix(filepath.ToSlash(path), "../docs/")+")")
		}
		return err
	}))
}
