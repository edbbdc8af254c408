package cluster

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"regexp"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

// client describes the connection of a trainer or a worker to a server.
type client struct {
	url         string
	server      *natsServer // in this process; nil: at url
	worker      string      // its name, or the trainer's
	credentials *Credentials
	log         *slog.Logger
}

// connect connects to the server, and reconnects whenever the connection is lost.
func (c *client) connect() (*nats.Conn, error) {
	const pingInterval = 5 * time.Second // a dead link is noticed after two
	var mu sync.Mutex
	fault := lastError{}
	lost := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		_, refused := errors.AsType[*tls.CertificateVerificationError](err)
		switch {
		case refused && c.credentials == nil:
			err = fmt.Errorf("its certificate cannot be verified without credentials: %w", err)
		case refused:
			err = fmt.Errorf("its certificate differs from the one in the credentials: %w", err)
		}
		refused = refused || errors.Is(err, nats.ErrSecureConnWanted) // waiting does not help
		if err != nil && (fault.text == "" || refused) && fault.changes(err) {
			c.log.Warn("no connection to the server; trying again", "server", shown(c.url), "reason", err)
		}
	}
	connected := func(*nats.Conn) {
		mu.Lock()
		defer mu.Unlock()
		fault.changes(nil)
		if c.server == nil {
			c.log.Info("connected", "server", shown(c.url))
		}
	}
	var conn atomic.Pointer[nats.Conn]
	again := func(int) time.Duration {
		if nc := conn.Load(); nc != nil {
			lost(nc.LastError()) // of a TLS handshake, which no handler receives
		}
		return 500*time.Millisecond + rand.N(500*time.Millisecond)
	}
	options := []nats.Option{
		nats.Name("tiro " + c.worker), nats.CustomInboxPrefix(inboxPrefix + c.worker), nats.Timeout(5 * time.Second),
		nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1),
		nats.CustomReconnectDelay(again),
		nats.PingInterval(pingInterval), nats.MaxPingsOutstanding(2), nats.ReconnectBufSize(-1), nats.FlusherTimeout(2 * pingInterval),
		nats.ConnectHandler(connected), nats.ReconnectHandler(connected),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) { lost(err) }),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) { lost(err) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if errors.Is(err, nats.ErrPermissionViolation) {
				lost(err)
			}
		}),
	}
	if c.server != nil {
		options = append(options, nats.InProcessServer(c.server))
	}
	if c.credentials != nil {
		options = append(options, c.credentials.login(c.server != nil)...)
	}
	nc, err := nats.Connect(c.url, options...)
	conn.Store(nc)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", shown(c.url), err)
	}
	return nc, nil
}

// refusedBy returns why a connection is closed: servers close connections whose credentials
// they have refused twice.
func refusedBy(nc *nats.Conn) error {
	return fmt.Errorf("the server does not accept the credentials of this program: %w", nc.LastError())
}

// shown returns URLs without their passwords.
func shown(urls string) string { return passwordPattern.ReplaceAllString(urls, "://$1:…@") }

var passwordPattern = regexp.MustCompile(`://([^:/@,]*):[^@,]*@`)
