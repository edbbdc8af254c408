package cluster

import (
	"crypto/rand"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Bounds of the embedded server.
const (
	maxMemory     = 2 * queueBytes // bytes of streams
	maxUnsent     = 2 * maxMessage // bytes that wait for a client that does not read
	maxClients    = 512
	maxControl    = 2048 // bytes of a line of the protocol
	loginTimeout  = 5    // seconds
	writeDeadline = 5 * time.Second
	startTimeout  = 20 * time.Second
)

// What a Trainer takes of memory.
const (
	linkBytes   = 16 << 20 // messages, and the games in them
	serverBytes = 64 << 20 // of the server in this process: 60 MB were measured
)

// natsServer is a NATS server in this process.
type natsServer struct {
	*server.Server
	host      string
	password  string // of this process, where there are no credentials
	temporary string // folder that is to be removed; empty: none
}

// checkListen returns an error unless address can be listened at. Without
// credentials only a loopback address can: whoever reaches the server could send
// games, and read the network.
func checkListen(address string, credentials bool) error {
	host, port, err := net.SplitHostPort(address)
	if _, fault := strconv.ParseUint(port, 10, 16); err != nil || fault != nil {
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
	free, err := net.Listen("tcp", net.JoinHostPort(host, port)) // for the error, which the server only logs
	if err != nil {
		return nil, err
	}
	number := free.Addr().(*net.TCPAddr).Port
	if err := free.Close(); err != nil {
		return nil, err
	}
	s := &natsServer{host: host, password: rand.Text()}
	store := o.Store
	if store == "" {
		if s.temporary, err = temporaryFolder(); err != nil {
			return nil, err
		}
		store = s.temporary
	}
	options := &server.Options{
		Host: host, Port: number, ServerName: "tiro", NoSigs: true, NoLog: true, DisableJetStreamBanner: true,
		JetStream: true, StoreDir: store, JetStreamMaxStore: 1, JetStreamMaxMemory: maxMemory,
		MaxPayload: maxMessage, MaxPending: maxUnsent, MaxControlLine: maxControl, MaxConn: maxClients, MaxSubs: maxClients,
		AuthTimeout: loginTimeout, WriteDeadline: writeDeadline,
	}
	if k != nil {
		k.secure(options)
	} else {
		s.confine(options)
	}
	err = os.RemoveAll(filepath.Join(store, "jetstream")) // nothing in it is needed
	if err == nil {
		s.Server, err = server.NewServer(options)
	}
	if err == nil {
		go s.Start()
		if !s.ReadyForConnections(startTimeout) || !s.JetStreamEnabled() {
			err = fmt.Errorf("it does not start within %v, or cannot write to %s", startTimeout, store)
		}
	}
	if err != nil {
		s.stop()
		return nil, fmt.Errorf("server: %w", err)
	}
	return s, nil
}

// confine lets whoever reaches a server without credentials do what a worker may do.
func (s *natsServer) confine(o *server.Options) {
	const anybody = "worker"
	o.Users = []*server.User{
		{Username: trainerName, Password: s.password},
		{Username: anybody, Password: rand.Text(), Permissions: workerPermissions("*")},
	}
	o.NoAuthUser = anybody
}

// workerPermissions returns what a worker may do, in terms of the server.
func workerPermissions(name string) *server.Permissions {
	publish, subscribe := workerSubjects(name)
	return &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: publish},
		Subscribe: &server.SubjectPermission{Allow: subscribe},
	}
}

// temporaryFolder makes a folder in the first place where that is possible: containers
// may have no folder for temporary files.
func temporaryFolder() (dir string, err error) {
	for _, parent := range []string{"", "/dev/shm", "."} {
		if dir, fault := os.MkdirTemp(parent, "tiro-cluster-"); fault == nil {
			return dir, nil
		} else if err == nil {
			err = fault
		}
	}
	return "", fmt.Errorf("a folder for the server: %w; set TMPDIR to a folder that can be written to", err)
}

// limitConnections closes the newest connections of users that have more than a number.
func (s *natsServer) limitConnections(most int) {
	all, err := s.Connz(&server.ConnzOptions{Username: true, Sort: server.ByCid, Limit: maxClients})
	if err != nil {
		return
	}
	of := map[string]int{}
	for _, c := range all.Conns {
		if of[c.AuthorizedUser]++; of[c.AuthorizedUser] > most && c.Name != trainerConnection {
			_ = s.DisconnectClientByID(c.Cid)
		}
	}
}

// stop ends the server.
func (s *natsServer) stop() {
	if s.Server != nil {
		s.Shutdown()
		s.WaitForShutdown()
	}
	if s.temporary != "" {
		_ = os.RemoveAll(s.temporary)
	}
}

// address returns what it listens at.
func (s *natsServer) address() string {
	return net.JoinHostPort(s.host, strconv.Itoa(s.Addr().(*net.TCPAddr).Port))
}
