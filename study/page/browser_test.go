package page

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// browser returns the path of Chromium. Where there is none, the test is skipped, but
// fails in CI.
func browser(t *testing.T) string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("no chromium; .ci/run installs it")
	}
	t.Skip("NOT TESTED in a browser: no chromium")
	return ""
}

// TestBrowser: in a real browser a page sends no request, reports no error, fits a phone
// and a desk, and its games can be replayed.
func TestBrowser(t *testing.T) {
	path := browser(t)
	for _, name := range []string{"mnk", "pacru:players=3", "coerceo"} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "mnk" {
				t.Skip("trains a larger game")
			}
			file := filepath.Join(t.TempDir(), "page.html")
			require.NoError(t, os.WriteFile(file, []byte(written(t, trained(t, name), rated())), 0o666))
			lookAt(t, path, file)
		})
	}
}

// lookAt opens a page.
func lookAt(t *testing.T, chromium, file string) {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.UserDataDir(t.TempDir()), chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	defer cancel()
	ctx, cancel = chromedp.NewContext(ctx)
	defer cancel()
	ctx, end := context.WithTimeout(ctx, time.Minute)
	defer end()
	var mu sync.Mutex
	var said []string
	require.NoError(t, chromedp.Do(ctx, chromedp.Navigate("about:blank")))
	require.NoError(t, chromedp.Listen(ctx, func(event any) {
		mu.Lock()
		defer mu.Unlock()
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			if url := e.Request.URL; url != "file://"+file && !strings.HasPrefix(url, "data:") {
				said = append(said, "request of "+url)
			}
		case *runtime.EventExceptionThrown:
			said = append(said, "exception: "+e.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			said = append(said, fmt.Sprintf("console %s", e.Type))
		case *log.EventEntryAdded:
			said = append(said, "log: "+e.Entry.Text)
		}
	}))
	require.NoError(t, chromedp.Do(ctx, chromedp.Navigate("file://"+file)))
	for _, width := range []int64{1200, 375} {
		require.NoError(t, chromedp.Do(ctx, chromedp.EmulateViewport(width, 800)))
		wide, err := chromedp.Run(ctx, chromedp.Evaluate[int64](`document.documentElement.scrollWidth`))
		require.NoError(t, err)
		out, err := chromedp.Run(ctx, chromedp.Evaluate[string](`[...document.querySelectorAll("body *")].filter(e => !e.closest(".scroll, svg, pre") && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.tagName + " " + e.className + " " + e.textContent.slice(0, 40)).join("; ")`))
		require.NoError(t, err)
		require.LessOrEqual(t, wide, width, "wider than the screen: "+out)
	}
	board := chromedp.Evaluate[string](`document.getElementById("board").innerHTML`)
	start, err := chromedp.Run(ctx, board)
	require.NoError(t, err)
	require.NotEmpty(t, start)
	next, err := chromedp.Run(ctx, chromedp.Evaluate[string](`document.getElementById("next").click(); document.getElementById("board").innerHTML`))
	require.NoError(t, err)
	require.NotEqual(t, start, next)
	opinion, err := chromedp.Run(ctx, chromedp.Evaluate[string](`document.getElementById("opinion").textContent`))
	require.NoError(t, err)
	require.Contains(t, opinion, "Ply 1, ")
	require.Contains(t, opinion, "network")
	over, err := chromedp.Run(ctx, chromedp.Evaluate[string](`document.getElementById("last").click(); document.getElementById("opinion").textContent`))
	require.NoError(t, err)
	require.Contains(t, over, "The game is over.")
	back, err := chromedp.Run(ctx, chromedp.Evaluate[string](`document.getElementById("first").click(); document.getElementById("board").innerHTML`))
	require.NoError(t, err)
	require.Equal(t, start, back)
	mu.Lock()
	defer mu.Unlock()
	require.Empty(t, said)
}
