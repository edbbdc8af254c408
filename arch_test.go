package tiro_test

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// layers is the picture of docs/ARCHITECTURE.md: a package imports packages of
// lower layers and of its own top folder, nothing else of this module.
var layers = map[string]int{
	"disk":     0,
	"format":   0,
	"internal": 0,
	"env":      1,
	"configs":  1,
	"mcts":     2,
	"net":      3,
	"player":   3,
	"selfplay": 4,
	"arena":    4,
	"models":   4,
	"replay":   5,
	"rundir":   6,
	"recipe":   7,
	"fsck":     8,
	"networks": 8,
	"train":    9,
	"study":    10,
	"cluster":  10,
	"play":     9,
	"web":      11,
	"cli":      12,
	"cmd":      13,
	"scripts":  12,
}

// edge is one import: package from, a folder of this module, imports to, which
// is a folder of this module too if inside is set, else an import path.
type edge struct {
	from, to string
	inside   bool
	test     bool // in a test file
	file     string
}

func (e edge) String() string {
	return fmt.Sprintf("%s imports %s (%s)", e.from, e.to, e.file)
}

// fault describes the violation of an import rule, or returns "" if the edge is allowed.
func (e edge) fault() string {
	if !e.inside {
		if strings.HasPrefix(e.to, "gorgonia.org/") && e.from != "net/graph" {
			return "only net/graph may import Gorgonia"
		}
		if strings.HasPrefix(e.to, "github.com/nats-io/") && e.from != "cluster" {
			return "only cluster may import NATS"
		}
		if e.to == "github.com/ebitengine/purego" && e.from != "net/opencl/cl" {
			return "only net/opencl/cl may import purego"
		}
		return ""
	}
	from, to := top(e.from), top(e.to)
	switch {
	case (from == "selfplay" || from == "arena" || from == "player") && to == "net":
		return from + " is handed an evaluator or a player and knows no network"
	case isGame(e.from) && e.to != "env" && e.to != "env/grid" && e.to != "internal/portable" && !within(e.to, e.from) && (!e.test || e.to != "env/envtest" && e.to != "internal/effort"):
		return "a game imports env, env/grid and internal/portable only"
	case isGame(e.to) && !within(e.from, e.to) && !e.test && !within(e.from, "env/games"):
		return "only env/games knows the games; ask for an ability of package env"
	case e.from == "env" && !e.test && e.to != "internal/suggest":
		return "env imports nothing of this module but internal/suggest"
	case e.to == "env/games" && !e.test && from != "cmd" && from != "scripts":
		return "the games are chosen by main; take an env.Lookup or an env.Table"
	case (e.to == "internal/screen" || e.to == "internal/browser") && !e.test:
		return "only tests need a terminal emulator or a browser"
	case from == to:
		return ""
	case layers[to] >= layers[from]:
		return fmt.Sprintf("imports point down only: %s is layer %d, %s is layer %d", from, layers[from], to, layers[to])
	}
	return ""
}

// isGame reports whether dir belongs to a game: everything below env but the
// table of names, the parts that games share, the conformance suite and the
// count of turns.
func isGame(dir string) bool {
	return strings.HasPrefix(dir, "env/") && !within(dir, "env/games") && !within(dir, "env/grid") && !within(dir, "env/envtest") && !within(dir, "env/perft")
}

func within(dir, parent string) bool {
	return dir == parent || strings.HasPrefix(dir, parent+"/")
}

func top(dir string) string {
	first, _, _ := strings.Cut(dir, "/")
	return first
}

// goFiles returns every Go file of the module, whatever its build tags.
func goFiles(t *testing.T) []string {
	var files []string
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			_, nested := os.Stat(filepath.Join(name, "go.mod"))
			if name != "." && (nested == nil || strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "node_modules") {
				return filepath.SkipDir
			}
			return nil
		}
		if path.Ext(name) == ".go" {
			files = append(files, filepath.ToSlash(name))
		}
		return nil
	})
	require.NoError(t, err)
	return files
}

// imports returns every import of every Go file of the module.
func imports(t *testing.T) []edge {
	var edges []edge
	for _, name := range goFiles(t) {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, spec := range file.Imports {
			to, err := strconv.Unquote(spec.Path.Value)
			require.NoError(t, err)
			to, inside := strings.CutPrefix(to, "tiro/")
			edges = append(edges, edge{path.Dir(name), to, inside, strings.HasSuffix(name, "_test.go"), name})
		}
	}
	return edges
}

