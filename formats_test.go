package tiro_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFormats: the table of docs/FORMATS.md has each kind of file, with the
// format that the program writes.
func TestFormats(t *testing.T) {
	page, err := os.ReadFile("docs/FORMATS.md")
	require.NoError(t, err)
	header := regexp.MustCompile(`format\.Header\{Format: (\d+), What: "([^"]+)"\}`)
	kinds := map[string]bool{}
	for _, name := range goFiles(t) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, h := range header.FindAllSubmatch(source, -1) {
			kinds[string(h[2])] = true
			row := fmt.Sprintf("(?m)^\\|.*`%s`.*\\| %s \\|$", regexp.QuoteMeta(string(h[2])), h[1])
			require.Regexp(t, row, string(page), "%s writes %s, format %s", name, h[2], h[1])
		}
	}
	require.LessOrEqual(t, len(kinds), 15, "few formats are easier to keep than many")
}
