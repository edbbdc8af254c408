package cluster_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	stdnet "net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"tiro/cluster"
	"tiro/env"
	"tiro/env/games"
	"tiro/rundir"
	"tiro/selfplay"
	"tiro/train"
)

// TestHostileMessages: a run continues whatever it receives, reports everything that it
// refuses, and ends with the same bytes.
func TestHostileMessages(t *testing.T) {
	t.Parallel()
	want := undisturbed(t, 2)
	f := startTraining(t, 2, nil)
	eve := f.intruder("eve")
	id, text := eve.announced()
	for _, data := range []string{"", "{", "[]", `{"workers":"1"}`, `{"goroutines":1,"more":1}`, strings.Repeat("x", 1<<20)} {
		require.NotContains(t, string(eve.request("tiro.ask.eve", []byte(data))), `"refused":""`, "%.40s", data)
	}
	f.notes.wait(t, "a request is invalid")
	require.Contains(t, eve.ask(map[string]any{"tiro": "other", "field of that version": 1}).Refused, "the same version")
	require.Contains(t, eve.ask(map[string]any{"goroutines": 1 << 30}).Refused, "goroutines")
	require.NotContains(t, eve.ask(map[string]any{"id": id, "held": []int{-1, 99999999, 3, 3}, "want": 1000000}).Granted, 99999999)
	for _, test := range []struct {
		reason string
		data   []byte
	}{
		{"unexpected EOF", []byte{}},
		{"magic number mismatch", text},
		{"longer than", bomb(t)},
		{"opening", forge(t, text, func(*selfplay.Header, *selfplay.Episode) {})},
		{"its header is", forge(t, text, func(h *selfplay.Header, _ *selfplay.Episode) { h.Net = "0000000000000000" })},
		{"game is 40", forge(t, text, func(_ *selfplay.Header, e *selfplay.Episode) { e.Game = 40 })},
	} {
		require.Equal(t, id, eve.send(id, test.data).ID, test.reason)
		require.Regexp(t, `a worker has sent an invalid game worker=eve .*`+test.reason, f.notes.all())
	}
	eve.send("0123456789abcdef", []byte("late"))
	for _, name := range []string{"x", id, "0000000000000000"} {
		require.Empty(t, eve.ask(map[string]any{"id": id, "network": name, "offset": -1}).Piece)
	}
	require.ErrorIs(t, eve.nc.Publish("tiro.ask.eve", make([]byte, 5<<20)), nats.ErrMaxPayload)
	f.finish(want)
	metrics, err := os.ReadFile(filepath.Join(f.dir, rundir.MetricsFile))
	require.NoError(t, err)
	require.NotContains(t, string(metrics), `"name":"eve","backend":"","workers":1,"games":1`)
}

// bomb is a small message that unpacks to a large one.
func bomb(t *testing.T) []byte {
	game, err := games.New("mnk")
	require.NoError(t, err)
	var b bytes.Buffer
	h := selfplay.NewHeader(game.Spec(), 1, 1, strings.Repeat("0", 33<<20))
	require.NoError(t, selfplay.Write(&b, h, nil))
	return b.Bytes()
}

// forge returns the message of a game that was not played as announced.
func forge(t *testing.T, announcement []byte, change func(*selfplay.Header, *selfplay.Episode)) []byte {
	var all struct {
		Game       string
		Generation struct {
			Seed       uint64
			Generation int
			Net        string
		}
	}
	require.NoError(t, json.Unmarshal(announcement, &all))
	a := all.Generation
	game, err := games.New(all.Game)
	require.NoError(t, err)
	h := selfplay.NewHeader(game.Spec(), a.Seed, a.Generation, a.Net)
	e := selfplay.Episode{Rules: game, Actions: []env.Action{0, 8, 1}, Result: env.WinFor(0, 2), Ending: "k-in-row", Opening: 3}
	change(&h, &e)
	var b bytes.Buffer
	encoded, err := selfplay.EncodeAll([]selfplay.Episode{e})
	require.NoError(t, err)
	require.NoError(t, selfplay.Write(&b, h, encoded))
	return b.Bytes()
}

