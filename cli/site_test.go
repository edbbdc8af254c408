package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/games"
	"tiro/internal/browser"
	"tiro/internal/effort"
	"tiro/models/bundled"
	"tiro/net/kernel"
	"tiro/networks"
	"tiro/play"
	"tiro/web"
	"tiro/web/host"
)

// keptGame is a game as the browser stores it.
type keptGame struct {
	ID    string
	Game  string
	Seats []string
	Moves []string
}

// openSite serves a page from a plain file server, in a subfolder, and opens it in Chromium.
func openSite(t *testing.T, dir string) (*browser.Browser, *httptest.Server) {
	if testing.Short() {
		t.Skip("opens a browser")
	}
	mux := http.NewServeMux()
	mux.Handle("/somewhere/below/", http.StripPrefix("/somewhere/below/", http.FileServer(http.Dir(dir))))
	mux.HandleFunc("/", func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("request of %s, outside the page's folder", r.URL)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return browser.Open(t, server.URL+"/somewhere/below/"), server
}

// needProgram skips a test of exported pages if the browser program was not built; make test
// builds it.
func needProgram(t *testing.T) {
	if err := web.CheckProgram(); err != nil && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
}

// beginOnSite begins a game on the page.
func beginOnSite(b *browser.Browser, game string, seats ...string) {
	names, _ := json.Marshal(seats)
	b.WaitFor(`document.getElementById("game-choice").options.length > 0`)
	before := browser.Eval[string](b, "location.hash")
	browser.Eval[bool](b, fmt.Sprintf(`((game, seats) => {
  const choice = document.getElementById("game-choice");
  if (!document.getElementById("new-dialog").open) document.getElementById("new-button").click();
  choice.value = game;
  choice.dispatchEvent(new Event("change"));
  document.querySelectorAll("#seat-choices select").forEach((select, i) => {
    select.value = seats[i];
  });
  document.querySelector("#new-form button[type=submit]").click();
  return true;
})(%q, %s)`, game, names))
	b.WaitFor(fmt.Sprintf(`location.hash !== %q && document.getElementById("board").children.length > 0`, before))
}

// kept returns the displayed game as the browser stores it.
func kept(t *testing.T, b *browser.Browser) (g keptGame) {
	g.ID = browser.Eval[string](b, `location.hash.slice(1)`)
	text := browser.Eval[string](b, `localStorage.getItem("tiro " + location.pathname + " " + location.hash.slice(1)) ?? ""`)
	g.Game, _ = play.RecordGame([]byte(text))
	game, err := games.New(g.Game)
	require.NoError(t, err, text)
	r, err := play.ReadRecord(game, []byte(text))
	require.NoError(t, err, text)
	table := r.Table()
	g.Seats = table.Seats
	for i, a := range table.History {
		g.Moves = append(g.Moves, table.States[i].ActionString(a))
	}
	return g
}

// playerMoves returns the moves of a player on the pure Go backend in the positions of a legal,
// finished game with the page's identifier id.
func playerMoves(t *testing.T, game env.Game, player, id string, moves []string) []string {
	pureGo, err := kernel.Named("go")
	require.NoError(t, err)
	factory, err := shippedGames.opener(pureGo, 1, nil).factory(game, player)
	require.NoError(t, err)
	s := game.New()
	var chosen []string
	var history []env.Action
	for i, name := range moves {
		p, err := factory.New()
		require.NoError(t, err)
		keys := []uint64{s.Hash(), uint64(i)}
		for _, letter := range id {
			keys = append(keys, uint64(letter))
		}
		choice, err := p.Choose(t.Context(), env.After(game, s), history, env.NewRand(keys...))
		require.NoError(t, err)
		chosen = append(chosen, s.ActionString(choice))
		a, err := env.ParseAction(s, name)
		require.NoError(t, err, "move %d", i+1)
		s.Play(a)
		history = append(history, a)
	}
	_, over := s.Result()
	require.True(t, over, "%d moves", len(moves))
	return chosen
}

// engineMoves returns the moves of tiro engine in the positions of a game whose moves are
// single actions. Each position is searched separately.
func engineMoves(t *testing.T, g keptGame, simulations int) []string {
	var commands strings.Builder
	for i := range g.Moves {
		moves := ""
		if i > 0 {
			moves = " moves " + strings.Join(g.Moves[:i], " ")
		}
		fmt.Fprintf(&commands, "uginewgame\nposition startpos%s\ngo nodes %d\n", moves, simulations)
	}
	cmd := exec.Command("tiro", "engine", g.Game, "--backend", "go")
	cmd.Stdin = strings.NewReader(commands.String())
	out, err := cmd.Output()
	require.NoError(t, err)
	var moves []string
	for line := range strings.Lines(string(out)) {
		if move, ok := strings.CutPrefix(strings.TrimSpace(line), "bestmove "); ok {
			moves = append(moves, move)
		}
	}
	return moves
}

// weakest returns the weakest level that a game offers.
func weakest(t *testing.T, name string) (player string) {
	game, err := games.New(name)
	require.NoError(t, err)
	for _, p := range host.NewOffer(game, "", host.Network{Path: networks.Bundled, Spec: game.Spec(), Levels: true}).Players {
		if strings.Contains(p.Name, "temperature=") {
			return p.Name
		}
	}
	require.FailNow(t, "no levels")
	return ""
}

// TestAttackSite: a page of tiro export --web plays whole games in a browser with only a file
// server, and its moves equal those the engine plays on the same backend. With
// TIRO_TORTURE=long it plays all games.
func TestAttackSite(t *testing.T) {
	needProgram(t)
	dir := t.TempDir()
	out, err := exec.Command("tiro", "export", "bundled", "--web", dir).CombinedOutput()
	require.NoError(t, err, "%s", out)
	b, _ := openSite(t, dir)
	names := []string{"shacru"}
	if effort.Long() {
		names, err = bundled.Games(games.All())
		require.NoError(t, err)
	}
	const simulations = 16
	for _, name := range append(names, "a level") {
		player := fmt.Sprintf("%s,sims=%d", networks.Bundled, simulations)
		level := name == "a level"
		if level {
			name, player = "connect4", weakest(t, "connect4")
		}
		game, err := games.New(name)
		require.NoError(t, err)
		began := time.Now()
		beginOnSite(b, name, slices.Repeat([]string{player}, game.Spec().Players)...)
		b.WaitFor(`/wins|draw|share the win/.test(document.getElementById("status").textContent)`)
		g := kept(t, b)
		t.Logf("%s: %d moves in %v: %s", name, len(g.Moves), time.Since(began), browser.Eval[string](b, `document.getElementById("status").textContent`))
		require.Equal(t, name, g.Game)
		require.Equal(t, playerMoves(t, game, player, g.ID, g.Moves), g.Moves)
		if _, ok := game.New().(env.Turner); !ok && !level {
			require.Equal(t, engineMoves(t, g, simulations), g.Moves)
		}
	}
	require.Empty(t, b.Complaints())
}

// TestSiteWithPerson: a person plays on such a page, takes moves back, asks for hints, and
// finds the game when the page is opened again.
func TestSiteWithPerson(t *testing.T) {
	needProgram(t)
	dir := t.TempDir()
	out, err := exec.Command("tiro", "export", "bundled:coerceo", "--web", dir).CombinedOutput()
	require.NoError(t, err, "%s", out)
	b, server := openSite(t, dir)
	beginOnSite(b, "coerceo", "human", "bundled,sims=16")
	turns := `document.querySelectorAll("#turns button.move").length`
	mine := `document.querySelectorAll("#board .can").length > 0`
	for n := range 3 {
		b.WaitFor(fmt.Sprintf("%s === %d && %s", turns, 2*n, mine))
		browser.Eval[string](b, `document.querySelector("#board .can").dispatchEvent(new MouseEvent("click", { bubbles: true })); ""`)
		browser.Eval[string](b, `document.querySelector("#board .can").dispatchEvent(new MouseEvent("click", { bubbles: true })); ""`)
	}
	b.WaitFor(turns + " === 6 && " + mine)
	before := kept(t, b)
	require.Len(t, before.Moves, 6)

	press := func(id string) {
		browser.Eval[string](b, fmt.Sprintf(`document.getElementById(%q).click(); ""`, id))
	}
	b.Reload()
	b.WaitFor(turns + " === 6 && " + mine)
	press("hint")
	b.WaitFor(`document.querySelectorAll("#hints li").length > 0`)
	press("review")
	press("review-back")
	b.WaitFor(`document.querySelectorAll("#review-lines li").length > 0`)
	saveShot(t, b, "site.png")
	press("review-end")
	press("undo")
	b.WaitFor(turns + " === 4 && " + mine)
	require.Equal(t, before.Moves[:4], kept(t, b).Moves)
	// When the storage is full, the oldest games are removed.
	browser.Eval[string](b, `(() => {
  const prefix = "tiro " + location.pathname + " ", id = location.hash.slice(1);
  localStorage.setItem(prefix + "old", "x".repeat(10000));
  localStorage.setItem(prefix + "order", "old " + id);
  localStorage.removeItem(prefix + id);
  for (const size of [100000, 1000, 10]) {
    try { for (let i = 0; ; i++) localStorage.setItem(size + " " + i, "y".repeat(size)); } catch { /* full */ }
  }
  return "";
})()`)
	press("undo")
	b.WaitFor(turns + " === 2 && " + mine)
	require.Equal(t, before.Moves[:2], kept(t, b).Moves)
	require.False(t, browser.Eval[bool](b, `("tiro " + location.pathname + " old") in localStorage`))
	// The stored game may be damaged; the page reports it and continues.
	browser.Eval[string](b, `localStorage.setItem("tiro " + location.pathname + " " + location.hash.slice(1), "{"); ""`)
	b.Reload()
	b.WaitFor(`document.getElementById("status").textContent.includes("damaged")`)
	beginOnSite(b, "coerceo", "human", "random")
	b.WaitFor(turns + " === 0 && " + mine)
	require.Empty(t, b.Complaints())

	// The browser has stored all files by now, so that the page opens without the server.
	b.WaitFor(`navigator.serviceWorker.controller !== null`)
	server.Close()
	b.Reload()
	b.WaitFor(turns + " === 0 && " + mine)
	beginOnSite(b, "coerceo", "bundled,sims=1", "human")
	b.WaitFor(turns + " === 1 && " + mine)
}

// TestDamagedSite: a page with a missing or damaged file names the file.
func TestDamagedSite(t *testing.T) {
	needProgram(t)
	for _, file := range []string{"site.json", "worker.js", "tiro.wasm.gz", "networks/connect4.safetensors"} {
		dir := t.TempDir()
		out, err := exec.Command("tiro", "export", "bundled:connect4", "--web", dir).CombinedOutput()
		require.NoError(t, err, "%s", out)
		path := filepath.Join(dir, filepath.FromSlash(file))
		says := file
		if strings.HasPrefix(file, "networks/") {
			require.NoError(t, os.Truncate(path, 1000))
			says = "the file is truncated"
		} else {
			require.NoError(t, os.Remove(path))
		}
		b, _ := openSite(t, dir)
		if strings.HasPrefix(file, "networks/") {
			beginOnSite(b, "connect4", "bundled,sims=1", "human")
		}
		b.WaitFor(fmt.Sprintf(`document.getElementById("status").textContent.includes(%q)`, says))
	}
}

// saveShot writes a screenshot to the folder TIRO_SHOTS if the variable is set.
func saveShot(t *testing.T, b *browser.Browser, name string) {
	if dir := os.Getenv("TIRO_SHOTS"); dir != "" {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), b.Screenshot(), 0o666))
	}
}
