//go:build unix

package cluster_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/recipe"
)

// chaosLease is short, so that the games of a dead worker are played again soon.
const chaosLease = 2 * time.Second

// long reports whether tests may take minutes.
func long() bool { return os.Getenv("TIRO_TORTURE") == "long" }

// chaosRun is a run whose generations take about a second on one core.
func chaosRun() recipe.Config {
	c := small()
	c.GamesPerGeneration = 120
	c.Selfplay.Search.Simulations = 64
	c.Duels.Share = 0
	return c
}

// chaos disturbs a training with workers.
type chaos struct {
	t       *testing.T
	rng     *rand.Rand
	logs    string
	dir     string
	trainer *process
	workers []*process
	links   []*proxy     // of the workers
	spaces  []*namespace // of the workers; none: they share the namespace of this process
	servers []*process
	link    *proxy // of the trainer; nil where it is the server
	done    map[string]int
}

// TestChaos: workers, trainer and servers are killed, stopped and cut off at random,
// and the run is as if nothing had happened.
func TestChaos(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	long := long()
	for _, test := range []struct {
		name        string
		external    bool
		apart       bool // workers have network namespaces of their own
		short, long int  // generations of a run; 0: none
	}{
		{"embedded server", false, false, 6, 60},
		{"three servers", true, false, 2, 20},
		{"embedded server, namespaces", false, true, 0, 60},
		{"three servers, namespaces", true, true, 0, 20},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.short == 0 && !long {
				t.Skip("only where it may take long: make chaos")
			}
			if test.apart {
				needNamespaces(t)
			}
			generations, harm, begun := test.short, 10*time.Second, time.Now()
			if long {
				generations, harm = test.long, 2*time.Minute
			}
			o := training(t, filepath.Join(t.TempDir(), "run"), generations)
			o.Config = chaosRun()
			want := calm(t, o)
			sum, rounds := map[string]int{}, 0
			for seed := uint64(1); rounds == 0 || long && time.Since(begun) < 10*time.Minute; seed++ {
				c := newChaos(t, seed, test.external, test.apart, generations)
				c.run(harm)
				requireSame(t, want, c.dir)
				c.stop()
				for what, n := range c.done {
					sum[what] += n
				}
				rounds++
			}
			t.Log("runs", rounds, "in", time.Since(begun).Round(time.Second), "disturbed by", sum)
			require.NotEmpty(t, sum)
		})
	}
}

func newChaos(t *testing.T, seed uint64, external, apart bool, generations int) *chaos {
	c := &chaos{t: t, rng: rand.New(rand.NewPCG(seed, 7)), logs: t.TempDir(), dir: filepath.Join(t.TempDir(), "run"), done: map[string]int{}}
	t.Cleanup(c.stop)
	trainer := role{Kind: "trainer", Name: "t", Dir: c.dir, Length: generations}
	var to []string
	if external {
		to = c.startServers()
		c.link = newProxy(t, to[0])
		trainer.URL = c.link.url() + ",nats://" + to[1] + ",nats://" + to[2]
	} else {
		trainer.Listen = freePort()
		to = []string{trainer.Listen}
	}
	c.trainer = begin(t, trainer, c.logs)
	for i := range 3 {
		worker, host := role{Kind: "worker", Name: fmt.Sprint("w", i)}, "127.0.0.1"
		if apart {
			n := newNamespace(t, int(seed)*3+i)
			c.spaces = append(c.spaces, n)
			worker.Namespace, host = n.name, n.host
		}
		link := newProxyAt(t, host, to[i%len(to)])
		c.links = append(c.links, link)
		worker.URL = link.url()
		c.workers = append(c.workers, begin(t, worker, c.logs))
	}
	return c
}

