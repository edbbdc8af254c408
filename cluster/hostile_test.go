package cluster_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"tiro/cluster"
	"tiro/env"
	"tiro/env/games"
	"tiro/rundir"
	"tiro/selfplay"
	"tiro/train"
)

// fleet is a training with a cluster in the background.
type fleet struct {
	t     testing.TB
	notes *notes
	dir   string
	url   string
	done  chan error
}

// startTraining starts a training of small with a cluster.
func startTraining(t testing.TB, generations int, change func(*cluster.Options)) *fleet {
	return start(t, training(t, t.TempDir(), generations), change)
}

// start starts a training with a cluster.
func start(t testing.TB, run train.Options, change func(*cluster.Options)) *fleet {
	f := &fleet{t: t, notes: newNotes(t, "trainer"), dir: run.Dir, done: make(chan error, 1)}
	o := serving(t, f.notes)
	if change != nil {
		change(&o)
	}
	trainer, err := cluster.New(o)
	require.NoError(t, err)
	run.Selfplayer = trainer
	run.Events = warnings(f.notes.add)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer trainer.Close()
		f.done <- train.Run(ctx, run)
	}()
	t.Cleanup(func() { cancel(); <-ended })
	f.url = f.notes.address(t)
	return f
}

// worker starts a worker that is stopped at the end of the test.
func (f *fleet) worker(name string, change func(*cluster.WorkerOptions)) *notes {
	n, stop := startWorker(f.t, f.url, name, change)
	f.t.Cleanup(func() { _ = stop() })
	return n
}

// attacker is a connection of somebody who knows the protocol.
func (f *fleet) attacker() (*nats.Conn, jetstream.JetStream) {
	nc, err := nats.Connect(f.url)
	require.NoError(f.t, err)
	f.t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	require.NoError(f.t, err)
	return nc, js
}

// announced returns the announcement and its ID.
func (f *fleet) announced(js jetstream.JetStream) (text []byte, id string) {
	require.Eventually(f.t, func() bool {
		kv, err := js.KeyValue(f.t.Context(), "tiro")
		if err != nil {
			return false
		}
		entry, err := kv.Get(f.t.Context(), "announcement")
		if err != nil {
			return false
		}
		text, id = entry.Value(), cluster.AnnouncementID(entry.Value())
		return true
	}, 10*time.Second, 10*time.Millisecond)
	return text, id
}

// finish has an honest worker finish the run, which must be as if nothing had been.
func (f *fleet) finish(want map[string]string) {
	f.worker("honest", nil)
	require.NoError(f.t, <-f.done)
	requireSame(f.t, want, f.dir)
}

// TestHostileMessages: whatever somebody publishes, the run goes on, says what it has
// refused, and ends with the same bytes.
func TestHostileMessages(t *testing.T) {
	want := undisturbed(t, 2)
	f := startTraining(t, 2, nil)
	nc, js := f.attacker()
	text, id := f.announced(js)

	for _, request := range []string{
		``, `{`, `[]`, `{"format":1,"what":"tiro weights"}`, `{"workers":"1"}`,
		`{"workers":1,"more":1}`, strings.Repeat("x", 1<<20),
	} {
		m, err := nc.Request("tiro.lease.eve", []byte(request), 5*time.Second)
		require.NoError(t, err)
		require.NotContains(t, string(m.Data), `"refused":""`, "%.40s", request)
	}
	f.notes.wait(t, "a message cannot be read")
	m, err := nc.Request("tiro.lease.eve", []byte(`{"tiro":"other","workers":1}`), 5*time.Second)
	require.NoError(t, err)
	require.Contains(t, string(m.Data), `want the same version`)
	m, err = nc.Request("tiro.lease.eve", []byte(`{"tiro":"`+version+`","session":"1","workers":1,"id":"`+id+`","held":[-1,99999999,3,3],"want":1000000}`), 5*time.Second)
	require.NoError(t, err)
	require.NotContains(t, string(m.Data), "99999999")

	_, err = js.Publish(t.Context(), "tiro.episode."+id+".big", make([]byte, 9<<20))
	require.ErrorContains(t, err, "maximum payload", "oversized")
	send := func(name, id string, data []byte) {
		_, err := js.Publish(t.Context(), "tiro.episode."+id+"."+name, data)
		require.NoError(t, err)
	}
	for name, data := range map[string][]byte{
		"empty": nil, "noise": []byte("noise"), "bomb": bomb(t), "announcer": text,
		"liar":   forge(t, text, func(*selfplay.Header, *selfplay.Episode) {}),
		"alien":  forge(t, text, func(h *selfplay.Header, _ *selfplay.Episode) { h.Net = "0000000000000000" }),
		"beyond": forge(t, text, func(_ *selfplay.Header, e *selfplay.Episode) { e.Game = 40 }),
	} {
		send(name, id, data)
		f.notes.wait(t, "a worker is dropped worker="+name)
	}
	send("late", "0123456789abcdef", []byte("of another generation"))
	refused, stop := startWorker(t, f.url, "liar", nil)
	require.ErrorContains(t, waitFor(stop, refused, "playing"), "the trainer refuses this worker")
	f.finish(want)
	said := f.notes.all()
	for _, kind := range []string{"malformed messages=7", "forged messages=", "late messages=1"} {
		require.Contains(t, said, "messages refused kind="+kind)
	}
}

