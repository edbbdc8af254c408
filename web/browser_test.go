package web

import (
	"flag"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/internal/browser"
	"tiro/web/host"
)

var shots = flag.String("shots", "", "write screenshots to this folder")

// begin chooses a game and the player of each seat in the dialog of the page.
const begin = `
(game, seats) => {
  const choice = document.getElementById("game-choice");
  choice.value = game;
  choice.dispatchEvent(new Event("change"));
  document.querySelectorAll("#seat-choices select").forEach((select, i) => { select.value = seats[i]; });
  document.querySelector("#new-form button[type=submit]").click();
  return true;
}`

// act clicks the n-th available control: a button of a choice or a place on the board. It
// returns the clicked label or place, or "" if nothing can be clicked.
const act = `
(n) => {
  const things = [...document.querySelectorAll("#choices button, #board .can")];
  if (things.length === 0) return "";
  const thing = things[n % things.length];
  thing.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  return thing.getAttribute("data-cell") ?? thing.textContent;
}`

// TestBrowser plays in a real browser: a game to its end, a turn of several actions with a
// third seat, and a reload in the middle of a game.
func TestBrowser(t *testing.T) {
	h := serve(t, optionsFor(t, t.TempDir(), "connect4", "coerceo", "pacru:players=3"))
	b := browser.Open(t, h.URL+"/")
	b.WaitFor(`document.getElementById("new-dialog").open`)
	picture(b, "dialog")
	plies := `document.querySelectorAll("#turns button.move").length`
	status := `document.getElementById("status").textContent`

	require.True(t, browser.Eval[bool](b, "("+begin+`)("connect4", ["human", "random"])`))
	require.Equal(t, "uppercase", browser.Eval[string](b, `getComputedStyle(document.getElementById("status"), "::first-letter").textTransform`))
	b.WaitFor(`document.querySelectorAll("#board .can").length > 0`)
	id := browser.Eval[string](b, `location.hash`)
	over := func() bool { return browser.Eval[bool](b, `/wins|draw/.test(`+status+`)`) }
	for n := 0; !over(); n++ {
		if browser.Eval[string](b, "("+act+")("+strconv.Itoa(n)+")") == "" {
			time.Sleep(5 * time.Millisecond)
		}
		if n == 2 {
			played := browser.Eval[int](b, plies)
			b.Reload()
			b.WaitFor(plies + ` >= ` + strconv.Itoa(played))
			require.Equal(t, id, browser.Eval[string](b, `location.hash`))
		}
	}
	require.Contains(t, browser.Eval[string](b, `document.getElementById("graph").innerHTML`), "polyline")
	require.Regexp(t, `^(You win|You lose|A draw)$`, browser.Eval[string](b, `document.getElementById("end-title").textContent`))
	require.Equal(t, browser.Eval[string](b, `document.getElementById("end-title").textContent`) == "A draw", browser.Eval[int](b, `document.querySelectorAll("#board .c4w").length`) == 0)
	picture(b, "end")
	browser.Eval[string](b, `document.getElementById("end-again").click(); ""`)
	b.WaitFor(`location.hash !== "` + id + `" && document.querySelectorAll("#board .can").length > 0 && document.getElementById("end").hidden`)
	require.Equal(t, 1, browser.Eval[int](b, plies), "the other player begins a rematch")

	// Pacru: actions of one turn are chosen on the board or by name.
	browser.Eval[string](b, `document.getElementById("new-button").click(); ""`)
	require.True(t, browser.Eval[bool](b, "("+begin+`)("pacru:players=3", ["human", "random", "random"])`))
	b.WaitFor(`document.getElementById("title").textContent === "pacru:players=3"`)
	for n := 0; browser.Eval[int](b, plies) < 13; n++ {
		if browser.Eval[string](b, "("+act+")("+strconv.Itoa(7*n)+")") == "" {
			time.Sleep(5 * time.Millisecond)
		}
	}

	// Coerceo: a move by the keyboard, a hint, and an undo.
	browser.Eval[string](b, `document.getElementById("new-button").click(); ""`)
	require.True(t, browser.Eval[bool](b, "("+begin+`)("coerceo", ["human", "mcts:30"])`))
	b.WaitFor(`document.getElementById("title").textContent === "coerceo" && document.querySelectorAll("#board .can").length > 0`)
	browser.Eval[string](b, `
(() => {
  const press = (cell) => cell.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  press(document.querySelector("#board .can[tabindex]"));
  press(document.querySelector("#board .can[tabindex]"));
  return "";
})()`)
	b.WaitFor(plies + ` === 2 && document.querySelectorAll("#board .can").length > 0`)
	browser.Eval[string](b, `document.getElementById("hint").click(); ""`)
	b.WaitFor(`document.querySelectorAll("#hints li").length > 0 && document.querySelectorAll("#board .warm").length > 0`)
	picture(b, "coerceo")
	// The board turns, and its cells, arrows and hints with it.
	require.Equal(t, 1, browser.Eval[int](b, `document.querySelectorAll("#board .moved path").length`))
	const lowest = `[...document.querySelectorAll("#board [data-cell]")].sort((a, b) => b.getBoundingClientRect().bottom - a.getBoundingClientRect().bottom)[0].getAttribute("data-cell")`
	before := browser.Eval[string](b, lowest)
	browser.Eval[string](b, `document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "F", bubbles: true })); ""`) // with Caps Lock
	require.NotEqual(t, before, browser.Eval[string](b, lowest))
	require.Equal(t, 1, browser.Eval[int](b, `document.querySelectorAll("#board .turned > .moved path").length`))
	picture(b, "flipped")
	browser.Eval[string](b, `document.getElementById("flip").click(); ""`)
	require.Equal(t, before, browser.Eval[string](b, lowest))
	// In a review, the keys of the game have no effect.
	browser.Eval[string](b, `
for (const key of ["r", "u", "h"]) document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
"";`)
	b.WaitFor(`document.getElementById("undo").disabled && document.getElementById("hint").disabled`)
	browser.Eval[string](b, `document.getElementById("review-end").focus(); document.getElementById("review-end").click(); ""`)
	require.Equal(t, "review", browser.Eval[string](b, `document.activeElement.id`))
	b.WaitFor(`!document.getElementById("undo").disabled && !document.getElementById("hint").disabled && ` + plies + ` === 2`)
	// A key pressed in a dialog, wherever its focus is, has no effect on the game behind it.
	browser.Eval[string](b, `
document.getElementById("new-button").click();
for (const key of ["?", "r"]) document.getElementById("new-dialog").dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
"";`)
	require.False(t, browser.Eval[bool](b, `document.getElementById("rules-dialog").open || document.getElementById("hint").disabled`))
	browser.Eval[string](b, `document.getElementById("new-cancel").click(); ""`)
	browser.Eval[string](b, `document.getElementById("undo").click(); ""`)
	b.WaitFor(plies + ` === 0`)
	// An invalid move is explained, and the board forgets the chosen cells.
	browser.Eval[string](b, `document.querySelector("#board .can").dispatchEvent(new MouseEvent("click", { bubbles: true })); ""`)
	require.Equal(t, 1, browser.Eval[int](b, `document.querySelectorAll("#board .chosen").length`))
	browser.Eval[string](b, `document.getElementById("move").value = "z9"; document.querySelector("#move-form button").click(); ""`)
	b.WaitFor(status + `.includes("illegal move") && document.querySelectorAll("#board .chosen").length === 0`)
	// The explanation stays when the same position is shown again, as after each evaluation.
	browser.Eval[string](b, `for (let i = 0; i < 2; i++) document.getElementById("flip").click(); ""`)
	require.Contains(t, browser.Eval[string](b, status), "illegal move")

	load := func(name, text string) {
		browser.Eval[string](b, `
(() => {
  const files = new DataTransfer(), input = document.getElementById("load-file");
  files.items.add(new File([`+strconv.Quote(text)+`], "`+name+`"));
  input.files = files.files;
  input.dispatchEvent(new Event("change"));
  return "";
})()`)
	}
	// An empty file is named.
	load("nothing.pgn", "")
	b.WaitFor(status + ` === "nothing.pgn is empty."`)

	// The same file can be loaded again.
	loaded := browser.Eval[string](b, `location.hash`)
	for range 2 {
		load("game.pgn", "[Variant \"connect4\"]\n1. 4 4 *\n")
		b.WaitFor(plies + ` === 2 && location.hash !== "` + loaded + `"`)
		require.Zero(t, browser.Eval[int](b, `document.getElementById("load-file").files.length`))
		loaded = browser.Eval[string](b, `location.hash`)
	}

	// A move that is typed before the answer to the last one stays.
	browser.Eval[string](b, `
(() => {
  const input = document.getElementById("move");
  input.value = "4";
  document.querySelector("#move-form button").click();
  input.value = "5";
  return "";
})()`)
	b.WaitFor(plies + ` === 3`)
	require.Equal(t, "5", browser.Eval[string](b, `document.getElementById("move").value`))

	// The list of moves stays where the user has scrolled it when the same position is shown again.
	load("long.pgn", "[Variant \"connect4\"]\n"+strings.Repeat("1 2 3 5 6 7 ", 3)+"*\n")
	b.WaitFor(plies + ` === 18`)
	const list = `document.getElementById("turns")`
	require.Positive(t, browser.Eval[float64](b, list+`.scrollTop`))
	browser.Eval[string](b, list+`.scrollTop = 0; for (let i = 0; i < 2; i++) document.getElementById("judge").click(); ""`)
	require.Zero(t, browser.Eval[float64](b, list+`.scrollTop`))

	for _, width := range []int64{1200, 768, 375} {
		b.Fits(width, 800)
	}
	// The browser itself logs the status of the refused request.
	for _, text := range b.Complaints() {
		require.Equal(t, "log: Failed to load resource: the server responded with a status of 400 (Bad Request)", text)
	}
}