// startServers starts three servers that know each other.
func (c *chaos) startServers() (addresses []string) {
	var routes []string
	for range 3 {
		at := freePort()
		var port int
		_, err := fmt.Sscanf(at, "127.0.0.1:%d", &port)
		require.NoError(c.t, err)
		addresses = append(addresses, at)
		routes = append(routes, fmt.Sprintf("nats://127.0.0.1:%d", port+1000))
	}
	for i, at := range addresses {
		r := role{Kind: "server", Name: fmt.Sprint("s", i), Listen: at, Dir: filepath.Join(c.logs, fmt.Sprint("store", i)), Routes: routes}
		c.servers = append(c.servers, begin(c.t, r, c.logs))
	}
	return addresses
}

// stop ends all processes, and shows their messages if the test has failed.
func (c *chaos) stop() {
	for _, p := range append(append([]*process{c.trainer}, c.workers...), c.servers...) {
		p.kill()
	}
	if !c.t.Failed() {
		return
	}
	logs, _ := filepath.Glob(filepath.Join(c.logs, "*.log"))
	for _, log := range logs {
		text, _ := os.ReadFile(log)
		lines := strings.Split(string(text), "\n")
		c.t.Logf("%s:\n%s", filepath.Base(log), strings.Join(lines[max(0, len(lines)-30):], "\n"))
	}
}

// run disturbs the training for a while, and waits until it has finished.
func (c *chaos) run(harm time.Duration) {
	calm, deadline := time.Now().Add(harm), time.Now().Add(harm+4*time.Minute)
	for time.Now().Before(deadline) {
		select {
		case err := <-c.trainer.ended:
			c.trainer.ended <- nil
			require.NoError(c.t, err, "the trainer has failed")
			return
		case <-time.After(time.Duration(100+c.rng.IntN(700)) * time.Millisecond):
			if time.Now().Before(calm) {
				c.disturb()
			}
		}
	}
	require.Fail(c.t, "the run does not end")
}

// disturb does one harm.
func (c *chaos) disturb() {
	i := c.rng.IntN(len(c.workers))
	kinds := []string{"worker killed", "worker asleep", "link cut", "link slow", "link parted", "trainer killed"}
	if len(c.servers) > 0 {
		kinds = append(kinds, "server killed", "server killed", "trainer's link cut")
	}
	if len(c.spaces) > 0 {
		kinds = append(kinds, "interface down", "interface down")
	}
	kind := kinds[c.rng.IntN(len(kinds))]
	c.done[kind]++
	switch kind {
	case "worker killed":
		c.workers[i].kill()
		c.workers[i] = begin(c.t, c.workers[i].role, c.logs)
	case "worker asleep":
		c.signal(c.workers[i], syscall.SIGSTOP)
		c.nap(3 * chaosLease / 2)
		c.signal(c.workers[i], syscall.SIGCONT)
	case "link cut":
		c.links[i].cut()
	case "link slow":
		c.links[i].slow(time.Duration(c.rng.IntN(100)) * time.Millisecond)
	case "link parted":
		c.links[i].partition()
		c.nap(chaosLease)
		c.links[i].heal()
	case "interface down":
		c.spaces[i].ip("link", "set", c.spaces[i].name, "down")
		c.nap(2 * chaosLease)
		c.spaces[i].ip("link", "set", c.spaces[i].name, "up")
	case "trainer killed":
		c.restart()
	case "server killed":
		s := c.rng.IntN(len(c.servers))
		c.servers[s].kill()
		c.nap(time.Second)
		c.servers[s] = begin(c.t, c.servers[s].role, c.logs)
		c.nap(2 * time.Second) // a majority must have all before the next one falls
	case "trainer's link cut":
		c.link.cut()
	}
}

// restart kills the trainer, unless it has finished, and starts it again.
func (c *chaos) restart() {
	select {
	case err := <-c.trainer.ended:
		c.trainer.ended <- err
		return
	default:
	}
	c.trainer.kill()
	c.trainer = begin(c.t, c.trainer.role, c.logs)
	c.nap(500 * time.Millisecond)
}

func (c *chaos) signal(p *process, s syscall.Signal) {
	require.NoError(c.t, p.cmd.Process.Signal(s))
}

// nap waits for up to most.
func (c *chaos) nap(most time.Duration) { time.Sleep(time.Duration(c.rng.Int64N(int64(most)))) }
