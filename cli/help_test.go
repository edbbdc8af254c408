package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"tiro/disk"
)

// commands returns cmd and all commands below it.
func commands(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, c := range cmd.Commands() {
		all = append(all, commands(c)...)
	}
	return all
}

// ofThisMachine matches flag defaults that depend on the machine.
var ofThisMachine = regexp.MustCompile(`(?m)^( +--(?:workers|threads|backend) .*) \(default [^()]*\)$`)

// TestHelpPages compares all help pages with testdata/help.golden, which -update rewrites.
func TestHelpPages(t *testing.T) {
	var pages strings.Builder
	for _, cmd := range commands(newRoot(shippedGames, disk.OS{})) {
		var page strings.Builder
		cmd.SetOut(&page)
		cmd.InitDefaultHelpFlag()
		require.NoError(t, cmd.Help())
		fmt.Fprintf(&pages, "==== %s\n%s\n", cmd.CommandPath(), ofThisMachine.ReplaceAllString(page.String(), "$1"))
	}
	const file = "testdata/help.golden"
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(pages.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), pages.String(), "help has changed; -update rewrites testdata/help.golden")
}

// TestHelp: every help page has lines that fit, names the argument of each flag, shows each
// default once, and has examples that the program accepts.
func TestHelp(t *testing.T) {
	const columns = 100
	for _, cmd := range commands(newRoot(shippedGames, disk.OS{})) {
		t.Run(cmd.CommandPath(), func(t *testing.T) {
			for line := range strings.Lines(cmd.Long) {
				require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), columns, line)
			}
			for line := range strings.Lines(cmd.Flags().FlagUsages()) {
				require.NotRegexp(t, `^ +(-\w, )?--[\w-]+ (string|strings|stringArray|ints|float64Slice) `, line, "the flag's usage needs an argument name in backquotes")
				require.NotRegexp(t, `^ +(-\w, )?--[\w-]+ [^ ]*[^ -~]`, line, "the flag's usage needs ASCII text: columns are counted in bytes")
				require.LessOrEqual(t, strings.Count(line, "(default"), 1, line)
			}
			requireCommands(t, cmd.Example)
		})
	}
}

// TestDocumentedCommands: the program accepts the commands shown in documents.
func TestDocumentedCommands(t *testing.T) {
	pages, err := filepath.Glob("../docs/*.md")
	require.NoError(t, err)
	measurements, err := filepath.Glob("../docs/measurements/*.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?ms)^```[\\w.]*\n(.*?)^```$")
	inTable := regexp.MustCompile("(?m)^\\|.*?`(bin/tiro [^`]*)`")
	for _, page := range append(append(pages, measurements...), "../README.md") {
		t.Run(filepath.Base(page), func(t *testing.T) {
			text, err := os.ReadFile(page)
			require.NoError(t, err)
			for _, block := range append(blocks.FindAllStringSubmatch(string(text), -1), inTable.FindAllStringSubmatch(string(text), -1)...) {
				requireCommands(t, block[1])
			}
		})
	}
}

// The parts of a command line: words, which may contain quotations, and operators.
var (
	quotation = regexp.MustCompile(`'[^']*'`)
	word      = regexp.MustCompile(`('[^']*'|[^\s'|&;<>()])+|[|&;<>()]`)
)

// requireCommands requires that the program accepts every call of it in a shell script.
func requireCommands(t *testing.T, script string) {
	script = quotation.ReplaceAllStringFunc(strings.ReplaceAll(script, "\\\n", " "), func(s string) string { return strings.ReplaceAll(s, "\n", " ") })
	for line := range strings.Lines(script) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "   ") // the rest explains the command
		begins, call := true, []string(nil)
		for _, w := range append(word.FindAllString(line, -1), ";") {
			switch operator := strings.ContainsAny(w[:1], "|&;<>()#"); {
			case begins && strings.TrimPrefix(w, "bin/") == "tiro":
				call = []string{}
			case operator && call != nil:
				requireCommandLine(t, call)
				call = nil
			case call != nil:
				call = append(call, strings.ReplaceAll(w, "'", ""))
			}
			begins = strings.ContainsAny(w[:1], "|&;(")
		}
	}
}
