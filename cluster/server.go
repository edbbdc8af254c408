package cluster

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"tiro/rundir"
)

// Bounds of a server.
const (
	maxMemory   = 16 << 20       // bytes of streams
	maxUnsent   = 2 * maxMessage // bytes that wait for a client that does not read
	maxClients  = 512
	mostOfUser  = 64 // connections of a worker
	serverBytes = 64 << 20
	linkBytes   = 16 << 20 // messages of a trainer, and the games in them
)

// natsConfig returns the configuration of a server, as for nats-server -c, with another block
// and the users of its block authorization.
func natsConfig(block string, users []string) string {
	return fmt.Sprintf(`listen: 0.0.0.0:4222
max_payload: %d
max_pending: %d
max_control_line: 2048
max_connections: %d
max_subscriptions: %d
write_deadline: "5s"
jetstream { store_dir: tiro-jetstream, max_memory_store: %d }
%s
authorization {
  timeout: 5 # seconds; enough for a slow link
  users: [
    %s
  ]
}
`, maxMessage, maxUnsent, maxClients, maxClients, maxMemory, block, strings.Join(users, "\n    "))
}

// natsServer is a NATS server in this process.
type natsServer struct {
	*server.Server
	options server.Options
}

// checkListen returns an error unless the server can listen at an address. Without
// credentials only a loopback address is allowed, because anybody who reaches the server
// could send games and read the network.
func checkListen(address string, credentials bool) error {
	host, port, err := net.SplitHostPort(address)
	if _, fault := strconv.ParseUint(port, 10, 16); err != nil || fault != nil {
		return fmt.Errorf("%q is not an address and a port such as 127.0.0.1:4222 or :4222", address)
	}
	if ip, err := netip.ParseAddr(host); credentials || host == "" || host == "localhost" || err == nil && ip.Unmap().IsLoopback() {
		return nil
	}
	return fmt.Errorf("%s can be reached from other machines, which requires credentials (tiro cluster credentials); use 127.0.0.1:%s without", address, port)
}

// newServer returns a server at a valid address with a trainer's credentials. It does not
// start it.
func newServer(address string, c *Credentials) (s *natsServer, err error) {
	s = &natsServer{}
	o := &s.options
	if err := o.ProcessConfigString(c.config("")); err != nil {
		return nil, err
	}
	host, port, err := net.SplitHostPort(address)
	if err == nil {
		o.Port, err = strconv.Atoi(port)
	}
	if err == nil && c.Server != "" {
		pair, fault := tls.X509KeyPair([]byte(c.Server), []byte(c.Key))
		o.TLSConfig, o.TLSTimeout, err = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS13}, 5, fault
	} else if host == "" {
		host = "127.0.0.1"
	}
	if host != "" {
		o.Host = host
	}
	o.ServerName, o.NoSigs, o.NoLog, o.DisableJetStreamBanner = "tiro", true, true, true
	o.StoreDir, o.JetStreamMaxStore = "", 1
	return s, err
}

// start starts the server.
func (s *natsServer) start() (err error) {
	free, err := net.Listen("tcp", s.at()) // for the error, which the server only logs
	if err != nil {
		return err
	}
	s.options.Port = free.Addr().(*net.TCPAddr).Port
	if err := free.Close(); err != nil {
		return err
	}
	for _, parent := range []string{"", "/dev/shm", "."} { // containers may have no folder for temporary files
		if s.options.StoreDir == "" {
			s.options.StoreDir, err = os.MkdirTemp(parent, "tiro-cluster-")
		}
	}
	if err != nil {
		return fmt.Errorf("a folder for the server: %w; set TMPDIR to a writable folder", err)
	}
	s.Server, err = server.NewServer(&s.options)
	if err == nil {
		go s.Start()
		if !s.ReadyForConnections(time.Minute) || !s.JetStreamEnabled() {
			err = fmt.Errorf("it does not start, or cannot write to %s", s.options.StoreDir)
		}
	}
	if err != nil {
		s.stop()
		return fmt.Errorf("server: %w", err)
	}
	return nil
}

// at returns the server's address.
func (s *natsServer) at() string {
	return net.JoinHostPort(s.options.Host, strconv.Itoa(s.options.Port))
}

// limitConnections closes the newest connections of workers with more than mostOfUser.
func (s *natsServer) limitConnections() {
	all, err := s.Connz(&server.ConnzOptions{Username: true, Sort: server.ByCid, Limit: maxClients})
	if err != nil {
		return
	}
	of := map[string]int{}
	for _, c := range all.Conns {
		if of[c.AuthorizedUser]++; of[c.AuthorizedUser] > mostOfUser && c.AuthorizedUser != rundir.Trainer {
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
	if s.options.StoreDir != "" {
		_ = os.RemoveAll(s.options.StoreDir)
	}
}
