package configs_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/configs"
)

// settings is a small configuration with a field of every kind.
type settings struct {
	Game   string        `yaml:"game"`
	Seed   uint64        `yaml:"seed"`
	Games  int           `yaml:"games_per_generation"`
	Memory configs.Bytes `yaml:"memory"`
	Disk   configs.Bytes `yaml:"disk"`
	Net    struct {
		Channels int  `yaml:"channels"`
		Blocks   int  `yaml:"blocks"`
		Pool     bool `yaml:"pool"`
	} `yaml:"net"`
	Learner struct {
		Rate  float64 `yaml:"rate"`
		Drops []drop  `yaml:"drops"`
	} `yaml:"learner"`
}

type drop struct {
	Step   int     `yaml:"step"`
	Factor float64 `yaml:"factor"`
}

// standard returns the settings before each test.
func standard() (s settings) {
	s.Game, s.Games, s.Memory, s.Disk = "mnk", 256, 4<<30, 20<<30
	s.Net.Channels, s.Net.Pool = 48, true
	s.Learner.Rate, s.Learner.Drops = 1e-3, []drop{}
	return s
}

// decode reads text, the content of x.yaml, into s.
func decode(text string, s *settings) error {
	d, err := configs.Parse("x.yaml", []byte(text))
	if err != nil {
		return err
	}
	return d.Decode(s)
}

// TestByteOrderMark: a byte order mark, which some editors write, is ignored.
func TestByteOrderMark(t *testing.T) {
	got := standard()
	require.NoError(t, decode("\ufeffseed: 9\n", &got))
	require.Equal(t, uint64(9), got.Seed)
	require.ErrorContains(t, decode("\xff\xfes\x00", &got), "UTF-16")
}

func TestDecode(t *testing.T) {
	got := standard()
	require.NoError(t, decode(`
game: mnk:m=4
memory: 1.5GB
disk: none
net: {channels: 32}
learner:
  rate: 1e-2
  drops: [{step: 1_000, factor: 0.5}]
`, &got))
	want := standard()
	want.Game, want.Memory, want.Disk = "mnk:m=4", 1_500_000_000, 0
	want.Net.Channels = 32
	want.Learner.Rate, want.Learner.Drops = 0.01, []drop{{Step: 1000, Factor: 0.5}}
	require.Equal(t, want, got)
}

func TestDecodeNamesEveryFault(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"unknown key", "net:\n  chanels: 32\n", "x.yaml:2:3: unknown key net.chanels; did you mean net.channels?"},
		{"wrong section", "channels: 32\n", "x.yaml:1:1: unknown key channels; did you mean net.channels?"},
		{"no idea", "net: {frobnicate: 1}", "x.yaml:1:7: unknown key net.frobnicate (channels, blocks, pool)"},
		{"nothing near", "bat: 1\n", "x.yaml:1:1: unknown key bat (game, seed, "},
		{"in a list", "learner:\n  drops:\n    - {stepp: 1}\n", "x.yaml:3:8: unknown key learner.drops[0].stepp; did you mean learner.drops[0].step?"},
		{"text for a number", "net:\n  channels: many\n", `x.yaml:2:13: net.channels is "many" but must be a whole number`},
		{"quoted number", `net: {channels: "32"}`, `x.yaml:1:17: net.channels is "32" but must be a whole number`},
		{"fraction", "net: {channels: 3.5}", `x.yaml:1:17: net.channels is "3.5" but must be a whole number`},
		{"number for a truth", "net: {pool: 1}", `x.yaml:1:13: net.pool is "1" but must be true or false`},
		{"number for text", "game: 12", `x.yaml:1:7: game is "12" but must be text`},
		{"not a number", "learner: {rate: .nan}", "x.yaml:1:17: learner.rate is"},
		{"quoted rate", "learner: {rate: '0.1'}", "x.yaml:1:17: learner.rate is"},
		{"infinite rate", "learner: {rate: inf}", "x.yaml:1:17: learner.rate is"},
		{"empty value", "seed:\n", "x.yaml:1:7: seed is empty but must be a whole number"},
		{"empty section", "net:\n", "x.yaml:1:6: net is empty but must be a section with the keys channels, blocks, pool"},
		{"number for a section", "net: 3", `x.yaml:1:6: net is "3" but must be a section`},
		{"section for a number", "seed: {a: 1}", "x.yaml:1:7: seed is a section but must be a whole number"},
		{"section for a list", "learner: {drops: {step: 1}}", "x.yaml:1:18: learner.drops is a section but must be a list"},
		{"list for a section", "- 1\n", "x.yaml:1:1: the file is a list but must be a section"},
		{"no unit", "memory: 2", `x.yaml:1:9: memory is "2" but must be an amount such as 2GiB, 1.5GB or 512MiB (at most 1024TiB), or none`},
		{"wrong unit", "disk: 2 gb", `x.yaml:1:7: disk is "2 gb" but must be an amount such as 2GiB`},
		{"negative amount", "disk: -2GB", `disk is "-2GB" but must be an amount`},
		{"too large an amount", "disk: 2000TiB", `disk is "2000TiB" but must be an amount such as 2GiB, 1.5GB or 512MiB (at most 1024TiB)`},
		{"section for an amount", "disk: {a: 1}", "disk is a section but must be an amount"},
		{"quoted number for an amount", "disk: '2'", `disk is "2" but must be an amount`},
		{"negative", "seed: -1", `x.yaml:1:7: seed is "-1" but must be a whole number of at least 0`},
		{"too large", "games_per_generation: 18446744073709551615", `x.yaml:1:23: games_per_generation is "18446744073709551615" but must be a whole number`},
		{"huge", "seed: 99999999999999999999999", `x.yaml:1:7: seed is "99999999999999999999999" but must be a whole number of at least 0`},
		{"twice", "seed: 1\nseed: 2\n", `x.yaml:2:1: mapping key "seed" already defined`},
		{"broken", "net: {channels: 3", "x.yaml:1:"},
		{"alias", "game: &a mnk\n", "anchor, alias or tag"},
		{"another section's, in a list", "learner:\n  drops:\n    - {seed: 1}\n", "unknown key learner.drops[0].seed (step"},
		{"merge", "<<: {seed: 1}\n", "x.yaml:1:1: unknown key <<"},
		{"long value", "seed: " + strings.Repeat("a", 1000), `x.yaml:1:7: seed is "` + strings.Repeat("a", 60) + `" but must be`},
		{"long file", strings.Repeat("#\n", 40_000), "x.yaml: 80000 bytes"},
		{"empty file", "", "x.yaml: not exactly one YAML document"},
		{"two documents", "seed: 1\n---\nseed: 2\n", "x.yaml: not exactly one YAML document"},
		{
			"several", "sed: 1\nnet: {chanels: 2, pool: 3}\n",
			"x.yaml:1:1: unknown key sed; did you mean seed?\nx.yaml:2:7: unknown key net.chanels; did you mean net.channels?\nx.yaml:2:25: net.pool is \"3\" but must be true or false",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := standard()
			err := decode(test.text, &c)
			require.ErrorContains(t, err, test.want)
			if test.name != "several" {
				require.NotContains(t, err.Error(), "\n")
			}
			require.Equal(t, standard(), c, "unchanged")
		})
	}
}

