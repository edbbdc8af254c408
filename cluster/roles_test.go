//go:build unix

package cluster_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/require"

	"tiro/cluster"
	"tiro/env/games"
	"tiro/internal/leaks"
	"tiro/net/kernel"
	"tiro/train"
)

// roleVariable is the environment variable with the role of a process that tests start.
const roleVariable = "TIRO_CLUSTER_TEST_ROLE"

// role describes the task of a process.
type role struct {
	Kind   string // trainer, worker or server
	Name   string
	Dir    string // run folder, or the server's
	Listen string // of a trainer or server: 127.0.0.1:PORT
	URL    string // of a trainer or worker
	Routes []string
	Length int // generations of a trainer

	Goroutines int // of a worker; 0: 1

	Namespace string // network namespace of a worker; empty: as this process
}

func TestMain(m *testing.M) {
	if text := os.Getenv(roleVariable); text != "" {
		var r role
		err := json.Unmarshal([]byte(text), &r)
		if err == nil {
			err = r.act()
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "ended:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	// nats.go may leave this goroutine behind after asynchronous publishing: it waits for a
	// channel that was dropped before it began.
	leaks.Main(m, "github.com/nats-io/nats.go/jetstream.(*jetStream).resetPendingAcksOnReconnect")
}

// act plays the role in this process.
func (r *role) act() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // it ends with the process that runs the tests
		os.Exit(3)
	}()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	switch r.Kind {
	case "trainer":
		return r.train(ctx, log)
	case "worker":
		return cluster.Work(ctx, cluster.WorkerOptions{
			URL: r.URL, Name: r.Name, Workers: max(1, r.Goroutines), Memory: 1 << 30, Version: version, Find: games.New,
			Log: log,
		})
	}
	return r.serve(ctx)
}

func (r *role) train(ctx context.Context, log *slog.Logger) error {
	game, err := games.New("mnk")
	if err != nil {
		return err
	}
	o := cluster.Options{
		Listen: r.Listen, URL: r.URL, Lease: chaosLease, Version: version, Twice: 0.1, Find: games.New, Clock: time.Now, Log: log,
	}
	trainer, err := cluster.New(o)
	if err != nil {
		return err
	}
	defer trainer.Close()
	return train.Run(ctx, train.Options{
		Dir: r.Dir, Game: game, Find: games.New, Config: chaosRun(), Workers: 1, Backend: kernel.Best(), Generations: r.Length, Selfplayer: trainer,
		Events: func(e train.Event) {
			if m, ok := e.(train.Message); ok {
				log.Log(ctx, m.Level, m.Text, m.Attrs...)
			}
		},
	})
}

// serve is a node of a cluster of servers.
func (r *role) serve(ctx context.Context) error {
	at, err := url.Parse("nats://" + r.Listen)
	if err != nil {
		return err
	}
	port, err := strconv.Atoi(at.Port())
	if err != nil {
		return err
	}
	o := &server.Options{
		Host: "127.0.0.1", Port: port, ServerName: r.Name, NoSigs: true, JetStream: true, StoreDir: r.Dir, MaxPayload: 8 << 20,
		Cluster: server.ClusterOpts{Name: "tiro", Host: "127.0.0.1", Port: port + 1000},
	}
	for _, route := range r.Routes {
		u, err := url.Parse(route)
		if err != nil {
			return err
		}
		o.Routes = append(o.Routes, u)
	}
	s, err := server.NewServer(o)
	if err != nil {
		return err
	}
	s.ConfigureLogger()
	go s.Start()
	<-ctx.Done()
	s.Shutdown()
	s.WaitForShutdown()
	return nil
}

// process is a process that plays a role.
type process struct {
	role
	cmd   *exec.Cmd
	ended chan error
	log   string
}

// begin starts a process, whose messages are appended to a file.
func begin(t testing.TB, r role, logs string) *process {
	text, err := json.Marshal(r)
	require.NoError(t, err)
	p := &process{role: r, ended: make(chan error, 1), log: filepath.Join(logs, r.Kind+"-"+r.Name+".log")}
	out, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	p.cmd = exec.Command(os.Args[0], "-test.run=^$")
	if r.Namespace != "" {
		p.cmd = exec.Command("ip", "netns", "exec", r.Namespace, os.Args[0], "-test.run=^$") // which is replaced by the program
	}
	p.cmd.Env = append(os.Environ(), roleVariable+"="+string(text))
	p.cmd.Stdout, p.cmd.Stderr = out, out
	_, err = p.cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, p.cmd.Start())
	go func() {
		p.ended <- p.cmd.Wait()
		out.Close()
	}()
	return p
}

// kill ends a process at once.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // also if it is stopped
	<-p.ended
	p.ended <- nil
}
