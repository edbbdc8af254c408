package train_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/env/games"
	"tiro/format"
	"tiro/internal/effort"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/selfplay"
)

// formats is docs/FORMATS.md.
func formats(t *testing.T) string {
	text, err := os.ReadFile("../docs/FORMATS.md")
	require.NoError(t, err)
	return string(text)
}

// blocks returns the code blocks of a language in the text.
func blocks(text, language string) []string {
	var found []string
	for _, match := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(text, -1) {
		found = append(found, match[1])
	}
	return found
}

// unpacked returns the text of an episode file.
func unpacked(t *testing.T, path string) []byte {
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	decoder, err := zstd.NewReader(nil)
	require.NoError(t, err)
	defer decoder.Close()
	text, err := decoder.DecodeAll(data, nil)
	require.NoError(t, err)
	return text
}

// TestFormatsExamples: the examples are valid files.
func TestFormatsExamples(t *testing.T) {
	dir := t.TempDir()
	text := formats(t)
	c := recipe.Default("")
	require.NoError(t, c.Decode("FORMATS.md", []byte(blocks(text, "yaml")[0])))
	require.Equal(t, recipe.Default("mnk"), c)

	read := map[string]bool{}
	for _, block := range blocks(text, "json") {
		var h format.Header
		first, _, _ := strings.Cut(block, "\n")
		require.NoError(t, json.Unmarshal([]byte(first), &h))
		if strings.Count(first, ",") < 2 {
			continue // only a header
		}
		switch read[h.What] = true; h.What {
		case "tiro episodes":
			encoder, err := zstd.NewWriter(nil)
			require.NoError(t, err)
			_, episodes, err := selfplay.Read(bytes.NewReader(encoder.EncodeAll([]byte(block), nil)), games.New)
			require.NoError(t, err)
			require.Len(t, episodes, 1)
		case "tiro metrics":
			require.NoError(t, os.WriteFile(filepath.Join(dir, "metrics.jsonl"), []byte(block), 0o666))
			all, err := rundir.At(disk.OS{}, dir).Metrics()
			require.NoError(t, err)
			require.Len(t, all, 1)
		}
	}
	require.Equal(t, map[string]bool{"tiro episodes": true, "tiro metrics": true}, read)
}

// TestFormatsPython runs the program in the last section.
func TestFormatsPython(t *testing.T) {
	for _, program := range []string{"python3", "zstd"} {
		if _, err := exec.LookPath(program); err != nil {
			effort.NotChecked(t, "the Python of docs/FORMATS.md: %v", err)
		}
	}
	o := options(t.TempDir(), 2)
	run(t, o)
	out, err := exec.Command("python3", "-c", blocks(formats(t), "python")[0], o.Dir).CombinedOutput()
	require.NoError(t, err, string(out))
	require.Regexp(t, `^generation 1 games 40 policy loss \d\.\d+\ngeneration 2 games 40 policy loss \d\.\d+\nmnk parameters \d+\nmnk games 40 samples \d+\n$`, string(out))
}
