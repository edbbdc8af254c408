// Package browser opens pages in Chromium, for tests, and collects their errors.
package browser

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"tiro/internal/effort"
)

// Browser is a Chromium with one page.
type Browser struct {
	t   testing.TB
	ctx context.Context
	own string

	mu         sync.Mutex
	complaints []string
}

// limit is how long a page may be open. It is a safety net for pages that never reach the
// state that a test waits for, and allows for a machine that is ten times slower.
const limit = 15 * time.Minute

// Open opens the address own. Without Chromium the test is skipped, or fails if CI is set.
func Open(t testing.TB, own string) *Browser {
	path := find(t)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.UserDataDir(t.TempDir()), chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	page, _, _ := strings.Cut(own, "#")
	b := &Browser{t: t, own: page}
	b.ctx, cancel = context.WithTimeout(ctx, limit)
	t.Cleanup(cancel)
	require.NoError(t, chromedp.Do(b.ctx, chromedp.Navigate("about:blank")))
	require.NoError(t, chromedp.Listen(b.ctx, b.listen))
	require.NoError(t, chromedp.Do(b.ctx, chromedp.Navigate(own)))
	return b
}

// find returns the path of Chromium.
func find(t testing.TB) string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	effort.NotChecked(t, "pages: Chromium is not installed; .ci/run installs it")
	return ""
}

// listen records exceptions, console messages and requests of other addresses.
func (b *Browser) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if url := e.Request.URL; !strings.HasPrefix(url, b.own) && !strings.HasPrefix(url, "data:") {
			b.complaints = append(b.complaints, "request of "+url)
		}
	case *runtime.EventExceptionThrown:
		b.complaints = append(b.complaints, "exception: "+e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		b.complaints = append(b.complaints, fmt.Sprintf("console %s", e.Type))
	case *log.EventEntryAdded:
		b.complaints = append(b.complaints, "log: "+e.Entry.Text)
	}
}

// Complaints returns the errors so far: exceptions, console messages, and requests of
// addresses that do not begin with Open's own.
func (b *Browser) Complaints() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string{}, b.complaints...)
}

// Eval returns the value of a JavaScript expression.
func Eval[T any](b *Browser, expression string) T {
	b.t.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	require.NoError(b.t, err, expression)
	return value
}

// WaitFor waits until a JavaScript expression is true.
func (b *Browser) WaitFor(expression string) {
	b.t.Helper()
	for !Eval[bool](b, expression) {
		select {
		case <-b.ctx.Done():
			require.FailNow(b.t, "never true", expression)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Reload reloads the page.
func (b *Browser) Reload() { require.NoError(b.t, chromedp.Do(b.ctx, chromedp.Reload())) }

// Navigate navigates to url.
func (b *Browser) Navigate(url string) {
	require.NoError(b.t, chromedp.Do(b.ctx, chromedp.Navigate(url)))
}

// Resize sets the size of the page in pixels.
func (b *Browser) Resize(width, height int64) {
	require.NoError(b.t, chromedp.Do(b.ctx, chromedp.EmulateViewport(width, height)))
}

// Fits resizes the page and requires that no element extends beyond its width.
func (b *Browser) Fits(width, height int64) {
	b.t.Helper()
	b.Resize(width, height)
	out := Eval[string](b, `[...document.querySelectorAll("body *")].filter(e => !e.closest(".scroll, svg, pre, dialog:not([open])") && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.tagName + " " + e.className + " " + e.textContent.slice(0, 40)).join("; ")`)
	require.LessOrEqual(b.t, Eval[int64](b, `document.documentElement.scrollWidth`), width, "wider than the screen: "+out)
}

// Screenshot returns a screenshot of the page as PNG.
func (b *Browser) Screenshot() []byte {
	picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	require.NoError(b.t, err)
	return picture
}

// Dark sets the user's preference for dark colours.
func (b *Browser) Dark(dark bool) {
	scheme := map[bool]string{true: "dark", false: "light"}[dark]
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
	require.NoError(b.t, chromedp.Do(b.ctx, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
		return err
	})))
}