// TestAnswersGoToWhoAsked: a worker cannot make the trainer or JetStream write to another
// worker, or under its name.
func TestAnswersGoToWhoAsked(t *testing.T) {
	t.Parallel()
	want := undisturbed(t, 2)
	keys := issue(t, "evil", "good")
	f := startTraining(t, 2, func(o *cluster.Options) { o.Credentials = keys })
	victim, err := join(t, f.url, read(t, keys, "good"))
	require.NoError(t, err)
	heard, err := victim.SubscribeSync("_INBOX.worker.good.x")
	require.NoError(t, err)
	require.NoError(t, victim.Flush())
	nc, err := join(t, f.url, read(t, keys, "evil"), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	require.NoError(t, err)
	for _, subject := range []string{"tiro.ask.evil", "$JS.API.INFO", "$JS.API.STREAM.INFO.TIRO_GAMES"} {
		for _, inbox := range []string{"_INBOX.worker.good.x", "tiro.ask.good", "tiro.queue.0.0", "_INBOX.worker.evil", "_INBOX.worker.evilgood.x"} {
			require.NoError(t, nc.PublishRequest(subject, inbox, []byte("x")))
		}
	}
	require.NoError(t, nc.Flush())
	f.worker("", func(o *cluster.WorkerOptions) { o.Credentials = read(t, keys, "good") })
	require.NoError(t, <-f.done)
	requireSame(t, want, f.dir)
	_, err = heard.NextMsg(100 * time.Millisecond)
	require.ErrorIs(t, err, nats.ErrTimeout)
	require.NotContains(t, f.notes.all(), "invalid game worker=good")
}

// TestDifferentCopies: two workers that have played a game differently stop the run, with an
// error that names both.
func TestDifferentCopies(t *testing.T) {
	alone := training(t, t.TempDir(), 1)
	calm(t, alone)
	file, err := os.Open(filepath.Join(alone.Dir, "episodes", "000001.jsonl.zst"))
	require.NoError(t, err)
	defer file.Close()
	header, episodes, err := selfplay.Read(file, games.New)
	require.NoError(t, err)

	f := startTraining(t, 1, func(o *cluster.Options) { o.Twice = 1 })
	liar, other := f.intruder("liar"), f.intruder("other")
	id, _ := liar.announced()
	other.ask(map[string]any{"id": id})
	granted := liar.take(id, 3)
	lie := episodes[granted[0]]
	require.Equal(t, granted[0], lie.Game)
	lie.Samples[0].KL += 0.5
	var b bytes.Buffer
	encoded, err := selfplay.EncodeAll([]selfplay.Episode{lie})
	require.NoError(t, err)
	require.NoError(t, selfplay.Write(&b, header, encoded))
	require.Equal(t, id, liar.send(id, b.Bytes()).ID)
	f.worker("honest", nil)
	err = <-f.done
	require.ErrorContains(t, err, "liar")
	require.ErrorContains(t, err, "honest")
}

// TestHostileEffort: a worker's reports about its effort are bounded.
func TestHostileEffort(t *testing.T) {
	f := startTraining(t, 1, nil)
	eve := f.intruder("eve")
	id, _ := eve.announced()
	const most = 1 << 50
	for _, refused := range []map[string]any{{"evaluations": -1}, {"evaluations": most + 1}, {"cpu_seconds": -1e-9}, {"cpu_seconds": 1.7e308}} {
		require.NotEmpty(t, eve.ask(refused).Refused)
	}
	for _, effort := range []int{0, most, 0, most} {
		require.Empty(t, eve.ask(map[string]any{"id": id, "evaluations": effort, "cpu_seconds": min(effort, 1e12)}).Refused)
	}
	f.worker("honest", nil)
	require.NoError(t, <-f.done)
	metrics, err := os.ReadFile(filepath.Join(f.dir, rundir.MetricsFile))
	require.NoError(t, err)
	require.Contains(t, string(metrics), fmt.Sprintf(`"games":0,"evaluations":%d,"cpu_seconds":1000000000000,`, most))
}

// TestHang: a worker that is heard of and delivers nothing does not stop a training.
func TestHang(t *testing.T) {
	t.Parallel()
	want := undisturbed(t, 1)
	f := startTraining(t, 1, func(o *cluster.Options) { o.Lease = time.Second })
	hanging := f.intruder("hanging")
	id, _ := hanging.announced()
	held := hanging.take(id, 2)
	f.worker("honest", nil)
	deadline := time.After(3 * time.Minute)
	for {
		select {
		case err := <-f.done:
			require.NoError(t, err)
			requireSame(t, want, f.dir)
			return
		case <-deadline:
			require.Fail(t, "the training waits for a worker that hangs")
		case <-time.After(100 * time.Millisecond):
			data, err := json.Marshal(map[string]any{"tiro": version, "backend": "", "goroutines": 1, "id": id, "refused": "", "games": [][]byte{}, "held": held, "want": 0, "evaluations": 0, "cpu_seconds": 0, "network": "", "offset": 0})
			require.NoError(t, err)
			_, _ = hanging.nc.Request("tiro.ask.hanging", data, time.Second) // the trainer may have ended
		}
	}
}

// TestServerIsBounded: without credentials every client has the rights of a worker, and the
// connections of each are limited.
func TestServerIsBounded(t *testing.T) {
	t.Parallel()
	f := startTraining(t, 1, nil)
	refused := make(chan error, 10)
	nc, err := nats.Connect(f.url, patient, nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refused <- err }))
	require.NoError(t, err)
	defer nc.Close()
	require.EqualValues(t, 4<<20, nc.MaxPayload())
	for _, subject := range []string{"$JS.API.INFO", "tiro.queue.0.0", "tiro.news"} {
		require.NoError(t, nc.Publish(subject, nil))
		require.ErrorIs(t, <-refused, nats.ErrPermissionViolation)
	}
	var mu sync.Mutex
	closed := 0
	for range 80 {
		count := func(*nats.Conn) { mu.Lock(); closed++; mu.Unlock() }
		c, err := nats.Connect(f.url, patient, nats.NoReconnect(), nats.ClosedHandler(count))
		if err != nil { // it was closed before it was complete
			count(nil)
			continue
		}
		defer c.Close()
	}
	require.Eventually(t, func() bool { mu.Lock(); defer mu.Unlock(); return closed >= 80-64 }, 2*time.Minute, 20*time.Millisecond)
	f.worker("honest", nil)
	require.NoError(t, <-f.done)
}

