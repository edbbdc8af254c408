package web

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/internal/browser"
	"tiro/web/host"
)

// TestLines: abandoned lines are kept, listed where they branch off the current line,
// selectable, and removed when they are played again.
func TestLines(t *testing.T) {
	dir := t.TempDir()
	h := serve(t, optionsFor(t, dir, "mnk", "pacru:players=3"))
	_, v, _ := post(t, h, "/api/games", host.Body{Game: "mnk", Seats: []string{host.Human, host.Human}})
	path := "/api/games/" + v.ID
	do := func(what string, b host.Body) host.View {
		b.Ply = v.Ply
		status, now, fault := post(t, h, path+"/"+what, b)
		require.Equal(t, 200, status, fault)
		v = now
		return now
	}
	play := func(moves ...string) {
		for _, move := range moves {
			do("play", host.Body{Move: move})
		}
	}
	play("b2", "a1", "c3", "a3")
	do("back", host.Body{To: 2})
	require.Equal(t, []host.Variation{{Line: 0, Ply: 2, Seat: 0, Turns: []string{"c3", "a3"}}}, v.Lines)
	play("c1")
	require.Equal(t, []host.Variation{{Line: 0, Ply: 2, Seat: 0, Turns: []string{"c3", "a3"}}}, v.Lines)
	do("line", host.Body{Line: 0})
	require.Equal(t, 4, v.Ply)
	require.Equal(t, "a3", v.Turns[3].Text)
	require.Equal(t, []host.Variation{{Line: 0, Ply: 2, Seat: 0, Turns: []string{"c1"}}}, v.Lines)
	do("undo", host.Body{})
	require.Len(t, v.Lines, 2)
	play("a3") // the same move as before
	require.Len(t, v.Lines, 1)

	// Lines survive a restart, and invalid lines are refused.
	again := serve(t, optionsFor(t, dir, "mnk", "pacru:players=3"))
	_, kept, _ := get(t, again, v.ID)
	require.Equal(t, v.Lines, kept.Lines)
	for _, c := range []struct {
		what string
		body host.Body
		code int
		want string
	}{
		{"line", host.Body{Ply: 4, Line: 1}, 400, "no such line"},
		{"line", host.Body{Ply: 4, Line: -1}, 400, "no such line"},
		{"line", host.Body{Ply: 3}, 409, "changed meanwhile"},
		{"back", host.Body{Ply: 4, To: 4}, 400, "must be 0 to 3, not 4"},
		{"back", host.Body{Ply: 4, To: -1}, 400, "not -1"},
		{"back", host.Body{Ply: 9, To: 1}, 409, "changed meanwhile"},
	} {
		status, _, fault := post(t, h, path+"/"+c.what, c.body)
		require.Equal(t, c.code, status, fault)
		require.Contains(t, fault, c.want)
	}

	// Undoing an action within an incomplete turn leaves no line.
	_, v, _ = post(t, h, "/api/games", host.Body{Game: "pacru:players=3", Seats: []string{host.Human, host.Human, host.Human}})
	path = "/api/games/" + v.ID
	play(v.Legal[0])
	for !v.MidTurn {
		play(v.Legal[0])
	}
	lines := len(v.Lines)
	do("undo", host.Body{})
	require.Len(t, v.Lines, lines)
}

// TestManyLines: the number of lines stays bounded, however often a game is taken back.
func TestManyLines(t *testing.T) {
	h := serve(t, optionsFor(t, t.TempDir(), "mnk:m=15,n=15,k=5"))
	_, v, _ := post(t, h, "/api/games", host.Body{Game: "mnk:m=15,n=15,k=5", Seats: []string{host.Human, host.Human}})
	for i := range 50 {
		status, _, fault := post(t, h, "/api/games/"+v.ID+"/play", host.Body{Move: v.Legal[i]})
		require.Equal(t, 200, status, fault)
		_, now, fault := post(t, h, "/api/games/"+v.ID+"/undo", host.Body{Ply: 1})
		require.Empty(t, fault)
		require.Len(t, now.Lines, min(32, i+1))
	}
}

// TestPositions: every position of a game can be requested, with the analyst's evaluation once
// it exists.
func TestPositions(t *testing.T) {
	h := serve(t, optionsFor(t, t.TempDir(), "mnk"))
	_, v, _ := post(t, h, "/api/games", host.Body{Game: "mnk", Seats: []string{host.Human, host.Human}})
	post(t, h, "/api/games/"+v.ID+"/play", host.Body{Move: "b2"})
	ask := func(ply string) (status int, text string) {
		r, err := http.Get(h.URL + "/api/games/" + v.ID + "/positions/" + ply)
		require.NoError(t, err)
		defer r.Body.Close()
		data, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		return r.StatusCode, string(data)
	}
	require.Eventually(t, func() bool {
		status, text := ask("0")
		require.Equal(t, 200, status)
		return strings.Contains(text, `"pv":["`)
	}, 5*time.Minute, 5*time.Millisecond)
	_, first := ask("0")
	_, second := ask("1")
	require.NotEqual(t, first, second)
	for ply, want := range map[string]int{"2": 400, "-1": 400, "x": 400, "99999999999999999999": 400} {
		status, text := ask(ply)
		require.Equal(t, want, status, text)
	}
	_, text := ask("2")
	require.Contains(t, text, "position must be 0 to 1, not 2")
}

