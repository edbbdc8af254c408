package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/disk/disktest"
	"tiro/env"
	"tiro/env/games"
	"tiro/internal/leaks"
	"tiro/player"
	"tiro/web/host"
)

func TestMain(m *testing.M) { leaks.Main(m) }

// optionsFor returns options that offer games with players that need no network.
func optionsFor(t testing.TB, dir string, names ...string) Options {
	var number atomic.Int64
	o := Options{Disk: disk.OS{}, Dir: dir, Hosts: []string{"127.0.0.1"}}
	o.Options = host.Options{
		Find: games.New, MaxGames: 100, Searches: 2,
		NewID: func() string { return fmt.Sprintf("game%06d", number.Add(1)) },
		Player: func(game env.Game, name string) (player.Factory, error) {
			return player.Plain(game, name)
		},
	}
	for _, name := range names {
		game, err := games.New(name)
		require.NoError(t, err)
		offer := host.Offer{Game: name, Title: name, Analyst: "mcts:20", Players: []host.Player{{Name: "random", Text: "random"}, {Name: "mcts:30", Text: "playouts"}}}
		for i := range game.Spec().Players {
			offer.Seats = append(offer.Seats, env.SeatName(game, env.Player(i)))
		}
		if e, ok := game.(env.Explainer); ok {
			offer.Rules = e.Rules().Text
		}
		o.Offers = append(o.Offers, offer)
	}
	return o
}

