package web

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/games"
	"tiro/internal/browser"
	"tiro/web/host"
)

// longTurn plays Pacru with three seats until a turn with a bonus and a meeting is possible. It
// returns the actions before that turn and the actions of the turn.
func longTurn(t *testing.T) (before, turn []string) {
	game, err := games.New("pacru:players=3")
	require.NoError(t, err)
	random, s := env.NewRand(1), game.New()
	for range 1000 {
		legal := s.Legal(nil)
		if len(legal) == 0 {
			random, s, before = env.NewRand(random.Uint64()), game.New(), nil
			continue
		}
		if turn = meeting(game, s); turn != nil {
			return before, turn
		}
		slides := []env.Action{}
		for _, a := range legal { // turns on the spot would use up markers, which a meeting needs
			if !strings.ContainsAny(s.ActionString(a), "<>") {
				slides = append(slides, a)
			}
		}
		if len(slides) == 0 {
			slides = legal
		}
		a := slides[random.IntN(len(slides))]
		before = append(before, s.ActionString(a))
		s.Play(a)
	}
	require.FailNow(t, "random games have no such turn")
	return nil, nil
}

// meeting returns the actions of a turn with a bonus and a meeting, or nil if the position has
// none.
func meeting(game env.Game, s env.State) []string {
	prompt := func(s env.State) string { return s.(env.Turner).Prompt() }
	if prompt(s) != "" {
		return nil
	}
	for _, a := range s.Legal(nil) {
		moved := env.After(game, s, a)
		if !strings.Contains(prompt(moved), "of the borderland") {
			continue
		}
		for _, bonus := range moved.Legal(nil) {
			met := env.After(game, moved, bonus)
			if strings.Contains(prompt(met), "meeting") && len(moved.ActionString(bonus)) == 2 {
				return []string{s.ActionString(a), moved.ActionString(bonus), met.ActionString(met.Legal(nil)[0])}
			}
		}
	}
	return nil
}

// press plays an action as a person would: it clicks the places in the action's name in order,
// and then the remaining choice, if any.
const press = `
(action) => {
  for (const cell of action.match(/[a-i][1-9]/g) ?? []) {
    document.querySelector('#board .can[data-cell="' + cell + '"]')?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  }
  [...document.querySelectorAll("#choices button")].find((button) => button.textContent === action)?.click();
  return "";
}`

// slowAnswers delays the answers to moves, so that the game's events show the new position
// first.
const slowAnswers = `
(() => {
  const fetchNow = window.fetch;
  window.fetch = async (address, options) => {
    const answer = await fetchNow(address, options);
    if (String(address).endsWith("/play")) await new Promise((done) => setTimeout(done, 3000));
    return answer;
  };
  return "";
})()`

// TestTurnBrowser: in a real browser a turn of Pacru with a bonus and a meeting is played step
// by step. The page asks for each step, each step can be taken back, and clicks before the
// answer to the previous step count, too.
func TestTurnBrowser(t *testing.T) {
	before, turn := longTurn(t)
	h := serve(t, optionsFor(t, t.TempDir(), "pacru:players=3"))
	_, v, _ := post(t, h, "/api/games", host.Body{Game: "pacru:players=3", Seats: []string{host.Human, host.Human, host.Human}})
	for ply, move := range before {
		status, _, fault := post(t, h, "/api/games/"+v.ID+"/play", host.Body{Ply: ply, Move: move})
		require.Equal(t, 200, status, fault)
	}
	b := browser.Open(t, h.URL+"/#"+v.ID)
	play := func(action string) { browser.Eval[string](b, "("+press+`)("`+action+`")`) }
	says := func(text string) {
		b.WaitFor(`document.getElementById("status").textContent.includes("` + text + `")`)
	}
	b.WaitFor(`document.querySelectorAll("#board .can").length > 0`)
	says(" to move")
	browser.Eval[string](b, slowAnswers)
	play(turn[0])
	says("Now choose a ")
	says(" of the borderland")
	play(turn[1])
	says("Now choose a field to mark for the meeting, or skip")
	browser.Eval[string](b, `document.getElementById("undo").click(); ""`)
	says(" of the borderland")
	require.Zero(t, browser.Eval[int](b, `document.querySelectorAll("#turns button.line").length`))
	play(turn[1])
	says("for the meeting")
	picture(b, "meeting")
	play(turn[2])
	says(" to move")
	require.Contains(t, browser.Eval[string](b, `document.querySelector("#turns li:last-child").textContent`), "("+turn[1]+","+turn[2]+")")
	require.Empty(t, b.Complaints())
}
