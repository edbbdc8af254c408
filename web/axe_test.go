package web

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/internal/browser"
	"tiro/internal/effort"
	"tiro/rundir"
)

// axe returns the script of axe-core, which scripts/axe.sh installs. If the script is missing,
// the test is skipped, or fails in CI.
func axe(t *testing.T) string {
	text, err := os.ReadFile(filepath.Join("..", ".cache", "axe", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		effort.NotChecked(t, "axe-core: %v; scripts/axe.sh installs it", err)
	}
	return string(text)
}

// violation is one of axe's findings against the rules of WCAG and good practice.
type violation struct {
	ID, Impact, Help string
	Nodes            []struct {
		HTML           string
		FailureSummary string
	}
}

// accessible requires that axe finds nothing serious or critical on the page, in either colour
// scheme.
func accessible(t *testing.T, b *browser.Browser, state string) {
	t.Helper()
	picture(b, state)
	for _, dark := range []bool{false, true} {
		b.Dark(dark)
		browser.Eval[string](b, `window.found = ""; axe.run(document, { resultTypes: ["violations"] }).then((r) => { window.found = JSON.stringify(r.violations.map((v) => ({ id: v.id, impact: v.impact, help: v.help, nodes: v.nodes.slice(0, 3).map((n) => ({ html: n.html.slice(0, 300), failureSummary: n.failureSummary })) }))); }); ""`)
		b.WaitFor(`window.found !== ""`)
		var all []violation
		require.NoError(t, json.Unmarshal([]byte(browser.Eval[string](b, `window.found`)), &all))
		for _, v := range all {
			if v.Impact == "serious" || v.Impact == "critical" {
				t.Errorf("%s, dark %v: %s (%s): %s\n%+v", state, dark, v.ID, v.Impact, v.Help, v.Nodes)
			}
		}
	}
	b.Dark(false)
}

// TestAccessible: axe-core finds nothing serious in any state of the pages.
func TestAccessible(t *testing.T) {
	if testing.Short() {
		t.Skip("scripts/axe.sh runs before the whole tests")
	}
	script := axe(t)
	dir := filepath.Join(t.TempDir(), "run")
	o := optionsFor(t, t.TempDir(), "coerceo", "pacru:players=3", "mnk")
	o.Runs = []string{dir}
	h := serve(t, o)
	b := browser.Open(t, h.URL+"/")
	load := func() { browser.Eval[string](b, script+`; ""`) }
	click := func(id string) { browser.Eval[string](b, `document.getElementById("`+id+`").click(); ""`) }
	load()
	b.WaitFor(`document.getElementById("new-dialog").open && document.querySelectorAll("#seat-choices select").length > 0`)
	accessible(t, b, "new")

	require.True(t, browser.Eval[bool](b, "("+begin+`)("coerceo", ["human", "mcts:30"])`))
	b.WaitFor(`document.querySelectorAll("#board .can").length > 0`)
	accessible(t, b, "game")
	browser.Eval[string](b, `document.querySelector("#board .can").dispatchEvent(new MouseEvent("click", { bubbles: true })); ""`)
	b.WaitFor(`document.querySelectorAll("#board .chosen").length > 0`)
	accessible(t, b, "chosen")
	click("hint")
	b.WaitFor(`document.querySelectorAll("#hints li").length > 0`)
	browser.Eval[string](b, `document.getElementById("move").value = "z9"; document.querySelector("#move-form button").click(); ""`)
	b.WaitFor(`document.getElementById("status").classList.contains("bad")`)
	accessible(t, b, "hint")
	click("rules-button")
	b.WaitFor(`document.getElementById("rules-dialog").open && document.querySelectorAll("#rules-text pre").length > 0`)
	accessible(t, b, "rules")
	browser.Eval[string](b, `document.getElementById("rules-dialog").close(); ""`)
	browser.Eval[string](b, `document.querySelector("#hints button").click(); ""`)
	b.WaitFor(`document.querySelectorAll("#turns button.move").length === 2`)
	click("undo")
	b.WaitFor(`document.querySelectorAll("#turns button.line").length === 1`)
	browser.Eval[string](b, `document.querySelector("#turns button.line").click(); ""`)
	b.WaitFor(`document.querySelectorAll("#turns button.move").length === 2`)
	click("review")
	b.WaitFor(`document.querySelectorAll("#review-lines li").length > 0`)
	accessible(t, b, "review")

	browser.Eval[string](b, `document.getElementById("review-end").click(); document.getElementById("new-button").click(); ""`)
	require.True(t, browser.Eval[bool](b, "("+begin+`)("pacru:players=3", ["human", "human", "human"])`))
	for n := 0; browser.Eval[int](b, `document.querySelectorAll("#choices button").length`) == 0; n++ {
		require.Less(t, n, 3000, "no choice appears")
		browser.Eval[string](b, "("+act+")(5)")
	}
	accessible(t, b, "pacru")

	b.Navigate(h.URL + "/watch")
	b.WaitFor(`document.getElementById("state").textContent.includes("appear when it starts")`)
	load()
	accessible(t, b, "watch-waiting")
	stop := startTraining(t, dir, "connect4")
	b.WaitFor(`document.querySelectorAll("#charts svg").length >= 5 && !document.getElementById("games-side").hidden`)
	stop()
	accessible(t, b, "watch")
	require.NoError(t, os.WriteFile(filepath.Join(dir, rundir.ConfigFile), []byte("nonsense"), 0o666))
	b.WaitFor(`document.getElementById("fault").textContent !== ""`)
	accessible(t, b, "watch-broken")
}