// serve starts a server that ends with the test.
func serve(t testing.TB, o Options) *httptest.Server {
	s, err := New(o)
	require.NoError(t, err)
	h := httptest.NewServer(s)
	t.Cleanup(func() {
		s.Close()
		h.CloseClientConnections()
		h.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return h
}

// post sends a request and decodes the answer.
func post(t testing.TB, h *httptest.Server, path string, body any) (status int, v host.View, fault string) {
	data, err := json.Marshal(body)
	require.NoError(t, err)
	r, err := http.Post(h.URL+path, "application/json", bytes.NewReader(data))
	require.NoError(t, err)
	return answerOf(t, r, &v)
}

func answerOf(t testing.TB, r *http.Response, into *host.View) (int, host.View, string) {
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	var fault struct {
		Error string `json:"error"`
	}
	require.NoError(t, json.Unmarshal(data, &fault), string(data))
	require.NoError(t, json.Unmarshal(data, into))
	return r.StatusCode, *into, fault.Error
}

func get(t testing.TB, h *httptest.Server, id string) (status int, v host.View, fault string) {
	r, err := http.Get(h.URL + "/api/games/" + id)
	require.NoError(t, err)
	return answerOf(t, r, &v)
}

// settled waits until a person is on turn or the game is over.
func settled(t testing.TB, h *httptest.Server, id string) host.View {
	for deadline := time.Now().Add(10 * time.Minute); ; time.Sleep(5 * time.Millisecond) {
		status, v, fault := get(t, h, id)
		require.Equal(t, 200, status, fault)
		if v.Person || v.Result != "" {
			return v
		}
		require.True(t, time.Now().Before(deadline), "no player moves")
	}
}

// TestGame plays a game against a player to its end.
func TestGame(t *testing.T) {
	h := serve(t, optionsFor(t, t.TempDir(), "mnk", "pacru:players=3"))
	for name, seats := range map[string][]string{"mnk": {host.Human, "mcts:30"}, "pacru:players=3": {"random", host.Human, "random"}} {
		status, v, fault := post(t, h, "/api/games", host.Body{Game: name, Seats: seats})
		require.Equal(t, 200, status, fault)
		for v = settled(t, h, v.ID); v.Result == "" && v.Ply < 40; v = settled(t, h, v.ID) {
			require.NotEmpty(t, v.Legal)
			require.Equal(t, host.Human, v.Seats[v.Turn].Player)
			status, _, fault = post(t, h, "/api/games/"+v.ID+"/play", host.Body{Ply: v.Ply, Move: v.Legal[0]})
			require.Equal(t, 200, status, fault)
		}
		require.Len(t, v.Values, v.Ply+1)
		if name == "mnk" {
			require.NotEmpty(t, v.Result)
			require.Equal(t, -1, v.Turn)
		}
	}
}

// TestUndoAndRecord: a game can be restored with undo, from a record, and after a restart.
func TestUndoAndRecord(t *testing.T) {
	dir := t.TempDir()
	h := serve(t, optionsFor(t, dir, "mnk"))
	_, v, _ := post(t, h, "/api/games", host.Body{Game: "mnk", Seats: []string{host.Human, "random"}})
	_, _, fault := post(t, h, "/api/games/"+v.ID+"/play", host.Body{Ply: 0, Move: "b2"})
	require.Empty(t, fault)
	v = settled(t, h, v.ID)
	require.Equal(t, 2, v.Ply)
	require.Equal(t, "b2", v.Turns[0].Text)

	r, err := http.Get(h.URL + "/api/games/" + v.ID + "/record")
	require.NoError(t, err)
	var saved struct{ Record string }
	require.NoError(t, json.NewDecoder(r.Body).Decode(&saved))
	require.NoError(t, r.Body.Close())
	require.Contains(t, saved.Record, "[Variant \"mnk\"]\n")
	status, loaded, fault := post(t, h, "/api/games", host.Body{Record: saved.Record})
	require.Equal(t, 200, status, fault)
	require.Equal(t, v.Turns, loaded.Turns)

	again := serve(t, optionsFor(t, dir, "mnk"))
	_, kept, _ := get(t, again, v.ID)
	require.Equal(t, v.Turns, kept.Turns)
	require.Equal(t, v.Board, kept.Board)

	_, v, fault = post(t, h, "/api/games/"+v.ID+"/undo", host.Body{Ply: 2})
	require.Empty(t, fault)
	require.Equal(t, 0, v.Ply)
	_, v, fault = post(t, h, "/api/games/"+v.ID+"/resign", host.Body{Ply: 0})
	require.Empty(t, fault)
	require.Contains(t, v.Result, "resigned")
	_, v, fault = post(t, h, "/api/games/"+v.ID+"/undo", host.Body{Ply: 0})
	require.Empty(t, fault)
	require.Empty(t, v.Result)
}

// TestRefused: each faulty request gets the right status and a message about the fault.
func TestRefused(t *testing.T) {
	h := serve(t, optionsFor(t, t.TempDir(), "mnk", "pacru:players=3"))
	_, v, _ := post(t, h, "/api/games", host.Body{Game: "mnk", Seats: []string{host.Human, host.Human}})
	id := "/api/games/" + v.ID
	_, three, _ := post(t, h, "/api/games", host.Body{Game: "pacru:players=3", Seats: []string{host.Human, host.Human, host.Human}})
	for _, c := range []struct {
		path   string
		body   string
		status int
		want   string
	}{
		{"/api/games", `{"game":"chess","seats":[]}`, 400, `game "chess" is not offered`},
		{"/api/games", `{"game":"mnk","seats":["human"]}`, 400, "1 seats, but mnk has 2"},
		{"/api/games", `{"game":"mnk","seats":["human","ugi:rm -rf /"]}`, 400, `seat 2: player "ugi:rm -rf /" is not offered`},
		{"/api/games", `{"record":"nonsense"}`, 400, "not a saved Tiro game"},
		{"/api/games", `{`, 400, "unexpected end"},
		{"/api/games", `[]`, 400, "the value is an array but must be an object"},
		{"/api/games", `{"game":"` + strings.Repeat("x", 1000) + `"}`, 400, `game "` + strings.Repeat("x", 100) + `" is not offered`},
		{"/api/games", `{"game":"` + strings.Repeat("x", maxBody) + `"}`, 413, "too large"},
		{id + "/play", `{"ply":0,"move":"z9"}`, 400, `illegal move "z9"`},
		{id + "/play", `{"ply":0,"move":"` + strings.Repeat("z", 1000) + `"}`, 400, `illegal move "` + strings.Repeat("z", 100) + `"`},
		{id + "/play", `{"ply":"0"}`, 400, `field "ply" is a string but must be a 64-bit integer`},
		{id + "/play", `{"ply":5,"move":"a1"}`, 409, "changed meanwhile"},
		{id + "/undo", `{"ply":0}`, 400, "no move to take back"},
		{id + "/hint", `{"ply":-1}`, 409, "changed meanwhile"},
		{"/api/games/" + three.ID + "/resign", `{"ply":0}`, 400, "two players"},
		{"/api/games/unknowngame/play", `{}`, 404, "no such game"},
		{"/api/moves", `{}`, 404, `no such request: "moves"`},
		{id + "/move", `{}`, 404, `no such request: "move" of a game`},
		{"/api/games/..%2f..%2fetc/play", `{}`, 404, "no such request"},
	} {
		r, err := http.Post(h.URL+c.path, "application/json", strings.NewReader(c.body))
		require.NoError(t, err)
		status, _, fault := answerOf(t, r, new(host.View))
		require.Equal(t, c.status, status, "%s %.80s: %s", c.path, c.body, fault)
		require.Contains(t, fault, c.want)
	}
	for contentType, want := range map[string]int{"text/plain": 400, "": 400, "application/json; charset=utf-8": 200} {
		r, err := http.Post(h.URL+id+"/play", contentType, strings.NewReader(`{"ply":0,"move":"a1"}`))
		require.NoError(t, err)
		status, _, fault := answerOf(t, r, new(host.View))
		require.Equal(t, want, status)
		if want != 200 {
			require.Contains(t, fault, "application/json")
		}
	}
}

// TestLoad: a thousand simultaneous games use bounded memory, and evicted games can continue.
func TestLoad(t *testing.T) {
	const count = 1000
	o := optionsFor(t, t.TempDir(), "mnk")
	h := serve(t, o)
	ids := make([]string, count)
	var wait sync.WaitGroup
	for worker := range 8 {
		wait.Go(func() {
			for i := worker; i < count; i += 8 {
				_, v, fault := post(t, h, "/api/games", host.Body{Game: "mnk", Seats: []string{host.Human, host.Human}})
				if fault == "" {
					ids[i] = v.ID
				}
			}
		})
	}
	wait.Wait()
	var memory runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&memory)
	require.Less(t, memory.HeapAlloc, uint64(64<<20))
	for _, i := range []int{0, count / 2, count - 1} { // the first was evicted long ago
		_, v, fault := post(t, h, "/api/games/"+ids[i]+"/play", host.Body{Move: "b2"})
		require.Empty(t, fault)
		require.Equal(t, 1, v.Ply)
	}
}

// TestTwoBrowsers: when two browsers move at once, one move is accepted and the other is
// refused as late.
func TestTwoBrowsers(t *testing.T) {
	h := serve(t, optionsFor(t, t.TempDir(), "mnk"))
	_, v, _ := post(t, h, "/api/games", host.Body{Game: "mnk", Seats: []string{host.Human, host.Human}})
	var statuses [2]int
	var wait sync.WaitGroup
	for i, move := range []string{"a1", "c3"} {
		wait.Go(func() { statuses[i], _, _ = post(t, h, "/api/games/"+v.ID+"/play", host.Body{Ply: 0, Move: move}) })
	}
	wait.Wait()
	require.ElementsMatch(t, []int{200, 409}, statuses[:])
}

// TestDamagedGame: an invalid game file is refused with an error that names it.
func TestDamagedGame(t *testing.T) {
	dir := t.TempDir()
	h := serve(t, optionsFor(t, dir, "mnk"))
	const game = "[White \"human\"]\n[Black \"human\"]\n[Variant \"mnk\"]\n[RulesVersion \"1\"]\n"
	for name, text := range map[string]string{
		"damaged1": `{"format":1`, "damaged2": game + "\n1. z9 *\n", "damaged3": strings.Replace(game, "1", "9", 1) + "*",
		"damaged4": strings.Repeat(" ", maxFile+1), "damaged5": game + "1. b2 (1. a1 z9) *\n",
		"damaged6": strings.Replace(game, "human", "stranger", 1) + "*",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".pgn"), []byte(text), 0o666))
		status, _, fault := get(t, h, name)
		require.Equal(t, 400, status)
		require.Contains(t, fault, name)
	}
}