// TestLevels: the levels of a network are one entry of the list of players, with a slider. The
// list of recent games shows players, state and date.
func TestLevels(t *testing.T) {
	o := optionsFor(t, t.TempDir(), "mnk", "connect4")
	o.Offers[1].Players = append(o.Offers[1].Players, host.Player{Name: "mcts:20", Text: "Tiro, level 9"})
	const formerLevel = "mcts:5,temperature=0.5"
	o.Offers[1].Players = append(o.Offers[1].Players, host.Player{Name: formerLevel, Text: formerLevel})
	for level, name := range []string{"mcts:5", "mcts:10", "mcts:20"} {
		o.Offers[0].Players = append(o.Offers[0].Players, host.Player{Name: name, Text: "Tiro, level " + strconv.Itoa(level+1)})
	}
	h := serve(t, o)
	b := browser.Open(t, h.URL+"/")
	b.WaitFor(`document.getElementById("new-dialog").open`)
	const second = `document.querySelectorAll("#seat-choices select")[1]`
	const offered = `[...` + second + `.options].filter((option) => !option.hidden).map((option) => option.value).join()`
	require.Equal(t, "human,random,mcts:30,mcts:10", browser.Eval[string](b, offered))
	browser.Eval[string](b, `(() => {
  `+second+`.value = "mcts:10";
  `+second+`.dispatchEvent(new Event("change"));
  const slider = document.querySelectorAll("#seat-choices input")[1];
  slider.value = "3";
  slider.dispatchEvent(new Event("input"));
  return "";
})()`)
	require.Equal(t, "human,random,mcts:30,mcts:20", browser.Eval[string](b, offered))
	picture(b, "level")
	browser.Eval[string](b, `document.querySelector("#new-form button[type=submit]").click(); ""`)
	b.WaitFor(`document.querySelectorAll("#board .can").length > 0`)
	require.Contains(t, browser.Eval[string](b, `document.getElementById("seats").textContent`), "Tiro, level 3")
	browser.Eval[string](b, `document.getElementById("new-button").click(); ""`)
	require.Regexp(t, `^mnk You – Tiro, level 3; move \d+ .*\d`, browser.Eval[string](b, `document.getElementById("recent-games").textContent`))
	browser.Eval[string](b, `document.querySelector("#recent-games a").click(); ""`) // the game behind the dialog
	b.WaitFor(`!document.getElementById("new-dialog").open`)

	_, v, _ := post(t, h, "/api/games", host.Body{Game: "connect4", Seats: []string{host.Human, "mcts:20"}})
	b.Navigate(h.URL + "/#" + v.ID)
	b.WaitFor(`document.getElementById("seats").textContent.includes("Tiro, level 9")`) // a level of this game
	// Win chances against a level that is no longer offered are hidden, too.
	require.False(t, browser.Eval[bool](b, `document.getElementById("judge").checked`))
	// Until they are switched on, earlier positions are shown without evaluations.
	post(t, h, "/api/games/"+v.ID+"/play", host.Body{Move: "4"})
	require.Eventually(t, func() bool {
		_, v, _ := get(t, h, v.ID)
		return v.Ply == 2 && v.Losses[0] != nil && v.Losses[1] != nil
	}, 5*time.Minute, time.Millisecond)
	b.Reload()
	b.WaitFor(`document.querySelectorAll("#turns button.move").length === 2`)
	browser.Eval[string](b, `document.querySelector("#turns button.move").click(); ""`)
	b.WaitFor(`document.getElementById("status").textContent.startsWith("Move 1 of 2")`)
	const review = `[document.getElementById("status"), document.getElementById("review-counts")].map((one) => one.textContent).join("; ")`
	require.Equal(t, "Move 1 of 2: player 1: 4; ", browser.Eval[string](b, review))
	b.WaitFor(`document.getElementById("review-best").hidden`)
	browser.Eval[string](b, `document.getElementById("judge").focus(); document.getElementById("judge").click(); ""`)
	b.WaitFor(`!document.getElementById("review-best").hidden`)
	require.Regexp(t, `^Move 1 of 2: player 1: 4 — .*; player 1: `, browser.Eval[string](b, review))
	browser.Eval[string](b, `document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true })); ""`)
	b.WaitFor(`document.getElementById("status").textContent.startsWith("Move 2 of 2")`)
	b.Reload()
	_, v, _ = post(t, h, "/api/games", host.Body{Game: "connect4", Seats: []string{host.Human, formerLevel}})
	b.Navigate(h.URL + "/#" + v.ID)
	b.WaitFor(`document.getElementById("seats").textContent.includes("` + formerLevel + `")`)
	require.False(t, browser.Eval[bool](b, `document.getElementById("judge").checked`))
	require.Empty(t, b.Complaints())
}

