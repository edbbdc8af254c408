package cluster_test

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"tiro/cluster"
	"tiro/env/games"
	"tiro/train"
)

// issue makes credentials for workers.
func issue(t testing.TB, workers ...string) (dir string) {
	dir = filepath.Join(t.TempDir(), "keys")
	files, err := cluster.NewCredentials(dir, workers)
	require.NoError(t, err)
	require.Len(t, files, len(workers))
	return dir
}

func read(t testing.TB, dir, worker string) *cluster.Credentials {
	c, err := cluster.ReadCredentials(filepath.Join(dir, "worker-"+worker+".json"))
	require.NoError(t, err)
	require.Equal(t, worker, c.Worker)
	return c
}

// join connects to a server as a worker does, but as a client of its own.
func join(t testing.TB, url string, c *cluster.Credentials, more ...nats.Option) (*nats.Conn, error) {
	block, _ := pem.Decode([]byte(c.Server))
	nc, err := nats.Connect(url, append([]nats.Option{
		nats.UserInfo(c.Worker, c.Secret), nats.Secure(&tls.Config{InsecureSkipVerify: true, VerifyConnection: func(s tls.ConnectionState) error {
			if !bytes.Equal(s.PeerCertificates[0].Raw, block.Bytes) {
				return errors.New("another server")
			}
			return nil
		}}), patient, nats.CustomInboxPrefix("_INBOX.worker." + c.Worker),
	}, more...)...)
	if err == nil {
		t.Cleanup(nc.Close)
	}
	return nc, err
}

// TestCredentials: workers with credentials play, and others do not get in.
func TestCredentials(t *testing.T) {
	t.Parallel()
	want := undisturbed(t, 2)
	keys := issue(t, "alice", "bob")
	f := startTraining(t, 2, func(o *cluster.Options) { o.Credentials = keys })

	for name, connect := range map[string]func() (*nats.Conn, error){
		"no TLS and no secret": func() (*nats.Conn, error) { return nats.Connect(f.url) },
		"no secret": func() (*nats.Conn, error) {
			return nats.Connect(f.url, nats.Secure(&tls.Config{InsecureSkipVerify: true}))
		},
		"a secret of another folder": func() (*nats.Conn, error) {
			c := *read(t, issue(t, "alice"), "alice")
			c.Server = read(t, keys, "alice").Server
			return join(t, f.url, &c)
		},
		"a server of another folder": func() (*nats.Conn, error) {
			c := *read(t, keys, "alice")
			c.Server = read(t, issue(t, "alice"), "alice").Server
			return join(t, f.url, &c)
		},
	} {
		_, err := connect()
		require.Error(t, err, name)
	}
	stranger, stop := startWorker(t, f.url, "stranger", nil)
	stranger.wait(t, "no connection to the server")
	stranger.wait(t, "its certificate cannot be verified without credentials")
	require.NoError(t, stop())

	forged := *read(t, issue(t, "alice"), "alice")
	forged.Server = read(t, keys, "alice").Server
	err := cluster.Work(t.Context(), cluster.WorkerOptions{
		URL: f.url, Credentials: &forged, Workers: 1, Version: version, Memory: 1 << 30, Find: games.New,
	})
	require.ErrorContains(t, err, "does not accept the credentials")

	requireConfined(t, f.url, read(t, keys, "bob"))
	f.worker("", func(o *cluster.WorkerOptions) { o.Credentials = read(t, keys, "alice") })
	require.NoError(t, <-f.done)
	requireSame(t, want, f.dir)
	require.Contains(t, f.notes.all(), "a worker has joined worker=alice")
}