// TestEarlierLevels: a saved game keeps an opponent whose level was rated again. A new game cannot
// have it, and a game with a player that is not offered at all has an error with its name.
func TestEarlierLevels(t *testing.T) {
	dir := t.TempDir()
	o := optionsFor(t, dir, "mnk")
	o.Offers[0].Players = append(o.Offers[0].Players, host.Player{Name: "bundled,sims=6,temperature=0.6", Text: "Tiro, level 2"})
	h := serve(t, o)
	const earlier = "bundled,sims=5,temperature=0.7"
	for name, player := range map[string]string{"earlier1": earlier, "unknown1": "net:runs/other,sims=5"} {
		text := "[White \"human\"]\n[Black \"" + player + "\"]\n[Variant \"mnk\"]\n[RulesVersion \"2\"]\n\n1. b2 *\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".pgn"), []byte(text), 0o666))
	}
	status, v, fault := get(t, h, "earlier1")
	require.Equal(t, 200, status, fault)
	require.Equal(t, earlier, v.Seats[1].Player)
	status, _, fault = get(t, h, "unknown1")
	require.Equal(t, 400, status)
	require.Equal(t, `game unknown1 cannot continue here: seat 2: player "net:runs/other,sims=5" is not offered`, fault)
	status, _, fault = post(t, h, "/api/games", host.Body{Game: "mnk", Seats: []string{host.Human, earlier}})
	require.Equal(t, 400, status)
	require.Contains(t, fault, "is not offered")
}

