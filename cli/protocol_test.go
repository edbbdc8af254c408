package cli

import (
	"flag"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var updateTranscript = flag.Bool("update-transcript", false, "rewrite the answers of the transcript in docs/PROTOCOL.md")

// TestTranscript replays the transcript of docs/PROTOCOL.md.
func TestTranscript(t *testing.T) {
	const page = "../docs/PROTOCOL.md"
	data, err := os.ReadFile(page)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(data), "```ugi\n")
	require.True(t, ok)
	transcript, after, ok := strings.Cut(rest, "```\n")
	require.True(t, ok)
	engine := exec.Command("tiro", "engine", "tictactoe")
	in, err := engine.StdinPipe()
	require.NoError(t, err)
	out, err := engine.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, engine.Start())
	// An invalid command follows each command and waits for its search, so that the test can
	// attribute the answers. A search that takes seconds reports every second; only its last
	// report counts.
	var got strings.Builder
	for line := range strings.Lines(transcript) {
		command, sent := strings.CutPrefix(line, "→ ")
		if !sent {
			continue
		}
		got.WriteString(line)
		_, err := in.Write([]byte(command + "setoption\n"))
		require.NoError(t, err)
		report := ""
		for command != "quit\n" {
			answer := readAnswer(t, out)
			if strings.Contains(answer, "usage: setoption") {
				break
			}
			if strings.HasPrefix(answer, "info depth ") {
				report = "← " + answer
				continue
			}
			got.WriteString(report + "← " + answer)
			report = ""
		}
	}
	require.NoError(t, engine.Wait())
	if *updateTranscript {
		require.NoError(t, os.WriteFile(page, []byte(before+"```ugi\n"+got.String()+"```\n"+after), 0o600))
		return
	}
	changing := regexp.MustCompile(`(nps|time) \d+|id name .*`)
	require.Equal(t, changing.ReplaceAllString(transcript, "$1 …"), changing.ReplaceAllString(got.String(), "$1 …"))
}

// readAnswer returns the engine's next line.
func readAnswer(t *testing.T, out interface{ Read([]byte) (int, error) }) string {
	var line []byte
	for b := make([]byte, 1); len(line) == 0 || b[0] != '\n'; line = append(line, b[0]) {
		_, err := out.Read(b)
		require.NoError(t, err)
	}
	return string(line)
}
