package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/games"
	"tiro/internal/browser"
)

// keptGame is a game as the browser keeps it.
type keptGame struct {
	Game  string
	Seats []string
	Moves []string
}

// openSite opens a page in Chromium that a plain file server has, below another folder.
func openSite(t *testing.T, dir string, limit time.Duration) *browser.Browser {
	mux := http.NewServeMux()
	mux.Handle("/somewhere/below/", http.StripPrefix("/somewhere/below/", http.FileServer(http.Dir(dir))))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	b := browser.Open(t, server.URL+"/somewhere/below/", limit)
	b.WaitFor(`document.getElementById("new-dialog").open`)
	return b
}

// beginOnSite begins a game.
func beginOnSite(b *browser.Browser, game string, seats ...string) {
	names, _ := json.Marshal(seats)
	before := browser.Eval[string](b, "location.hash")
	browser.Eval[bool](b, fmt.Sprintf(`((game, seats) => {
  const choice = document.getElementById("game-choice");
  if (!document.getElementById("new-dialog").open) document.getElementById("new-button").click();
  choice.value = game;
  choice.dispatchEvent(new Event("change"));
  document.querySelectorAll("#seat-choices select").forEach((select, i) => { select.value = seats[i]; });
  document.querySelector("#new-form button[type=submit]").click();
  return true;
})(%q, %s)`, game, names))
	b.WaitFor(fmt.Sprintf(`location.hash !== %q && document.getElementById("board").children.length > 0`, before))
}

// kept returns the game that the page shows, as the browser keeps it.
func kept(t *testing.T, b *browser.Browser) (g keptGame) {
	text := browser.Eval[string](b, `localStorage.getItem("tiro " + location.pathname + " " + location.hash.slice(1)) ?? ""`)
	require.NoError(t, json.Unmarshal([]byte(text), &g), text)
	return g
}

// requireLegal requires that a game is legal and has ended.
func requireLegal(t *testing.T, g keptGame) {
	game, err := games.New(g.Game)
	require.NoError(t, err)
	s := game.New()
	for i, name := range g.Moves {
		a, err := env.ParseAction(s, name)
		require.NoError(t, err, "move %d", i+1)
		s.Play(a)
	}
	_, over := s.Result()
	require.True(t, over, "%d moves", len(g.Moves))
}

// engineMoves returns the moves of tiro engine in the positions of a game in which every
// move is one action, each searched by itself.
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

// TestSite: a page of tiro export --web plays whole games in a browser, without any other
// server, and moves like the engine on the same backend. TIRO_SITE=long plays all games.
func TestSite(t *testing.T) {
	dir := t.TempDir()
	out, err := exec.Command("tiro", "export", "bundled", "--web", dir).CombinedOutput()
	require.NoError(t, err, "%s", out)
	b := openSite(t, dir, 20*time.Minute)
	names := []string{"connect4", "shacru"}
	if os.Getenv("TIRO_SITE") == "long" {
		names, err = bundledGames()
		require.NoError(t, err)
	}
	for _, name := range names {
		game, err := games.New(name)
		require.NoError(t, err)
		seats := make([]string, game.Spec().Players)
		for i := range seats {
			seats[i] = "bundled,sims=1"
		}
		if name == "connect4" {
			seats[0], seats[1] = "bundled,sims=16", "bundled,sims=16"
		}
		began := time.Now()
		beginOnSite(b, name, seats...)
		b.WaitFor(`/wins|draw/.test(document.getElementById("status").textContent)`)
		g := kept(t, b)
		t.Logf("%s: %d moves in %v: %s", name, len(g.Moves), time.Since(began), browser.Eval[string](b, `document.getElementById("status").textContent`))
		require.Equal(t, name, g.Game)
		requireLegal(t, g)
		if name == "connect4" {
			require.Equal(t, engineMoves(t, g, 16), g.Moves)
		}
	}
	require.Empty(t, b.Complaints())
}

// TestSiteWithPerson: a person plays on such a page, takes back, is given hints, and finds
// the game again when the page is opened anew.
func TestSiteWithPerson(t *testing.T) {
	dir := t.TempDir()
	out, err := exec.Command("tiro", "export", "bundled:coerceo", "--web", dir).CombinedOutput()
	require.NoError(t, err, "%s", out)
	b := openSite(t, dir, time.Minute)
	beginOnSite(b, "coerceo", "human", "bundled,sims=16")
	turns := `document.querySelectorAll("#turns li").length`
	mine := `document.querySelectorAll("#board .can").length > 0`
	for n := range 3 {
		b.WaitFor(fmt.Sprintf("%s === %d && %s", turns, 2*n, mine))
		browser.Eval[string](b, `document.querySelector("#board .can").dispatchEvent(new MouseEvent("click", { bubbles: true })); ""`)
		browser.Eval[string](b, `document.querySelector("#board .can").dispatchEvent(new MouseEvent("click", { bubbles: true })); ""`)
	}
	b.WaitFor(turns + " === 6 && " + mine)
	before := kept(t, b)
	require.Len(t, before.Moves, 6)

	b.Reload()
	b.WaitFor(turns + " === 6 && " + mine)
	browser.Eval[string](b, `document.getElementById("hint").click(); ""`)
	b.WaitFor(`document.querySelectorAll("#hints li").length > 0`)
	saveShot(t, b, "site.png")
	browser.Eval[string](b, `document.getElementById("undo").click(); ""`)
	b.WaitFor(turns + " === 4 && " + mine)
	require.Equal(t, before.Moves[:4], kept(t, b).Moves)
	// What the browser kept of a game may be damaged; the page says so and goes on.
	browser.Eval[string](b, `localStorage.setItem("tiro " + location.pathname + " " + location.hash.slice(1), "{"); ""`)
	b.Reload()
	b.WaitFor(`document.getElementById("status").textContent.includes("damaged")`)
	beginOnSite(b, "coerceo", "human", "random")
	b.WaitFor(turns + " === 0 && " + mine)
	require.Empty(t, b.Complaints())
}

// saveShot writes a screenshot to the folder TIRO_SHOTS, if that is set.
func saveShot(t *testing.T, b *browser.Browser, name string) {
	if dir := os.Getenv("TIRO_SHOTS"); dir != "" {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), b.Screenshot(), 0o666))
	}
}