// requireConfined tries everything that a worker must not do.
func requireConfined(t testing.TB, url string, c *cluster.Credentials) {
	refused := make(chan string, 100)
	nc, err := join(t, url, c, nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refused <- err.Error() }))
	require.NoError(t, err)
	expect := func(action string) {
		require.NoError(t, nc.Flush())
		select {
		case text := <-refused:
			require.Contains(t, text, "permissions violation", action)
		case <-time.After(2 * time.Minute):
			require.Fail(t, "it is allowed", action)
		}
	}
	for _, subject := range []string{
		"tiro.ask.alice", "tiro.news", "tiro.queue.0.0", "_INBOX.worker.alice.x",
		"$JS.API.INFO", "$JS.API.STREAM.DELETE.TIRO_GAMES", "$JS.API.STREAM.CREATE.more", "$JS.API.CONSUMER.MSG.NEXT.TIRO_GAMES.players",
		"$JS.ACK.TIRO_GAMES.players.1.1.1.1.1", "$SYS.REQ.SERVER.PING",
	} {
		require.NoError(t, nc.Publish(subject, nil))
		expect("publish " + subject)
	}
	for _, subject := range []string{">", "tiro.>", "tiro.ask.*", "_INBOX.>", "_INBOX.worker.alice.>", "$JS.>", "$SYS.>"} {
		_, err := nc.SubscribeSync(subject)
		require.NoError(t, err)
		expect("subscribe " + subject)
	}
}

// TestExternalServer: nats-server.conf makes an external server do the same.
func TestExternalServer(t *testing.T) {
	t.Parallel()
	want := undisturbed(t, 2)
	keys := issue(t, "alice", "bob")
	o, err := server.ProcessConfigFile(filepath.Join(keys, "nats-server.conf"))
	require.NoError(t, err)
	require.EqualValues(t, 4<<20, o.MaxPayload)
	o.Host, o.Port, o.StoreDir, o.NoSigs, o.NoLog = "127.0.0.1", server.RANDOM_PORT, t.TempDir(), true, true
	s, err := server.NewServer(o)
	require.NoError(t, err)
	go s.Start()
	require.True(t, s.ReadyForConnections(2*time.Minute))
	defer func() { s.Shutdown(); s.WaitForShutdown() }()

	n := newNotes(t, "trainer")
	options := serving(n)
	options.Listen, options.URL, options.Credentials = "", s.ClientURL(), filepath.Join(keys, "trainer.json")
	trainer, err := cluster.New(options)
	require.NoError(t, err)
	defer trainer.Close()
	run := training(t, t.TempDir(), 2)
	run.Selfplayer = trainer
	_, stop := startWorker(t, s.ClientURL(), "", func(o *cluster.WorkerOptions) { o.Credentials = read(t, keys, "alice") })
	defer func() { require.NoError(t, stop()) }()
	confined := make(chan struct{})
	go func() {
		defer close(confined)
		requireConfined(t, s.ClientURL(), read(t, keys, "bob"))
	}()
	require.NoError(t, train.Run(t.Context(), run))
	<-confined
	requireSame(t, want, run.Dir)
}

// TestRefusedLater: workers that began without a server report that the server, once there, has
// another certificate or none.
func TestRefusedLater(t *testing.T) {
	t.Parallel()
	keys := issue(t, "alice")
	for _, test := range []struct {
		name    string
		trainer string // folder of its credentials
		worker  *cluster.Credentials
		reason  string
	}{
		{"worker without credentials", keys, nil, "its certificate cannot be verified without credentials"},
		{"other credentials", keys, read(t, issue(t, "alice"), "alice"), "its certificate differs from the one in the credentials"},
		{"server without credentials", "", read(t, keys, "alice"), "secure connection not available"},
	} {
		t.Run(test.name, func(t *testing.T) {
			at := freePort()
			early, stop := startWorker(t, "nats://"+at, "early", func(o *cluster.WorkerOptions) { o.Credentials = test.worker })
			early.wait(t, "no connection to the server")
			startTraining(t, 1, func(o *cluster.Options) { o.Listen, o.Credentials = at, test.trainer })
			early.wait(t, test.reason)
			require.NoError(t, stop())
			require.Equal(t, 1, strings.Count(early.all(), test.reason))
		})
	}
}