// TestArchitecturePicture: the picture in docs/ARCHITECTURE.md has a line for each
// package of the module, on its layer, and no other lines. A line without a
// number belongs to the layer of the line above it.
func TestArchitecturePicture(t *testing.T) {
	want := map[string]int{}
	for _, name := range goFiles(t) {
		if dir := path.Dir(name); dir != "." && !strings.HasSuffix(name, "_test.go") {
			want[dir] = layers[top(dir)]
		}
	}
	text, err := os.ReadFile("docs/ARCHITECTURE.md")
	require.NoError(t, err)
	_, text, found := bytes.Cut(text, []byte("```\n"))
	require.True(t, found)
	picture, _, _ := bytes.Cut(text, []byte("```\n"))
	drawn, layer := map[string]int{}, 0
	for line := range strings.Lines(string(picture)) {
		words := strings.Fields(line)
		require.NotEmpty(t, words)
		if n, err := strconv.Atoi(words[0]); err == nil {
			layer, words = n, words[1:]
		}
		require.NotContains(t, drawn, words[0])
		drawn[words[0]] = layer
	}
	require.Equal(t, want, drawn)
}

func TestImportsPointDown(t *testing.T) {
	edges := imports(t)
	require.NotEmpty(t, edges)
	for _, e := range edges {
		if e.from != "." {
			require.Contains(t, layers, top(e.from), "%s: give its top folder a layer", e.file)
		}
		if why := e.fault(); why != "" {
			t.Errorf("%s: %s", e, why)
		}
	}
}

// TestLayersAreReal fails when the picture names a folder that is gone.
func TestLayersAreReal(t *testing.T) {
	for dir := range layers {
		info, err := os.Stat(dir)
		require.NoError(t, err)
		require.True(t, info.IsDir(), dir)
	}
}

func TestEdgeFaults(t *testing.T) {
	good := []edge{
		{from: "env/games", to: "env/mnk", inside: true},
		{from: "env/mnk", to: "env/envtest", inside: true, test: true},
		{from: "env/mnk", to: "internal/effort", inside: true, test: true},
		{from: "env/mnk", to: "internal/portable", inside: true},
		{from: "env/mnk", to: "env/grid", inside: true},
		{from: "train", to: "selfplay", inside: true},
		{from: "net/graph", to: "net/kernel", inside: true},
		{from: "cli", to: "internal/screen", inside: true, test: true},
		{from: "net/graph", to: "gorgonia.org/gorgonia"},
		{from: "cluster", to: "github.com/nats-io/nats.go"},
		{from: "net/opencl/cl", to: "github.com/ebitengine/purego"},
		{from: "cli", to: "cluster", inside: true},
		{from: "cmd/tiro", to: "env/games", inside: true},
		{from: "cmd/page", to: "env/games", inside: true},
		{from: "cli", to: "env/games", inside: true, test: true},
	}
	bad := []edge{
		{from: "env/mnk", to: "env/connect4", inside: true},
		{from: "env/mnk", to: "internal/faults", inside: true},
		{from: "env/mnk", to: "env/envtest", inside: true},
		{from: "env", to: "env/games", inside: true},
		{from: "mcts", to: "net", inside: true},
		{from: "selfplay", to: "net", inside: true},
		{from: "arena", to: "net/kernel", inside: true, test: true},
		{from: "train", to: "play", inside: true},
		{from: "cli", to: "env/coerceo", inside: true},
		{from: "cli", to: "env/games", inside: true},
		{from: "web/host", to: "env/games", inside: true},
		{from: "cli", to: "internal/screen", inside: true},
		{from: "net", to: "gorgonia.org/tensor"},
		{from: "net/opencl", to: "github.com/ebitengine/purego"},
		{from: "train", to: "cluster", inside: true},
		{from: "cli", to: "github.com/nats-io/nats-server/v2/server"},
	}
	for _, e := range slices.Concat(good, bad) {
		require.Equal(t, slices.Contains(bad, e), e.fault() != "", e.String())
	}
}