// waitFor waits for the end of a worker that ends by itself.
func waitFor(stop func() error, n *notes, text string) error {
	for range 1000 {
		if strings.Contains(n.all(), text) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(time.Second)
	return stop()
}

// bomb is a small message that unpacks to a large one.
func bomb(t *testing.T) []byte {
	game, err := games.New("mnk")
	require.NoError(t, err)
	var b bytes.Buffer
	h := selfplay.NewHeader(game.Spec(), 1, 1, strings.Repeat("0", 80<<20))
	require.NoError(t, selfplay.Write(&b, h, nil))
	return b.Bytes()
}

// forge returns the message of a game that was not played as announced.
func forge(t *testing.T, announcement []byte, change func(*selfplay.Header, *selfplay.Episode)) []byte {
	var a struct {
		Seed       uint64
		Generation int
		Net        string
	}
	require.NoError(t, json.Unmarshal(announcement, &a))
	game, err := games.New("mnk")
	require.NoError(t, err)
	h := selfplay.NewHeader(game.Spec(), a.Seed, a.Generation, a.Net)
	e := selfplay.Episode{Rules: game, Actions: []env.Action{0, 4, 1, 5, 2}, Result: env.WinFor(0, 2), Ending: "k-in-row", Opening: 3}
	change(&h, &e)
	var b bytes.Buffer
	require.NoError(t, selfplay.Write(&b, h, []selfplay.Episode{e}))
	return b.Bytes()
}

// TestHostileEffort: whatever a worker says that it has taken, a generation ends, and its
// metrics have bounded sums.
func TestHostileEffort(t *testing.T) {
	want := undisturbed(t, 1)
	f := startTraining(t, 1, nil)
	nc, js := f.attacker()
	_, id := f.announced(js)
	report := func(evaluations, cpuSeconds string) string {
		text := `{"tiro":"` + version + `","session":"1","workers":1,"id":"` + id + `","evaluations":` + evaluations + `,"cpu_seconds":` + cpuSeconds + `}`
		m, err := nc.Request("tiro.lease.eve", []byte(text), 5*time.Second)
		require.NoError(t, err)
		return string(m.Data)
	}
	const most, refused = "1125899906842624", `"refused":"`
	for _, test := range []struct{ name, evaluations, cpuSeconds, want string }{
		{"begins", "0", "0", refused + `"`},
		{"negative evaluations", "-1", "0", refused + "evaluations is -1; want 0 to " + most},
		{"many evaluations", "9223372036854775807", "0", refused + "evaluations is 9223372036854775807; want 0 to " + most},
		{"negative time", "0", "-1e-9", refused + "cpu_seconds is -1e-09; want 0 to 1e+12"},
		{"much time", "0", "1.7976931348623157e308", refused + "cpu_seconds is 1.7976931348623157e+308; want 0 to 1e+12"},
		{"the most", most, "1e12", refused + `"`},
		{"begins again", "0", "0", refused + `"`},
		{"the most again", most, "1e12", refused + `"`},
	} {
		require.Contains(t, report(test.evaluations, test.cpuSeconds), test.want, test.name)
	}
	f.finish(want)
	metrics, err := os.ReadFile(filepath.Join(f.dir, rundir.MetricsFile))
	require.NoError(t, err)
	require.Contains(t, string(metrics), `"name":"eve","backend":"","workers":1,"games":0,"evaluations":`+most+`,"cpu_seconds":1000000000000,`)
}

// TestHang: a worker that is heard of and delivers nothing does not stop a training.
func TestHang(t *testing.T) {
	want := undisturbed(t, 1)
	f := startTraining(t, 1, func(o *cluster.Options) { o.Lease = time.Second })
	nc, js := f.attacker()
	_, id := f.announced(js)
	request := func(games, want string) []byte {
		return []byte(`{"tiro":"` + version + `","session":"1","workers":1,"id":"` + id + `","held":[` + games + `],"want":` + want + `}`)
	}
	m, err := nc.Request("tiro.lease.hanging", request("", "2"), 5*time.Second)
	require.NoError(t, err)
	require.Contains(t, string(m.Data), `"granted":[0,1]`)
	f.worker("honest", nil)
	deadline := time.After(30 * time.Second)
	for {
		select {
		case err := <-f.done:
			require.NoError(t, err)
			requireSame(t, want, f.dir)
			return
		case <-deadline:
			require.Fail(t, "the training waits for a worker that hangs")
		case <-time.After(100 * time.Millisecond):
			_ = nc.PublishRequest("tiro.lease.hanging", nc.NewInbox(), request("0,1", "0"))
		}
	}
}

// TestOtherPrograms: workers of another version, or with other rules, do not play,
// and both sides say why.
func TestOtherPrograms(t *testing.T) {
	want := undisturbed(t, 1)
	f := startTraining(t, 1, nil)
	old := f.worker("old", func(o *cluster.WorkerOptions) { o.Version = "v0" })
	old.wait(t, `the trainer is tiro "test", this is "v0"; want the same version`)
	f.notes.wait(t, "worker=old")
	odd := f.worker("odd", func(o *cluster.WorkerOptions) {
		o.Find = func(name string) (env.Game, error) { return games.New("mnk:m=4,n=4,k=3") }
	})
	odd.wait(t, "rules or planes of mnk:k=2 differ")
	f.notes.wait(t, "a worker does not play this run worker=odd")
	none := f.worker("none", func(o *cluster.WorkerOptions) {
		o.Find = noGame
	})
	none.wait(t, "no such game")
	f.finish(want)
}

// noGame finds no game.
func noGame(string) (env.Game, error) { return nil, errors.New("no such game") }

// TestLiar: a worker that makes its searches find something else is found, and the
// run is as if it had not been there.
func TestLiar(t *testing.T) {
	const generations = 5 // enough for the liar to ask again before the training ends
	want := undisturbed(t, generations)
	f := startTraining(t, generations, func(o *cluster.Options) { o.Twice = 1 })
	ctx, cancel := context.WithCancel(t.Context())
	lied, ready := make(chan error, 1), make(chan struct{})
	go func() {
		lied <- cluster.Lie(ctx, cluster.WorkerOptions{URL: f.url, Name: "liar", Session: "1", Workers: 1, Version: version, Find: games.New, Clock: time.Now}, ready)
	}()
	f.notes.wait(t, "a worker has come worker=liar")
	f.worker("honest", nil)
	f.notes.wait(t, "a worker has come worker=honest")
	close(ready)
	f.notes.wait(t, "a worker is dropped worker=liar")
	require.NoError(t, <-f.done)
	requireSame(t, want, f.dir)
	require.NotContains(t, f.notes.all(), "worker=honest reason=it played")
	cancel()
	require.ErrorContains(t, <-lied, "the trainer refuses this worker")
}

// TestBackends: workers on other backends are used, and said so once each.
func TestBackends(t *testing.T) {
	f := startTraining(t, 2, func(o *cluster.Options) { o.Twice = 1 })
	f.worker("slow", func(o *cluster.WorkerOptions) { o.Backend = "go" })
	require.NoError(t, <-f.done)
	require.Equal(t, 1, strings.Count(f.notes.all(), "differ in the last bits"))
	require.NotContains(t, f.notes.all(), "is dropped")
}

// TestAnotherTrainer: a server serves one training at a time.
func TestAnotherTrainer(t *testing.T) {
	f := startTraining(t, 1, nil)
	_, js := f.attacker()
	f.announced(js) // until then nobody can know of it
	o := serving(t, newNotes(t, "second"))
	o.Listen, o.URL = "", f.url
	second, err := cluster.New(o)
	require.NoError(t, err)
	defer second.Close()
	run := training(t, filepath.Join(t.TempDir(), "second"), 1)
	run.Selfplayer = second
	require.ErrorContains(t, train.Run(t.Context(), run), "another training, match or rating has its games played at this server")
	f.worker("honest", nil)
	require.NoError(t, <-f.done)
}
