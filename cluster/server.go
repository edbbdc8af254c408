package cluster

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Bounds of the embedded server.
const (
	maxStore     = 2 << 30  // bytes of its folder
	maxMemory    = 64 << 20 // bytes of streams in memory, of which there are none
	maxClients   = 4096
	startTimeout = 20 * time.Second
	syncEvery    = 10 * time.Second
)

// What a Trainer takes of memory.
const (
	linkBytes   = 2 * maxMessage // a message, and the game in it
	serverBytes = 64 << 20       // of the server in this process: 60 MB were measured
)

// natsServer is a NATS server in this process.
type natsServer struct {
	options server.Options
	mu      sync.Mutex
	running *server.Server
	faults  int // times in a row that it did not do what was asked

	temporary *temporary // that it keeps everything in; nil: it was given a folder
}

// checkListen returns an error unless address can be listened at. Without
// credentials only a loopback address can: whoever reaches the server could send
// games, and read the network.
func checkListen(address string, credentials bool) error {
	host, port, err := net.SplitHostPort(address)
	if n, fault := strconv.ParseUint(port, 10, 16); err != nil || fault != nil || n > 65535 {
		return fmt.Errorf("%q is not an address and a port; want one such as 127.0.0.1:4222 or :4222", address)
	}
	if credentials || host == "" {
		return nil
	}
	if ip, err := netip.ParseAddr(host); host == "localhost" || err == nil && ip.Unmap().IsLoopback() {
		return nil
	}
	return fmt.Errorf("%s can be reached from other machines; without credentials want a loopback address such as 127.0.0.1:%s, or make some with tiro cluster credentials", address, port)
}

// startServer starts the server of options that were validated. Without credentials
// an address without a host is that of the loopback.
func startServer(o *Options, k *keys) (*natsServer, error) {
	host, port, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return nil, err
	}
	if host == "" && k == nil {
		host = "127.0.0.1"
	} else if host == "" {
		host = "0.0.0.0"
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return nil, err
	}
	if number == 0 {
		number = server.RANDOM_PORT
	}
	store, own := o.Store, (*temporary)(nil)
	if store == "" {
		if own, err = newTemporary(); err != nil {
			return nil, err
		}
		store = filepath.Join(own.dir, "server")
	}
	s := &natsServer{temporary: own, options: server.Options{
		Host: host, Port: number, ServerName: "tiro", NoSigs: true, NoLog: true,
		JetStream: true, StoreDir: store, JetStreamMaxStore: maxStore, JetStreamMaxMemory: maxMemory,
		MaxPayload: maxMessage, MaxConn: maxClients, SyncInterval: syncEvery, DisableJetStreamBanner: true,
	}}
	if err := s.begin(k); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

// begin starts the server for the first time.
func (s *natsServer) begin(k *keys) error {
	o := &s.options
	if k != nil {
		k.secure(o)
	}
	free, err := net.Listen("tcp", net.JoinHostPort(o.Host, strconv.Itoa(max(o.Port, 0)))) // for the error, which the server only logs
	if err != nil {
		return err
	}
	if err := free.Close(); err != nil {
		return err
	}
	if s.start() == nil {
		return nil
	}
	// What a crash left may be unreadable. Nothing in it is needed.
	if err := os.RemoveAll(o.StoreDir); err != nil {
		return err
	}
	return s.start()
}

// start starts the server.
func (s *natsServer) start() error {
	options := s.options
	running, err := server.NewServer(&options)
	if err != nil {
		return fmt.Errorf("server: %w", err)
	}
	go running.Start()
	if !running.ReadyForConnections(startTimeout) || !running.JetStreamEnabled() {
		running.Shutdown()
		running.WaitForShutdown()
		return fmt.Errorf("server: it does not start within %v, or cannot write to %s", startTimeout, s.options.StoreDir)
	}
	s.options.Port = running.Addr().(*net.TCPAddr).Port // the same after a restart
	s.running = running
	return nil
}

// patience is how many times in a row a server may not do what is asked.
const patience = 3

// heal starts a server anew that does not work several times in a row, as happens
// when its disk is full. What it kept is lost.
func (s *natsServer) heal(works bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if works {
		s.faults = 0
		return
	}
	if s.faults++; s.faults < patience {
		return
	}
	s.faults = 0
	if s.running != nil {
		s.running.Shutdown()
		s.running.WaitForShutdown()
		s.running = nil
	}
	_ = os.RemoveAll(s.options.StoreDir) // perhaps it was this that took the space
	_ = s.start()                        // the next call tries again
}

// stop ends the server.
func (s *natsServer) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != nil {
		s.running.Shutdown()
		s.running.WaitForShutdown()
		s.running = nil
	}
	if s.temporary != nil {
		s.temporary.remove()
		s.temporary = nil
	}
}

// address returns what it listens at.
func (s *natsServer) address() string {
	return net.JoinHostPort(s.options.Host, strconv.Itoa(s.options.Port))
}

// url returns where this process reaches it.
func (s *natsServer) url() string {
	host := s.options.Host
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "nats://" + net.JoinHostPort(host, strconv.Itoa(s.options.Port))
}
