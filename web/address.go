package web

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Admit sets the host names of a server that listens on an address, including the name that
// the user gave. If other machines can reach the address and there is no token yet, it sets
// the token.
func (o *Options) Admit(address net.IP, name, token string) error {
	o.Hosts = []string{"localhost", "127.0.0.1", "::1", address.String(), strings.ToLower(name)}
	if address.IsLoopback() {
		return nil
	}
	o.Token = cmp.Or(o.Token, token)
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	o.Hosts = append(o.Hosts, host, strings.ToLower(host))
	all, err := net.InterfaceAddrs()
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok {
			o.Hosts = append(o.Hosts, n.IP.String())
		}
	}
	return err
}

// Reachable returns the addresses with ports at which a browser reaches a listener. If it
// listens on all interfaces, these are the addresses of all of them: the loopback address,
// then the address at which other machines of the network most probably reach this one.
func Reachable(address *net.TCPAddr) (all []string) {
	if !address.IP.IsUnspecified() {
		return []string{address.String()}
	}
	ips := []net.IP{net.IPv4(127, 0, 0, 1)}
	// A connected UDP socket has the address of the interface of the default route. Nothing
	// is sent; 192.0.2.1 is an address for documentation.
	if c, err := net.Dial("udp4", "192.0.2.1:9"); err == nil {
		ips = append(ips, c.LocalAddr().(*net.UDPAddr).IP)
		_ = c.Close()
	}
	interfaces, _ := net.InterfaceAddrs() // on an error, only the addresses so far are known
	for _, a := range interfaces {
		if n, ok := a.(*net.IPNet); ok && !n.IP.IsLoopback() && !n.IP.IsLinkLocalUnicast() {
			ips = append(ips, n.IP)
		}
	}
	for _, ip := range ips {
		if shown := net.JoinHostPort(ip.String(), strconv.Itoa(address.Port)); !slices.Contains(all, shown) {
			all = append(all, shown)
		}
	}
	return all
}

// Serve answers the requests of a listener until ctx ends. It then returns nil. The listener
// is closed in any case.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	h := http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 1 << 16}
	stopped := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(stopped)
		s.Close()
		limit, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if h.Shutdown(limit) != nil {
			_ = h.Close()
		}
	})
	err := s.serve(&h, listener)
	s.Close()
	if !stop() {
		<-stopped // the answers under way
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// serve answers requests by TLS if the options have a certificate, and in the clear otherwise.
func (s *Server) serve(h *http.Server, listener net.Listener) error {
	if s.options.Certificate == "" {
		return h.Serve(listener)
	}
	h.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: s.options.certificate}
	return h.ServeTLS(listener, "", "")
}

// certificate reads the certificate and its key.
func (o *Options) certificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(o.Certificate, o.Key)
	return &pair, err
}