// TestIssue: credentials are made once, and added to.
func TestIssue(t *testing.T) {
	dir := issue(t, "alice")
	before := read(t, dir, "alice")
	require.NoError(t, os.Remove(filepath.Join(dir, "nats-server.conf")))
	files, err := cluster.NewCredentials(dir, []string{"alice", "bob"})
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(dir, "worker-bob.json")}, files)
	require.Equal(t, before, read(t, dir, "alice"))
	require.Equal(t, before.Server, read(t, dir, "bob").Server)
	lost := filepath.Join(dir, "worker-alice.json")
	require.NoError(t, os.Remove(lost))
	files, err = cluster.NewCredentials(dir, []string{"alice"})
	require.NoError(t, err)
	require.Equal(t, []string{lost}, files)
	require.Equal(t, before, read(t, dir, "alice"))
	if runtime.GOOS != "windows" {
		all, err := filepath.Glob(filepath.Join(dir, "*"))
		require.NoError(t, err)
		for _, path := range append(all, dir) {
			info, err := os.Stat(path)
			require.NoError(t, err)
			require.Zero(t, info.Mode().Perm()&0o077, path)
		}
	}
	trainer := filepath.Join(dir, "trainer.json")
	data, err := os.ReadFile(trainer)
	require.NoError(t, err)
	var all map[string]any
	require.NoError(t, json.Unmarshal(data, &all))
	all["workers"] = nil
	data, err = json.Marshal(all)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(trainer, data, 0o600))
	files, err = cluster.NewCredentials(dir, []string{"carol"})
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(dir, "worker-carol.json")}, files, "all others were removed by hand")
	_, err = cluster.NewCredentials(filepath.Join(t.TempDir(), "keys"), []string{"a b"})
	require.ErrorContains(t, err, `"a b"`)
	_, err = cluster.NewCredentials(filepath.Dir(dir), nil)
	require.ErrorContains(t, err, filepath.Dir(dir))
	_, err = cluster.NewCredentials(filepath.Join(dir, "no", "keys"), nil)
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// TestDamagedCredentials: errors about damaged files name them.
func TestDamagedCredentials(t *testing.T) {
	dir := issue(t, "alice")
	path := filepath.Join(dir, "worker-alice.json")
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	const head = `{"format":3,"what":"tiro cluster credentials"`
	for text, want := range map[string]string{
		"": "damaged", "{}": "wrong kind of file", string(whole[:100]): "damaged",
		`{"format":4,"what":"tiro cluster credentials"}`: "written by a newer tiro",
		head + `}`: "a worker has its own file",
		head + `,"worker":"a.b","secret":"0123456789abcdef"}`:   "worker name",
		head + `,"worker":"alice","secret":"0"}`:                "secret",
		head + `,"worker":"alice","secret":"0123456789abcdef"}`: "certificate",
	} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := cluster.ReadCredentials(path)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, path)
	}
	_, err = cluster.ReadCredentials(dir)
	require.EqualError(t, err, filepath.Join(dir, "trainer.json")+": these are the credentials of a trainer; a worker has its own file")
	for workers, want := range map[string]string{`{"a.b":"0123456789abcdef"}`: "worker name", `{"alice":""}`: "worker alice has a secret"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "trainer.json"), []byte(head+`,"workers":`+workers+`}`), 0o600))
		_, err := cluster.NewCredentials(dir, []string{"bob"})
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "trainer.json")
	}
	for _, text := range []string{"noise", head + `}`, head + `,"worker":"alice"}`} {
		dir := issue(t, "alice")
		require.NoError(t, os.WriteFile(filepath.Join(dir, "trainer.json"), []byte(text), 0o600))
		o := serving(newNotes(t, "trainer"))
		o.Credentials = dir
		_, err := cluster.New(o)
		require.ErrorContains(t, err, dir, text)
	}
}
