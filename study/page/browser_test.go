package page

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/internal/browser"
	"tiro/internal/effort"
)

// TestBrowser: in a real browser a page sends no request, reports no error, fits a phone
// and a desk, and its games can be replayed.
func TestBrowser(t *testing.T) {
	for _, name := range []string{"mnk", "pacru:players=3", "coerceo"} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "mnk" || name == "coerceo" && !effort.Long() {
				t.Skip("trains a larger game")
			}
			file := filepath.Join(t.TempDir(), "page.html")
			require.NoError(t, os.WriteFile(file, []byte(written(t, trained(t, name), rated())), 0o666))
			lookAt(t, file)
		})
	}
}

// lookAt opens a page.
func lookAt(t *testing.T, file string) {
	b := browser.Open(t, "file://"+file)
	for _, width := range []int64{1200, 375} {
		b.Fits(width, 800)
	}
	const board = `document.getElementById("board").innerHTML`
	start := browser.Eval[string](b, board)
	require.NotEmpty(t, start)
	require.NotEqual(t, start, browser.Eval[string](b, `document.getElementById("next").click(); `+board))
	opinion := browser.Eval[string](b, `document.getElementById("opinion").textContent`)
	require.Contains(t, opinion, "Ply 1, ")
	require.Contains(t, opinion, "network")
	require.Contains(t, browser.Eval[string](b, `document.getElementById("last").click(); document.getElementById("opinion").textContent`), "The game is over.")
	require.Equal(t, start, browser.Eval[string](b, `document.getElementById("first").click(); `+board))
	require.Empty(t, b.Complaints())
}
