//go:build linux

package cli

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/internal/screen"
)

// escape matches control sequences of colours.
var escape = regexp.MustCompile("\x1b\\[[0-9;]*m")

// TestProgressFitsTheTerminal: on terminals of 80 and 40 columns, no line of progress exceeds
// the width, in a new run and in a run resumed within a generation.
func TestProgressFitsTheTerminal(t *testing.T) {
	for _, columns := range []int{80, 40} {
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			dir := t.TempDir()
			args := []string{"train", "connect4", "--run", dir, "--set", "games_per_generation=400", "--set", "learner.batch_size=64"}
			for _, name := range []string{"new", "resumed"} {
				tiro := exec.Command("tiro", args...)
				tiro.Dir, tiro.Env = dir, append(os.Environ(), "NO_COLOR=1")
				term := screen.Start(t, tiro, columns, 24)
				text := term.WaitUntil("games of the "+name+" run that are over", func(text string) bool {
					return regexp.MustCompile(`self-play [1-9]\d*/400`).MatchString(text) && strings.Contains(text, "% |")
				})
				if name == "resumed" {
					require.Regexp(t, `INF [1-9]\d* of 400 games of generation 1 are saved`, strings.Join(strings.Fields(escape.ReplaceAllString(term.Raw(), "")), " "))
				}
				for line := range strings.Lines(text) {
					if strings.Contains(line, "% |") {
						require.Contains(t, line, "self-play ")
						require.NotContains(t, line, "||")
					}
				}
				term.Resize(40, 24)
				term.Type("\x03")
				require.Equal(t, exitInterrupted, term.Wait())
				for line := range strings.SplitSeq(term.Raw(), "\r") {
					if bar := strings.TrimPrefix(line, "\n"); strings.Contains(bar, "% |") {
						require.Less(t, len([]rune(bar)), columns, line)
					}
				}
			}
		})
	}
}
