package env_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAbilitiesAreListed: the package comment lists every optional interface.
func TestAbilitiesAreListed(t *testing.T) {
	comment, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	declared := regexp.MustCompile(`(?m)^type ([A-Z]\w+) interface \{$`)
	abilities := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, d := range declared.FindAllStringSubmatch(string(source), -1) {
			if ability := d[1]; !slices.Contains([]string{"Game", "State"}, ability) {
				abilities++
				require.Regexp(t, `(?m)^//\t  `+ability+` +\S`, string(comment))
			}
		}
	}
	require.Greater(t, abilities, 10)
}