// TestServerIsCrowded: silent connections, and clients that do not read the answers to their
// requests, are closed, and workers can connect.
func TestServerIsCrowded(t *testing.T) {
	t.Parallel()
	want := undisturbed(t, 1)
	keys := issue(t, "honest")
	f := startTraining(t, 1, func(o *cluster.Options) { o.Credentials = keys })
	at := strings.TrimPrefix(f.url, "nats://")
	for range 600 {
		c, err := stdnet.Dial("tcp", at)
		require.NoError(t, err)
		defer c.Close()
	}
	f.worker("", func(o *cluster.WorkerOptions) { o.Credentials = read(t, keys, "honest") })
	require.NoError(t, <-f.done)
	requireSame(t, want, f.dir)

	f = startTraining(t, 1, nil)
	f.intruder("eve").announced()
	deaf, err := stdnet.Dial("tcp", strings.TrimPrefix(f.url, "nats://"))
	require.NoError(t, err)
	defer deaf.Close()
	_, err = fmt.Fprint(deaf, "CONNECT {\"verbose\":false,\"headers\":true}\r\nSUB tiro.news 1\r\nSUB _INBOX.worker.deaf.> 2\r\n")
	for err == nil { // each answer has 300 bytes or more
		_, err = fmt.Fprint(deaf, strings.Repeat("PUB tiro.ask.deaf _INBOX.worker.deaf.x 0\r\n\r\n", 1000))
	}
	f.worker("honest", nil)
	require.NoError(t, <-f.done)
}

// fakeTrainer sends an announcement to workers, and returns its URL and their refusals.
func fakeTrainer(t *testing.T, announcement []byte) (url string, refusals <-chan string) {
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true, MaxPayload: 64 << 20})
	require.NoError(t, err)
	go s.Start()
	require.True(t, s.ReadyForConnections(2*time.Minute))
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	nc, err := nats.Connect(s.ClientURL(), patient)
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	refused := make(chan string, 100)
	id := cluster.AnnouncementID(announcement)
	answer := func(announcement json.RawMessage) []byte {
		a := map[string]any{"id": id, "granted": []int{}}
		if announcement != nil {
			a["announcement"] = announcement
		}
		data, err := json.Marshal(a)
		require.NoError(t, err)
		return data
	}
	full, short := answer(announcement), answer(nil) // made once, since a large one takes seconds with the race detector
	_, err = nc.Subscribe("tiro.ask.*", func(m *nats.Msg) {
		var q struct{ ID, Refused string }
		_ = json.Unmarshal(m.Data, &q)
		if q.ID != id {
			_ = m.Respond(full)
			return
		}
		if q.Refused != "" {
			refused <- q.Refused
		}
		_ = m.Respond(short)
	})
	require.NoError(t, err)
	return s.ClientURL(), refused
}

