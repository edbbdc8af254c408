package web

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// Admit sets the host names of a server that listens on an address, including the name that
// the user gave. It also sets the token if other machines can reach the address.
func (o *Options) Admit(address net.IP, name, token string) error {
	o.Hosts = []string{"localhost", "127.0.0.1", "::1", address.String(), name}
	if address.IsLoopback() {
		return nil
	}
	o.Token = token
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
// listens on all interfaces, these are the addresses of all of them.
func Reachable(address *net.TCPAddr) []string {
	if !address.IP.IsUnspecified() {
		return []string{address.String()}
	}
	port := strconv.Itoa(address.Port)
	reachable := []string{net.JoinHostPort("127.0.0.1", port)}
	all, _ := net.InterfaceAddrs() // on an error, only the loopback address is known
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok && !n.IP.IsLoopback() && !n.IP.IsLinkLocalUnicast() {
			reachable = append(reachable, net.JoinHostPort(n.IP.String(), port))
		}
	}
	return reachable
}

// Serve answers the requests of a listener until ctx ends. It then returns nil.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	h := http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 1 << 16}
	defer context.AfterFunc(ctx, func() {
		s.Close()
		limit, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if h.Shutdown(limit) != nil {
			_ = h.Close()
		}
	})()
	err := h.Serve(listener)
	s.Close()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
