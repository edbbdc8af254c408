package cluster_test

import (
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// proxy is a link between machines that can be cut, slowed down and partitioned.
type proxy struct {
	listen net.Listener
	to     string

	mu      sync.Mutex
	links   map[net.Conn]bool
	delay   time.Duration // of every piece of data
	healed  chan struct{} // closed while the link works; data waits for it
	stopped bool
	wait    sync.WaitGroup
}

// newProxy returns a link to an address.
func newProxy(t testing.TB, to string) *proxy { return newProxyAt(t, "127.0.0.1", to) }

// newProxyAt returns a link to an address, whose near end is at a host.
func newProxyAt(t testing.TB, host, to string) *proxy {
	listen, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	require.NoError(t, err)
	p := &proxy{listen: listen, to: to, links: map[net.Conn]bool{}, healed: make(chan struct{})}
	close(p.healed)
	p.wait.Go(p.accept)
	t.Cleanup(p.close)
	return p
}

func (p *proxy) url() string { return "nats://" + p.listen.Addr().String() }

func (p *proxy) accept() {
	for {
		near, err := p.listen.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", p.to)
		if err != nil {
			near.Close()
			continue
		}
		p.mu.Lock()
		p.links[near], p.links[far] = true, true
		p.mu.Unlock()
		p.wait.Go(func() { p.pump(near, far) })
		p.wait.Go(func() { p.pump(far, near) })
	}
}

// pump carries data one way.
func (p *proxy) pump(from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	piece := make([]byte, 16<<10)
	for {
		n, err := from.Read(piece)
		if err != nil {
			return
		}
		p.mu.Lock()
		delay, healed := p.delay, p.healed
		p.mu.Unlock()
		time.Sleep(delay)
		<-healed
		if _, err := to.Write(piece[:n]); err != nil {
			return
		}
	}
}

// cut closes all connections.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.links {
		c.Close()
	}
	clear(p.links)
}

// slow delays all data.
func (p *proxy) slow(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = d
}

// partition lets no data through, without closing anything, until heal.
func (p *proxy) partition() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.healed:
		if !p.stopped {
			p.healed = make(chan struct{})
		}
	default:
	}
}

func (p *proxy) heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.healed:
	default:
		close(p.healed)
	}
}

func (p *proxy) close() {
	p.listen.Close()
	p.heal()
	p.mu.Lock()
	p.stopped = true
	p.mu.Unlock()
	p.heal()
	p.cut()
	p.wait.Wait()
}
