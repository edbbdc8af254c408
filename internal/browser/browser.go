// Package browser opens pages in Chromium, for tests, and collects their errors.
package browser

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/internal/effort"
)

// Browser is a Chromium with one page. It speaks the Chrome DevTools Protocol, JSON messages
// that end with a NUL, through a pair of pipes.
type Browser struct {
	t       testing.TB
	own     string
	session string        // of the page
	to      *os.File      // commands
	ended   chan struct{} // closed when Chromium has ended
	limit   <-chan time.Time

	mu         sync.Mutex
	sent       int // number of commands
	replies    map[int]chan message
	loaded     chan struct{} // receives when the page is loaded
	complaints []string
}

// message is a reply to a command, or an event.
type message struct {
	ID     int             `json:"id"`
	Error  json.RawMessage `json:"error"`
	Result json.RawMessage `json:"result"`

	Method string `json:"method"`
	Params struct {
		Request          struct{ URL string }
		ExceptionDetails struct{ Text string }
		Entry            struct{ Text string }
		Type             string
	} `json:"params"`
}

// limit is how long a page may be open. It is a safety net for pages that never reach the
// state that a test waits for, and allows for a machine that is ten times slower.
const limit = 15 * time.Minute

// options make Chromium run without a window, and without requests and dialogs of its own.
var options = []string{
	"--remote-debugging-pipe", "--headless", "--hide-scrollbars", "--mute-audio", "--no-sandbox", "--disable-gpu", "--no-first-run", "--no-default-browser-check",
	"--disable-background-networking", "--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows", "--disable-breakpad",
	"--disable-client-side-phishing-detection", "--disable-component-update", "--disable-default-apps", "--disable-dev-shm-usage", "--disable-extensions",
	"--disable-features=Translate", "--disable-hang-monitor", "--disable-ipc-flooding-protection", "--disable-popup-blocking", "--disable-quic",
	"--disable-renderer-backgrounding", "--disable-sync", "--force-color-profile=srgb", "--metrics-recording-only", "--password-store=basic", "--use-mock-keychain",
}