// picture writes screenshots at two sizes in both colour schemes if the flag for screenshots is
// set.
func picture(b *browser.Browser, name string) {
	if *shots == "" {
		return
	}
	for _, dark := range []bool{false, true} {
		b.Dark(dark)
		for _, size := range [][2]int64{{1280, 800}, {390, 844}} {
			b.Resize(size[0], size[1])
			file := name + "-" + strconv.Itoa(int(size[0])) + map[bool]string{true: "-dark"}[dark] + ".png"
			_ = os.WriteFile(filepath.Join(*shots, file), b.Screenshot(), 0o666)
		}
	}
	b.Dark(false)
	b.Resize(1280, 800)
}

// TestTabs: a page keeps no request open, because a browser limits all its tabs to six
// connections to a server. The page shows moves made on other pages, and reports a lost server.
func TestTabs(t *testing.T) {
	var mu sync.Mutex
	active := map[net.Conn]bool{}
	server, err := New(optionsFor(t, t.TempDir(), "mnk"))
	require.NoError(t, err)
	t.Cleanup(server.Close)
	h := httptest.NewUnstartedServer(server)
	h.Config.ConnState = func(c net.Conn, state http.ConnState) {
		mu.Lock()
		defer mu.Unlock()
		active[c] = state == http.StateActive
	}
	h.Start()
	t.Cleanup(h.Close)
	_, v, _ := post(t, h, "/api/games", host.Body{Game: "mnk", Seats: []string{host.Human, host.Human}})
	b := browser.Open(t, h.URL+"/#"+v.ID)
	b.WaitFor(`document.querySelectorAll("#board .can").length === 9`)
	require.Eventually(t, func() bool {
		mu.Lock()
		defer mu.Unlock()
		for _, is := range active {
			if is {
				return false
			}
		}
		return true
	}, 5*time.Minute, time.Millisecond)
	post(t, h, "/api/games/"+v.ID+"/play", host.Body{Ply: 0, Move: "b2"})
	b.WaitFor(`document.querySelectorAll("#turns button.move").length === 1`)
	require.Equal(t, "player 1: b2. Player 2 to move", browser.Eval[string](b, `document.getElementById("status").textContent`))
	post(t, h, "/api/games/"+v.ID+"/resign", host.Body{Ply: 1})
	b.WaitFor(`!document.getElementById("end").hidden`)
	require.Equal(t, "Player 1 wins: player 2 resigned, after 1 move.", browser.Eval[string](b, `document.getElementById("end-reason").textContent`))
	h.CloseClientConnections()
	require.NoError(t, h.Listener.Close())
	const status = `document.getElementById("status")`
	b.WaitFor(status + `.textContent.includes("does not answer")`)
	browser.Eval[string](b, `
window.seen = [];
new MutationObserver(() => window.seen.push(`+status+`.textContent)).observe(`+status+`, { childList: true });
document.getElementById("save").click();
"";`)
	b.WaitFor(`window.seen.length > 0`)
	require.Equal(t, "The server does not answer.", browser.Eval[string](b, `window.seen[0]`))
}