func TestSet(t *testing.T) {
	c := standard()
	for _, assignment := range []string{
		"net.channels=32", "net.pool=false", "learner.rate=5e-4", "game=mnk:m=5,n=5,k=4",
		"memory=0", "disk=100GB", "learner.drops=[{step: 100, factor: 0.5}]", "seed=9",
	} {
		require.NoError(t, configs.Set(&c, assignment), assignment)
	}
	want := standard()
	want.Game = "mnk:m=5,n=5,k=4"
	want.Net.Channels, want.Net.Pool = 32, false
	want.Memory, want.Disk = 0, 100e9
	want.Learner.Rate = 5e-4
	want.Learner.Drops = []drop{{Step: 100, Factor: 0.5}}
	want.Seed = 9
	require.Equal(t, want, c)
}

func TestSetNamesTheFault(t *testing.T) {
	tests := []struct{ assignment, want string }{
		{"net.chanels=32", `set "net.chanels=32": unknown key net.chanels; did you mean net.channels?`},
		{"channels=32", "unknown key channels; did you mean net.channels?"},
		{"net.channels=many", `net.channels is "many" but must be a whole number`},
		{"net.channels", "KEY=VALUE"},
		{"net.channels=", "KEY=VALUE"},
		{"=3", "KEY=VALUE"},
		{"net..channels=3", "is not a key"},
		{"net: {pool=1", "is not a key"},
		{"net=3", `net is "3" but must be a section`},
		{"seed=1\ngame=x", "KEY=VALUE"},
		{"seed=[", "is not a value"},
		{"seed=-1", `seed is "-1" but must be a whole number of at least 0`},
	}
	for _, test := range tests {
		t.Run(test.assignment, func(t *testing.T) {
			c := standard()
			err := configs.Set(&c, test.assignment)
			require.ErrorContains(t, err, test.want)
			require.NotContains(t, err.Error(), "\n")
			require.Equal(t, standard(), c)
		})
	}
}

// TestDecodeOfHostileText: deep nesting and aliases that expand are rejected before they take
// much memory.
func TestDecodeOfHostileText(t *testing.T) {
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
		{"brackets", fill("["), "65526 opening brackets"},
		{"brackets that close", strings.Repeat("[", 1<<15) + strings.Repeat("]", 1<<15), "32768 opening brackets"},
		{"braces", fill("{"), "opening brackets"},
		{"sections in one line", fill("{a: "), "opening brackets"},
		{"lists in lists", fill("- "), "a line of 65526 bytes"},
		{"lists in lists on many lines", lines("- "), "x.yaml:"},
		{"keys of keys", lines("? "), "x.yaml:"},
		{"anchors", lines("&a "), "x.yaml:"},
		{"tags", lines("!a "), "x.yaml:"},
		{"sections in sections", indented, "unknown key a"},
		{"colons", lines(":"), "x.yaml:"},
		{"lines of text", fill("|\n"), "x.yaml:"},
		{"documents", fill("---\n"), "one YAML document"},
		{"directives", fill("%a\n"), "x.yaml:"},
		{"a long number", "seed: " + strings.Repeat("9", 3900), "a whole number of at least 0"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := standard()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := decode(test.text, &c)
			runtime.ReadMemStats(&after)
			require.ErrorContains(t, err, test.want)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(200<<20))
		})
	}
}

func TestChanges(t *testing.T) {
	before, after := standard(), standard()
	require.Empty(t, configs.Changes(&before, &after))
	after.Net.Channels, after.Learner.Drops, after.Disk = 32, []drop{{Step: 100, Factor: 0.5}}, 0
	var texts []string
	for _, change := range configs.Changes(&before, &after) {
		texts = append(texts, change.String())
	}
	require.Equal(t, []string{
		"disk was 20GiB, is none", "net.channels was 48, is 32", "learner.drops was [], is [{step: 100, factor: 0.5}]",
	}, texts)
	assignments := configs.Assignments(&before, &after)
	require.Equal(t, []string{"disk=none", "net.channels=32", "learner.drops=[{step: 100, factor: 0.5}]"}, assignments)
	for _, a := range assignments {
		require.NoError(t, configs.Set(&before, a))
	}
	require.Equal(t, after, before)
}