// TestReviewBrowser reviews a game with a blunder in a real browser: the graph shows the
// blunder, the page finds it and names a better move, and the game continues from there as
// another line.
func TestReviewBrowser(t *testing.T) {
	o := optionsFor(t, t.TempDir(), "connect4")
	o.Offers[0].Analyst = "mcts:2000"
	h := serve(t, o)
	// Both players build a column; then the second lets the first one finish it.
	_, v, fault := post(t, h, "/api/games", host.Body{Game: "connect4", Seats: []string{host.Human, host.Human}})
	require.Empty(t, fault)
	for ply, move := range []int{3, 0, 3, 0, 3, 6, 3} {
		_, now, fault := post(t, h, "/api/games/"+v.ID+"/play", host.Body{Ply: ply, Move: v.Legal[move]})
		require.Empty(t, fault)
		require.Equal(t, ply+1, now.Ply)
	}
	b := browser.Open(t, h.URL+"/#"+v.ID)
	b.WaitFor(`document.querySelectorAll("#turns li").length === 7`)
	status := `document.getElementById("status").textContent`
	require.Contains(t, browser.Eval[string](b, status), "wins")
	click := func(id string) { browser.Eval[string](b, `document.getElementById("`+id+`").click(); ""`) }
	browser.Eval[string](b, `window.end = document.getElementById("board").innerHTML`)
	click("review")
	b.WaitFor(`/blunder/.test(document.getElementById("review-counts").textContent)`)
	require.Regexp(t, `^Move 7 of 7: .* — good$`, browser.Eval[string](b, status))
	require.Positive(t, browser.Eval[int](b, `document.querySelectorAll("#graph circle").length`))
	require.Equal(t, 1, browser.Eval[int](b, `document.querySelectorAll("#graph .cursor").length`))
	click("review-first")
	b.WaitFor(`(` + status + `).startsWith("The start")`)
	click("review-mistake")
	b.WaitFor(`/Move [246] of 7: .*(blunder|mistake)/.test(` + status + `)`)
	b.WaitFor(`document.querySelectorAll("#review-lines li").length > 0`)
	b.WaitFor(`document.getElementById("board").innerHTML !== window.end`)
	// The list leads to the sixth move, and the keyboard leads back.
	browser.Eval[string](b, `document.querySelectorAll("#turns button.move")[5].click(); ""`)
	b.WaitFor(`/Move 6 of 7: .*blunder/.test(` + status + `)`)
	require.Equal(t, "true", browser.Eval[string](b, `document.querySelectorAll("#turns button.move")[5].getAttribute("aria-current")`))
	picture(b, "review")
	browser.Eval[string](b, `document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft", bubbles: true })); ""`)
	b.WaitFor(`(` + status + `).startsWith("Move 5 of 7")`)
	for _, width := range []int64{1200, 768, 375} {
		b.Fits(width, 800)
	}

	// When a lost server answers again, the page shows the position that it could not request.
	stones := `document.getElementById("text").textContent.split("1 2 3")[0].match(/[xo]/g).length`
	b.WaitFor(stones + ` === 5`)
	browser.Eval[string](b, `window.fetchNow = window.fetch; window.fetch = async () => { throw new TypeError("lost"); }; ""`)
	click("review-back")
	b.WaitFor(`(` + status + `).includes("Retrying")`)
	browser.Eval[string](b, `window.fetch = window.fetchNow; ""`)
	b.WaitFor(`(` + status + `).startsWith("Move 4 of 7") && ` + stones + ` === 4`)
	click("review-next")

	// After another move, the abandoned line stays available.
	browser.Eval[string](b, `document.getElementById("review-play").focus(); ""`)
	click("review-play")
	b.WaitFor(`document.activeElement.closest("#board") !== null && document.querySelectorAll("#board .can").length > 0 && document.querySelectorAll("#turns button.line").length === 1`)
	browser.Eval[string](b, `document.querySelectorAll("#board .can")[3].dispatchEvent(new MouseEvent("click", { bubbles: true })); ""`)
	b.WaitFor(`document.querySelectorAll("#turns button.move").length === 6`)
	b.Reload()
	b.WaitFor(`document.querySelectorAll("#turns button.move").length === 6 && document.querySelectorAll("#turns button.line").length === 1`)
	browser.Eval[string](b, `document.querySelector("#turns button.line").click(); ""`)
	b.WaitFor(`document.querySelectorAll("#turns button.move").length === 7`)
	require.Empty(t, b.Complaints())
}

// TestSharedWinBrowser: the page names all winners of a game.
func TestSharedWinBrowser(t *testing.T) {
	const name = "shacru:players=4,maxturns=5"
	h := serve(t, optionsFor(t, t.TempDir(), name))
	_, v, fault := post(t, h, "/api/games", host.Body{Game: name, Seats: []string{host.Human, host.Human, host.Human, host.Human}})
	require.Empty(t, fault)
	moves := "a7-b8 g1-f2< e1-d2 a5-b6 e9-d8 i5-h5 d2-c2> c9-c8 d8-d7 f2-e3 a3-b4> c8-c7 b8-b9 h5-g5 b4-c4 b6-b7> i7-h6< g5-f4< c2-b2 c7-b6<"
	for ply, move := range strings.Fields(moves) {
		_, _, fault := post(t, h, "/api/games/"+v.ID+"/play", host.Body{Ply: ply, Move: move})
		require.Empty(t, fault)
	}
	b := browser.Open(t, h.URL+"/#"+v.ID)
	b.WaitFor(`!document.getElementById("end").hidden`)
	require.Equal(t, "Yellow, Red and Green share the win", browser.Eval[string](b, `document.getElementById("end-title").textContent`))
	require.Empty(t, b.Complaints())
}