// Open opens the address own. Without Chromium the test is skipped, or fails if CI is set.
func Open(t testing.TB, own string) *Browser {
	path := find(t)
	theirIn, to, err := os.Pipe()
	require.NoError(t, err)
	from, theirOut, err := os.Pipe()
	require.NoError(t, err)
	page, _, _ := strings.Cut(own, "#")
	b := &Browser{t: t, own: page, to: to, ended: make(chan struct{}), limit: time.After(limit), replies: map[int]chan message{}, loaded: make(chan struct{}, 1)}
	chromium := exec.Command(path, append(options, "--user-data-dir="+t.TempDir())...)
	chromium.ExtraFiles = []*os.File{theirIn, theirOut} // descriptors 3 and 4
	require.NoError(t, chromium.Start())
	theirIn.Close()
	theirOut.Close()
	go b.read(from)
	t.Cleanup(func() {
		b.write("Browser.close", nil)
		select {
		case <-b.ended:
		case <-time.After(time.Minute):
			chromium.Process.Kill()
		}
		chromium.Wait()
		to.Close()
	})
	target := call[struct{ TargetID string }](b, "Target.createTarget", object{"url": "about:blank"})
	b.session = call[struct{ SessionID string }](b, "Target.attachToTarget", object{"targetId": target.TargetID, "flatten": true}).SessionID
	for _, domain := range []string{"Page", "Network", "Runtime", "Log"} {
		b.do(domain+".enable", nil)
	}
	b.Navigate(own)
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

// object are the parameters of a command.
type object map[string]any

// write sends a command, and returns the channel of its reply.
func (b *Browser) write(method string, params object) chan message {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sent++
	reply := make(chan message, 1)
	b.replies[b.sent] = reply
	command := object{"id": b.sent, "method": method, "params": params}
	if b.session != "" && method != "Browser.close" {
		command["sessionId"] = b.session
	}
	data, err := json.Marshal(command)
	require.NoError(b.t, err)
	_, _ = b.to.Write(append(data, 0)) // after an error there is no reply
	return reply
}

// call calls a command and returns its result.
func call[T any](b *Browser, method string, params object) (result T) {
	b.t.Helper()
	var m message
	select {
	case m = <-b.write(method, params):
	case <-b.ended:
		require.FailNow(b.t, "Chromium has ended")
	case <-b.limit:
		require.FailNow(b.t, "no answer", method)
	}
	require.Empty(b.t, string(m.Error), method)
	require.NoError(b.t, json.Unmarshal(m.Result, &result), method)
	return result
}

// do calls a command without a result.
func (b *Browser) do(method string, params object) {
	b.t.Helper()
	call[struct{}](b, method, params)
}

// read reads replies and events until Chromium ends.
func (b *Browser) read(from *os.File) {
	defer close(b.ended)
	defer from.Close()
	for in := bufio.NewReader(from); ; {
		data, err := in.ReadBytes(0)
		if err != nil {
			return
		}
		var m message
		_ = json.Unmarshal(bytes.TrimSuffix(data, []byte{0}), &m) // fields of other events may have other types
		b.receive(m)
	}
}

// receive passes a reply on, or records exceptions, console messages and requests of other
// addresses.
func (b *Browser) receive(m message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch p := &m.Params; m.Method {
	case "":
		if reply := b.replies[m.ID]; reply != nil {
			reply <- m
		}
		delete(b.replies, m.ID)
	case "Page.loadEventFired":
		select {
		case b.loaded <- struct{}{}:
		default:
		}
	case "Network.requestWillBeSent":
		if url := p.Request.URL; !strings.HasPrefix(url, b.own) && !strings.HasPrefix(url, "data:") {
			b.complaints = append(b.complaints, "request of "+url)
		}
	case "Runtime.exceptionThrown":
		b.complaints = append(b.complaints, "exception: "+p.ExceptionDetails.Text)
	case "Runtime.consoleAPICalled":
		b.complaints = append(b.complaints, "console "+p.Type)
	case "Log.entryAdded":
		b.complaints = append(b.complaints, "log: "+p.Entry.Text)
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
func Eval[T any](b *Browser, expression string) (value T) {
	b.t.Helper()
	r := call[struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}](b, "Runtime.evaluate", object{"expression": expression, "returnByValue": true})
	require.Empty(b.t, string(r.ExceptionDetails), expression)
	require.NoError(b.t, json.Unmarshal(r.Result.Value, &value), expression)
	return value
}

// WaitFor waits until a JavaScript expression is true.
func (b *Browser) WaitFor(expression string) {
	b.t.Helper()
	for !Eval[bool](b, expression) {
		select {
		case <-b.limit:
			require.FailNow(b.t, "never true", expression)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Reload reloads the page.
func (b *Browser) Reload() {
	b.t.Helper()
	b.load(func() bool {
		b.do("Page.reload", nil)
		return true
	})
}

// Navigate navigates to url.
func (b *Browser) Navigate(url string) {
	b.t.Helper()
	b.load(func() bool {
		r := call[struct{ LoaderID, ErrorText string }](b, "Page.navigate", object{"url": url})
		require.Empty(b.t, r.ErrorText, url)
		return r.LoaderID != "" // otherwise it is the same document
	})
}

// load calls do, and waits until the page is loaded if do returns true.
func (b *Browser) load(do func() bool) {
	b.t.Helper()
	select {
	case <-b.loaded: // of an earlier page
	default:
	}
	if !do() {
		return
	}
	select {
	case <-b.loaded:
	case <-b.ended:
		require.FailNow(b.t, "Chromium has ended")
	case <-b.limit:
		require.FailNow(b.t, "the page is not loaded")
	}
}

// Resize sets the size of the page in pixels.
func (b *Browser) Resize(width, height int64) {
	b.t.Helper()
	b.do("Emulation.setDeviceMetricsOverride", object{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false})
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
	b.t.Helper()
	return call[struct{ Data []byte }](b, "Page.captureScreenshot", nil).Data
}

// Dark sets the user's preference for dark colours.
func (b *Browser) Dark(dark bool) {
	b.t.Helper()
	scheme := map[bool]string{true: "dark", false: "light"}[dark]
	b.do("Emulation.setEmulatedMedia", object{"features": []object{{"name": "prefers-color-scheme", "value": scheme}}})
}
