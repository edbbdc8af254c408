package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/internal/browser"
	"tiro/internal/effort"
)

// TestAttackSiteStores: a page whose server answers shows the server's version in full, even if
// the browser's stores are forbidden, full, damaged, or hold an older page. The version stored
// for use without the server is always complete.
func TestAttackSiteStores(t *testing.T) {
	needProgram(t)
	export := func(t *testing.T, game string) string {
		dir := t.TempDir()
		out, err := exec.Command("tiro", "export", "bundled:"+game, "--web", dir).CombinedOutput()
		require.NoError(t, err, "%s", out)
		return dir
	}
	const turns = `document.querySelectorAll("#turns button.move").length`
	plays := func(b *browser.Browser, game string) {
		beginOnSite(b, game, "bundled,sims=1", "human")
		b.WaitFor(turns + " === 1")
	}
	throws := func(of, name string) string {
		return fmt.Sprintf("Object.defineProperty(%s, %q, { get() { throw new DOMException('no', 'SecurityError'); } });\n", of, name)
	}
	const full = "Cache.prototype.put = () => Promise.reject(new DOMException('no', 'QuotaExceededError'));\n"
	for name, before := range map[string]map[string]string{
		"forbidden":         {"app.js": throws("window", "localStorage"), "offline.js": throws("self", "caches")},
		"no service worker": {"app.js": throws("Navigator.prototype", "serviceWorker")},
		"full":              {"app.js": "Storage.prototype.setItem = () => { throw new DOMException('no', 'QuotaExceededError'); };\n", "offline.js": full},
		"forbidden later": {"offline.js": `const open = caches.open.bind(caches); let opened = 0;
caches.open = (name) => ++opened > 12 ? Promise.reject(new DOMException("no", "UnknownError")) : open(name);
`},
	} {
		t.Run(name, func(t *testing.T) {
			if !effort.Long() && strings.HasPrefix(name, "forbidden") {
				t.Skip("where a store is full, it refuses likewise")
			}
			p := &pageServer{dir: export(t, "connect4"), before: before}
			b := p.open(t)
			plays(b, "connect4")
			b.Reload()
			plays(b, "connect4")
			require.Empty(t, b.Complaints())
		})
	}

	p := &pageServer{dir: export(t, "connect4")}
	b := p.open(t)
	const controlled = `navigator.serviceWorker.controller !== null`
	b.WaitFor(controlled)
	plays(b, "connect4")
	damage := func() {
		browser.Eval[string](b, `window.damaged = false; (async () => {
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    for (const { url } of await cache.keys()) if (!url.endsWith("?whole")) await cache.put(url, new Response("noise"));
    await cache.put("damaged", new Response("")); // until the version is stored again
  }
  window.damaged = true;
})(); ""`)
		b.WaitFor(`window.damaged`)
	}
	offersOnly := func(game string) {
		b.WaitFor(fmt.Sprintf(`[...document.getElementById("game-choice").options].map((one) => one.value).join() === %q`, game))
	}
	keeps := func(game string) string { // true only for a version that includes the game's network
		return fmt.Sprintf(`((async () => {
  const names = await caches.keys(), all = names.length === 1 ? await (await caches.open(names[0])).keys() : [];
  window.keeps = all.some((one) => one.url.includes("networks/%s.")) && all.some((one) => one.url.endsWith("?whole")) && !all.some((one) => one.url.endsWith("/damaged"));
})(), window.keeps === true)`, game)
	}
	t.Run("damaged", func(*testing.T) {
		b.WaitFor(keeps("connect4"))
		damage()
		b.Reload()
		plays(b, "connect4")
		b.WaitFor(keeps("connect4")) // stored again
		p.set("", true)
		b.Reload()
		plays(b, "connect4")
	})
	t.Run("an older page", func(t *testing.T) {
		p.set(export(t, "shacru"), false)
		b.Reload()
		offersOnly("shacru")
		plays(b, "shacru")
		b.WaitFor(keeps("shacru"))
		p.set("", true)
		b.Reload()
		offersOnly("shacru")
		beginOnSite(b, "shacru", "bundled,sims=1", "human")
		b.WaitFor(turns + " === 1")
	})
	t.Run("an update that fails", func(t *testing.T) {
		// The stored version is still the previous one, complete, although the page itself is
		// the new one.
		next := export(t, "connect4")
		require.NoError(t, os.Remove(filepath.Join(next, "networks", "connect4.safetensors")))
		p.set(next, false)
		b.Reload()
		offersOnly("connect4")
		beginOnSite(b, "connect4", "human", "random")
		p.set("", true)
		b.Reload()
		offersOnly("shacru")
		plays(b, "shacru")
		p.set(next, false)
		b.Reload()
		offersOnly("connect4")
	})
	t.Run("a server in trouble", func(t *testing.T) {
		p.mu.Lock()
		p.status = http.StatusBadGateway
		p.mu.Unlock()
		b.Reload()
		offersOnly("shacru")
	})
}

// pageServer serves a page. It can prepend text to scripts and can be unreachable.
type pageServer struct {
	mu     sync.Mutex
	dir    string
	away   bool
	status int               // 0 for normal answers
	before map[string]string // text to prepend, by file
}

func (p *pageServer) set(dir string, away bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dir, p.away = dir, away
}

func (p *pageServer) open(t *testing.T) *browser.Browser {
	if testing.Short() {
		t.Skip("opens a browser")
	}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	return browser.Open(t, server.URL+"/")
}

func (p *pageServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	name := strings.TrimPrefix(r.URL.Path, "/")
	text, err := os.ReadFile(filepath.Join(p.dir, filepath.FromSlash(name)))
	switch {
	case p.away:
		panic(http.ErrAbortHandler) // cuts the connection
	case p.status != 0:
		w.WriteHeader(p.status)
	case p.before[name] != "" && err == nil:
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = w.Write(append([]byte(p.before[name]), text...))
	default:
		http.FileServer(http.Dir(p.dir)).ServeHTTP(w, r)
	}
}
