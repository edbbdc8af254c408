package cluster_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	stdnet "net"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"tiro/cluster"
	"tiro/net/kernel"
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
	o := serving(f.notes)
	if change != nil {
		change(&o)
	}
	trainer, err := cluster.New(o)
	require.NoError(t, err)
	run.Selfplayer = trainer
	before, warn := run.Events, warnings(f.notes.add)
	run.Events = func(e train.Event) { before(e); warn(e) }
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

// intruder is a client that knows the protocol and has the name of a worker.
type intruder struct {
	t    testing.TB
	nc   *nats.Conn
	name string
}

// answer is the trainer's reply to a request.
type answer struct {
	ID           string
	Announcement json.RawMessage
	Granted      []int
	Over         []int
	Piece        []byte
	Refused      string
}

// patient lets a client wait long for a busy machine's server.
var patient = nats.Timeout(2 * time.Minute)

// intruder connects to the server.
func (f *fleet) intruder(name string) *intruder {
	nc, err := nats.Connect(f.url, patient, nats.CustomInboxPrefix("_INBOX.worker."+name))
	require.NoError(f.t, err)
	f.t.Cleanup(nc.Close)
	return &intruder{f.t, nc, name}
}

// ask asks the trainer, with changes to the request of a worker that has nothing.
func (i *intruder) ask(change map[string]any) (a answer) {
	q := map[string]any{
		"tiro": version, "backend": kernel.Best().Bits(), "goroutines": 1, "id": "", "games": [][]byte{}, "held": []int{}, "want": 0, "refused": "",
		"evaluations": 0, "cpu_seconds": 0, "network": "", "offset": 0,
	}
	for name, value := range change {
		q[name] = value
	}
	data, err := json.Marshal(q)
	require.NoError(i.t, err)
	require.NoError(i.t, json.Unmarshal(i.request("tiro.ask."+i.name, data), &a))
	return a
}

// send sends a game of an announcement.
func (i *intruder) send(id string, game []byte) answer {
	return i.ask(map[string]any{"id": id, "games": [][]byte{game}})
}

func (i *intruder) request(subject string, data []byte) []byte {
	m, err := i.nc.Request(subject, data, time.Minute)
	require.NoError(i.t, err)
	return m.Data
}

// announced returns the announcement and its ID.
func (i *intruder) announced() (id string, text []byte) {
	require.Eventually(i.t, func() bool { // until a trainer answers
		_, err := i.nc.Request("tiro.ask."+i.name, nil, time.Second)
		return err == nil
	}, 2*time.Minute, 10*time.Millisecond)
	a := answer{}
	require.Eventually(i.t, func() bool {
		a = i.ask(nil)
		return a.ID != ""
	}, 2*time.Minute, 10*time.Millisecond)
	return a.ID, a.Announcement
}

// take asks for games until the trainer grants some.
func (i *intruder) take(id string, want int) (granted []int) {
	require.Eventually(i.t, func() bool {
		granted = i.ask(map[string]any{"id": id, "want": want}).Granted
		return len(granted) > 0
	}, 2*time.Minute, 10*time.Millisecond)
	return granted
}

// finish has an honest worker finish the run, which must equal an undisturbed one.
func (f *fleet) finish(want map[string]string) {
	f.worker("honest", nil)
	require.NoError(f.t, <-f.done)
	requireSame(f.t, want, f.dir)
}

// freePort returns an address that is free, as is the port 1000 above. It returns no port
// that systems give to outgoing connections, which might take it while a server is down.
func freePort() string {
	for {
		a, err := stdnet.Listen("tcp", fmt.Sprint("127.0.0.1:", 20000+rand.IntN(10000)))
		if err != nil {
			continue
		}
		at := a.Addr().(*stdnet.TCPAddr)
		b, err := stdnet.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", at.Port+1000))
		a.Close()
		if err == nil {
			b.Close()
			return at.String()
		}
	}
}
