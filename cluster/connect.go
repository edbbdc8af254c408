package cluster

import (
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// Times of a connection.
const (
	connectTimeout  = 5 * time.Second
	reconnectWait   = 500 * time.Millisecond
	reconnectJitter = 500 * time.Millisecond
	pingInterval    = 5 * time.Second // a link that was cut is noticed after two
)

// connect connects to a server and keeps doing so, whether the server is there or
// not. lost is called with what is wrong, and connected when it works. The names of
// inboxes begin with the given text; empty: with the usual one.
func connect(url, name, inbox string, c *Credentials, lost func(error), connected func()) (*nats.Conn, error) {
	options := []nats.Option{
		nats.Name(name), nats.Timeout(connectTimeout), nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1),
		nats.ReconnectWait(reconnectWait), nats.ReconnectJitter(reconnectJitter, reconnectJitter),
		nats.PingInterval(pingInterval), nats.MaxPingsOutstanding(2), nats.ReconnectBufSize(-1),
		nats.ConnectHandler(func(*nats.Conn) { connected() }),
		nats.ReconnectHandler(func(*nats.Conn) { connected() }),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				lost(err)
			}
		}),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) { lost(err) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if errors.Is(err, nats.ErrPermissionViolation) {
				lost(err)
			}
		}),
	}
	if inbox != "" {
		options = append(options, nats.CustomInboxPrefix(inbox))
	}
	if c != nil {
		login, err := c.login()
		if err != nil {
			return nil, err
		}
		options = append(options, login...)
	}
	nc, err := nats.Connect(url, options...)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", url, err)
	}
	return nc, nil
}

// refusedBy returns why a connection is closed for good: a server closes one whose
// credentials it has refused twice.
func refusedBy(nc *nats.Conn) error {
	return fmt.Errorf("the server refuses this program; want credentials that it knows: %w", nc.LastError())
}

// login returns the options by which a connection proves who it is.
func (c *Credentials) login() ([]nats.Option, error) {
	pair, err := nkeys.FromSeed([]byte(c.Seed))
	if err != nil {
		return nil, fmt.Errorf("credentials: seed: %w", err)
	}
	public, err := pair.PublicKey()
	if err != nil {
		return nil, fmt.Errorf("credentials: seed: %w", err)
	}
	config, err := c.tls()
	if err != nil {
		return nil, err
	}
	return []nats.Option{nats.Nkey(public, pair.Sign), nats.Secure(config)}, nil
}