// TestLateAnswer: the page keeps polling the game that it shows after a late answer about the
// game that it showed before.
func TestLateAnswer(t *testing.T) {
	h := serve(t, optionsFor(t, t.TempDir(), "mnk"))
	seats := []string{host.Human, host.Human}
	_, former, _ := post(t, h, "/api/games", host.Body{Game: "mnk", Seats: seats})
	_, v, _ := post(t, h, "/api/games", host.Body{Game: "mnk", Seats: seats})
	b := browser.Open(t, h.URL+"/#"+former.ID)
	b.WaitFor(`document.querySelectorAll("#board .can").length === 9`)
	browser.Eval[string](b, `
(() => {
  const fetchNow = window.fetch;
  window.fetch = async (address) => {
    if (String(address).endsWith("`+former.ID+`/version")) await new Promise((done) => { window.answer = done; });
    return fetchNow(address);
  };
  return "";
})()`)
	b.WaitFor(`window.answer !== undefined`)
	browser.Eval[string](b, `location.hash = "#`+v.ID+`"`)
	for ply, move := range []string{"a1", "b1", "c1"} {
		post(t, h, "/api/games/"+v.ID+"/play", host.Body{Ply: ply, Move: move})
		b.WaitFor(`document.querySelectorAll("#turns button.move").length === ` + strconv.Itoa(ply+1))
		browser.Eval[string](b, `window.answer(); ""`)
	}
}

// TestSoon: after a move of the user, the page soon asks for the reply.
func TestSoon(t *testing.T) {
	h := serve(t, optionsFor(t, t.TempDir(), "mnk"))
	_, v, _ := post(t, h, "/api/games", host.Body{Game: "mnk", Seats: []string{host.Human, "random"}})
	b := browser.Open(t, h.URL+"/#"+v.ID)
	b.WaitFor(`document.querySelectorAll("#board .can").length === 9`)
	browser.Eval[string](b, `
(() => {
  const set = window.setTimeout;
  window.delays = [];
  window.setTimeout = (action, delay) => {
    window.delays.push(delay);
    return set(action, delay);
  };
  document.querySelector("#board .can").dispatchEvent(new MouseEvent("click", { bubbles: true }));
  return "";
})()`)
	b.WaitFor(`document.querySelectorAll("#turns button.move").length === 2`)
	require.Contains(t, browser.Eval[[]int](b, `window.delays`), 250)
}
