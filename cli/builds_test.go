package cli

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/internal/effort"
	"tiro/net/kernel"
)

// TestBuilds builds tiro in ways that make the compiler and package math round differently, and
// compares the trained runs.
func TestBuilds(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program again")
	}
	t.Run("without fused arithmetic in package math", func(t *testing.T) {
		require.Equal(t, trained(t, "go", "tiro"), trained(t, "go", "env", "GODEBUG=cpu.fma=off", "tiro"))
	})
	arm := buildTiro(t, "GOARCH=arm64") // has fused instructions, as GOAMD64=v3 does
	t.Run("no fused arithmetic", func(t *testing.T) { require.Empty(t, fused(t, arm)) })
	t.Run("static", func(t *testing.T) {
		file, err := elf.Open(arm)
		require.NoError(t, err)
		defer file.Close()
		for _, p := range file.Progs {
			require.NotEqual(t, elf.PT_INTERP, p.Type)
		}
	})
	t.Run("GOARCH=arm64", func(t *testing.T) {
		if runtime.GOARCH == "arm64" {
			t.Skip("is this test's program")
		}
		emulator, err := exec.LookPath("qemu-aarch64-static")
		if err != nil {
			emulator, err = exec.LookPath("qemu-aarch64")
		}
		if err != nil {
			effort.NotChecked(t, "arm64: %v; Debian has it in qemu-user-static", err)
		}
		here, there := kernel.Best().Name(), "neon"
		if kernel.Best().Bits() == "go" {
			there = "go"
		}
		require.Equal(t, trained(t, here, "tiro"), trained(t, there, emulator, arm))
	})
}

// buildTiro builds a static tiro for Linux with an environment variable. qemu has no C library
// for a program that can use graphics cards.
func buildTiro(t *testing.T, variable string) string {
	file := filepath.Join(t.TempDir(), "tiro")
	cmd := exec.Command("go", "build", "-tags", "nogpu", "-o", file, "../cmd/tiro")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", variable)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return file
}

// fused lists the instructions in functions of this module, compiled for arm64, that round a
// product and a sum once, with their functions and lines. The compiler may emit such an
// instruction for every x*y + z.
func fused(t *testing.T, file string) []string {
	out, err := exec.Command("go", "tool", "objdump", "-s", "^tiro/", file).Output()
	require.NoError(t, err)
	instruction := regexp.MustCompile(`\sFN?M(ADD|SUB)[SD]\s`)
	var found []string
	forPeople := regexp.MustCompile(`^tiro/(study|arena/rating)|^tiro/arena\..* (sprt|pooled)\.go`) // statistics
	function, functions := "", 0
	for line := range strings.Lines(string(out)) {
		if name, ok := strings.CutPrefix(line, "TEXT "); ok {
			function, _, _ = strings.Cut(name, "(SB)")
			functions++
		} else if instruction.MatchString(line) {
			if at := function + " " + strings.Fields(line)[0]; !forPeople.MatchString(at) {
				found = append(found, at)
			}
		}
	}
	require.Greater(t, functions, 1000)
	return slices.Compact(found)
}

// ofBuild matches the parts of a run folder that depend on the machine and the build: the
// comments of config.yaml, the machine in metrics.jsonl, and version names.
var ofBuild = regexp.MustCompile(`(?m)^#.*$|,"machine":.*|"tiro": *"[^"]*"`)

// configsOfBuilds are the configurations that every build trains. Together they cover both
// searches, both optimizers, the ownership head, and games with two and with more seats.
var configsOfBuilds = map[string]string{
	"gumbel": `
game: shacru:players=3,maxturns=8
games_per_generation: 2
net: {channels: 8, blocks: 1, outcome_channels: 2, hidden: 8, ownership: true}
selfplay: {concurrent_games: 2, search: {simulations: 4}}
replay: {sample_reuse: 0.5}
learner: {batch_size: 16}
`,
	"puct": `
game: mnk:m=5,n=5,k=4
games_per_generation: 3
net: {channels: 8, blocks: 1, outcome_channels: 2, hidden: 0}
selfplay: {concurrent_games: 2, search: {root: puct, simulations: 6}}
replay: {sample_reuse: 0.5}
learner: {batch_size: 16}
`,
}

// trained runs a program that trains on a backend, and returns the checksums of the files in
// the run folders.
func trained(t *testing.T, backend string, command ...string) map[string]string {
	dir := t.TempDir()
	for name, config := range configsOfBuilds {
		file := filepath.Join(dir, name+".yaml")
		require.NoError(t, os.WriteFile(file, []byte(config), 0o600))
		args := append(slices.Clone(command[1:]), "train", "--config", file, "--run", filepath.Join(dir, name),
			"--generations", "2", "--backend", backend, "--workers", "2")
		out, err := exec.Command(command[0], args...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	files := map[string]string{}
	root := os.DirFS(dir)
	require.NoError(t, fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) == ".yaml" || strings.HasPrefix(d.Name(), "log.") {
			return err
		}
		data, err := fs.ReadFile(root, name)
		if !bytes.ContainsRune(data, 0) {
			data = ofBuild.ReplaceAll(data, nil)
		}
		files[name] = fmt.Sprintf("%x", sha256.Sum256(data))
		return err
	}))
	require.Greater(t, len(files), 20)
	return files
}
