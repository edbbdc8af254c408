package train_test

import (
	"context"
	"io"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/disk/disktest"
	"tiro/format"
	"tiro/train"
)

// TestHostileConfigs: what is nested deep, and what would grow by aliases, is
// refused before it takes memory.
func TestHostileConfigs(t *testing.T) {
	fill := func(text string) string { return strings.Repeat(text, (1<<16-10)/len(text)) }
	lines := func(text string) string {
		return strings.Repeat(strings.Repeat(text, 3900/len(text))+"\n", 16)
	}
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c <= 'z'; c++ {
		before := "*" + string(c-1)
		bomb += string(c) + ": &" + string(c) + " [" + strings.Repeat(before+",", 8) + before + "]\n"
	}
	indented := ""
	for i := range 340 {
		indented += strings.Repeat(" ", i) + "a:\n"
	}
	tests := []struct{ name, text, want string }{
		{"aliases of aliases", bomb, "unknown key a"},
		{"brackets", fill("["), "65526 opening brackets; want at most 1000"},
		{"brackets that close", strings.Repeat("[", 1<<15) + strings.Repeat("]", 1<<15), "32768 opening brackets"},
		{"braces", fill("{"), "opening brackets"},
		{"sections in one line", fill("{a: "), "opening brackets"},
		{"lists in lists", fill("- "), "a line of 65526 bytes; want at most 4000"},
		{"lists in lists on many lines", lines("- "), "x.yaml:"},
		{"keys of keys", lines("? "), "x.yaml:"},
		{"anchors", lines("&a "), "x.yaml:"},
		{"tags", lines("!a "), "x.yaml:"},
		{"sections in sections", indented, "unknown key a"},
		{"colons", lines(":"), "x.yaml:"},
		{"lines of text", fill("|\n"), "x.yaml:"},
		{"documents", fill("---\n"), "want one YAML document"},
		{"directives", fill("%a\n"), "x.yaml:"},
		{"a long number", "seed: " + strings.Repeat("9", 3900), "want a whole number from 0"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := train.Default("mnk")
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := c.Decode("x.yaml", []byte(test.text))
			runtime.ReadMemStats(&after)
			require.ErrorContains(t, err, test.want)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(200<<20))
		})
	}
}

// FuzzRun puts anything in place of one file of a run. What Verify finds nothing
// wrong with goes on, and so does what Repair has mended; everything else is
// refused in words.
func FuzzRun(f *testing.F) {
	fsys := disktest.New()
	require.NoError(f, train.Run(context.Background(), crashOptions(fsys)))
	files := filesOf(f, fsys, "run")
	names := slices.Sorted(maps.Keys(files))
	for i, name := range names {
		f.Add(uint8(i), []byte(files[name]))
		f.Add(uint8(i), []byte(files[name][:len(files[name])/2]))
		f.Add(uint8(i), []byte(strings.Replace(files[name], "1", "2", 1)))
	}
	f.Fuzz(func(t *testing.T, n uint8, data []byte) {
		name := names[int(n)%len(names)]
		fsys := disktest.New()
		for name, text := range files {
			put(t, fsys, name, []byte(text))
		}
		put(t, fsys, name, data)
		goesOn := func() {
			err := train.Run(context.Background(), crashOptions(fsys))
			// A configuration may become that of another run, or of none.
			if !format.OtherVersion(err) && filepath.Base(name) != "config.yaml" {
				require.NoError(t, err, name)
			}
		}
		o := train.VerifyOptions{Path: "run", Find: findGame, Disk: fsys, Workers: 1}
		report, err := train.Verify(context.Background(), o)
		require.NoError(t, err)
		if report.Whole() {
			goesOn()
			return
		}
		_ = train.Run(context.Background(), crashOptions(fsys))
		if _, err = train.Repair(context.Background(), o); err == nil {
			goesOn()
		}
	})
}

// put writes a file and the folders that it is in.
func put(t testing.TB, fsys disk.FS, path string, data []byte) {
	require.NoError(t, fsys.MkdirAll(filepath.Dir(path)))
	require.NoError(t, disk.WriteFile(fsys, path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}))
}