// TestFolderIsReadOnly: a read-only folder is reported at the start. A folder that becomes
// read-only later is reported with the game, in one line that names the folder.
func TestFolderIsReadOnly(t *testing.T) {
	memory, locked := disktest.New(), true
	memory.Hook = func(op disktest.Op) disktest.Verdict {
		if locked && op.Kind.Changes() && strings.HasPrefix(op.Path, "games/") {
			return disktest.Verdict{Do: disktest.None, Err: syscall.EACCES}
		}
		return disktest.Verdict{}
	}
	o := optionsFor(t, "games", "mnk")
	o.Disk = memory
	_, err := New(o)
	require.ErrorIs(t, err, fs.ErrPermission)
	require.EqualError(t, err, "web: games cannot be saved in games: permission denied")

	locked = false
	h := serve(t, o)
	left, err := memory.ReadDir("games")
	require.NoError(t, err)
	require.Empty(t, left)
	locked = true
	_, v, _ := post(t, h, "/api/games", host.Body{Game: "mnk", Seats: []string{host.Human, host.Human}})
	require.Equal(t, "the game is not saved: games: permission denied", v.Trouble)
}

// FuzzRequests: no request makes the server panic.
func FuzzRequests(f *testing.F) {
	f.Add("play", `{"ply":0,"move":"b2"}`)
	f.Add("", `{"game":"mnk","seats":["human","random"]}`)
	f.Add("", `{"record":"[Variant \"mnk\"]\n1. b2 a1 *\n"}`)
	f.Add("hint", `{"ply":1e9}`)
	f.Add("back", `{"ply":0,"to":-1}`)
	f.Add("line", `{"ply":0,"line":9}`)
	s, err := New(optionsFor(f, f.TempDir(), "mnk"))
	require.NoError(f, err)
	f.Cleanup(s.Close)
	f.Fuzz(func(t *testing.T, what, body string) {
		path := "/api/games"
		if what != "" {
			path += "/game000001/" + strings.Map(func(r rune) rune {
				if r >= 'a' && r <= 'z' {
					return r
				}
				return 'x'
			}, what)
		}
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
		r.Host = "127.0.0.1"
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		require.NotEqual(t, 500, w.Code)
	})
}