// TestHostileAnnouncements: a worker refuses an announcement that is invalid or needs more
// memory than it has, gives the trainer the reason, and still stops when it should.
func TestHostileAnnouncements(t *testing.T) {
	t.Parallel()
	f := startTraining(t, 1, nil)
	_, honest := f.intruder("eve").announced()
	change := func(from, to string) []byte {
		require.Contains(t, string(honest), from)
		return bytes.Replace(honest, []byte(from), []byte(to), 1)
	}
	for _, test := range []struct {
		name         string
		announcement []byte
		reason       string // that the trainer receives; empty: the worker only logs it
	}{
		{"cache", change("cache_positions: 65536", "cache_positions: 67108864"), "--memory"},
		{"simulations", change("simulations: 12", "simulations: 1000000000"), "--memory"},
		{"concurrent", change("concurrent_games: 4", "concurrent_games: 100000"), "concurrent_games"},
		{"players", []byte(`{"tiro":"","matches":[]}`), "version"},
		{"large", fmt.Appendf(nil, `{"tiro":"%s"}`, bytes.Repeat([]byte("x"), 5<<20)), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			url, refusals := fakeTrainer(t, test.announcement)
			n, stop := startWorker(t, url, "w", func(o *cluster.WorkerOptions) { o.Memory = 256 << 20 })
			if test.reason == "" {
				n.wait(t, "the limit is")
			} else {
				select {
				case why := <-refusals:
					require.Contains(t, why, test.reason)
				case <-time.After(2 * time.Minute):
					require.Fail(t, "it is not refused")
				}
			}
			began := time.Now()
			require.NoError(t, stop())
			t.Log("stopped in", time.Since(began))
		})
	}
	f.worker("honest", nil)
	require.NoError(t, <-f.done)
}

// TestOtherPrograms: workers of another version, or with other rules, do not play, and both
// sides report the reason.
func TestOtherPrograms(t *testing.T) {
	t.Parallel()
	want := undisturbed(t, 1)
	f := startTraining(t, 1, nil)
	old := f.worker("old", func(o *cluster.WorkerOptions) { o.Version = "v0" })
	old.wait(t, "must have the same version")
	require.NotContains(t, old.all(), "does not answer", "it does")
	f.notes.wait(t, "worker=old")
	odd := f.worker("odd", func(o *cluster.WorkerOptions) {
		o.Find = func(name string) (env.Game, error) { return games.New("mnk:m=4,n=4,k=3") }
	})
	odd.wait(t, "rules or planes of mnk:k=2 differ")
	f.notes.wait(t, "a worker does not play the announced games worker=odd")
	f.finish(want)
}

// TestAnotherTrainer: a server serves one training at a time, and needs JetStream.
func TestAnotherTrainer(t *testing.T) {
	t.Parallel()
	for _, jetStream := range []bool{true, false} {
		s, err := server.NewServer(&server.Options{
			Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: jetStream, StoreDir: t.TempDir(), NoSigs: true, NoLog: true, MaxPayload: 4 << 20,
			Username: "tiro", Password: "secret",
		})
		require.NoError(t, err)
		go s.Start()
		require.True(t, s.ReadyForConnections(2*time.Minute))
		defer func() { s.Shutdown(); s.WaitForShutdown() }()
		url := strings.Replace(s.ClientURL(), "://", "://tiro:secret@", 1)
		begin := func(n *notes) (train.Options, *cluster.Trainer) {
			o := serving(n)
			o.Listen, o.URL = "", url
			trainer, err := cluster.New(o)
			require.NoError(t, err)
			run := training(t, filepath.Join(t.TempDir(), "run"), 1)
			run.Selfplayer = trainer
			return run, trainer
		}
		first := newNotes(t, "first")
		run, trainer := begin(first)
		defer trainer.Close()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		done := make(chan error, 1)
		go func() { done <- train.Run(ctx, run) }()
		if !jetStream {
			first.wait(t, "JetStream is off")
			cancel()
			require.Error(t, <-done)
			continue
		}
		(&fleet{t: t, url: url}).intruder("eve").announced()
		other, second := begin(newNotes(t, "second"))
		defer second.Close()
		err = train.Run(t.Context(), other)
		require.ErrorContains(t, err, "another training, match or rating uses this server")
		require.Equal(t, 1, strings.Count(err.Error(), "generation 1"))
		n, stop := startWorker(t, url, "honest", nil)
		require.NoError(t, <-done)
		require.NoError(t, stop())
		require.NotContains(t, n.all(), "secret")
	}
}
