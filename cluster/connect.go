package cluster

import (
	"crypto/x509"
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

// client is how a program connects to a server.
type client struct {
	url         string
	name        string       // of the connection
	inbox       string       // with which the names of inboxes begin; empty: the usual text
	credentials *Credentials // nil: none
	clock       func() time.Time
	lost        func(error) // is called with what is wrong
	connected   func()      // is called when it works
}

// connect connects to the server and keeps doing so, whether it is there or not.
func (c *client) connect() (*nats.Conn, error) {
	options := []nats.Option{
		nats.Name(c.name), nats.Timeout(connectTimeout), nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1),
		nats.ReconnectWait(reconnectWait), nats.ReconnectJitter(reconnectJitter, reconnectJitter),
		nats.PingInterval(pingInterval), nats.MaxPingsOutstanding(2), nats.ReconnectBufSize(-1),
		nats.ConnectHandler(func(*nats.Conn) { c.connected() }),
		nats.ReconnectHandler(func(*nats.Conn) { c.connected() }),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				c.lost(explained(err))
			}
		}),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) { c.lost(explained(err)) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if errors.Is(err, nats.ErrPermissionViolation) {
				c.lost(explained(err))
			}
		}),
	}
	if c.inbox != "" {
		options = append(options, nats.CustomInboxPrefix(c.inbox))
	}
	if c.credentials != nil {
		login, err := c.credentials.login(c.clock)
		if err != nil {
			return nil, err
		}
		options = append(options, login...)
	}
	nc, err := nats.Connect(c.url, options...)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", c.url, err)
	}
	return nc, nil
}

// explained adds to an error of a connection what may be done about it.
func explained(err error) error {
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok && invalid.Reason == x509.Expired {
		return fmt.Errorf("%w; check the clock of this machine, and whether the credentials are older than ten years", err)
	}
	return err
}

// refusedBy returns why a connection is closed for good: a server closes one whose
// credentials it has refused twice.
func refusedBy(nc *nats.Conn) error {
	return fmt.Errorf("the server refuses this program; want credentials that it knows: %w", nc.LastError())
}

// login returns the options by which a connection proves who it is. By the clock the
// server's certificate is valid or not.
func (c *Credentials) login(clock func() time.Time) ([]nats.Option, error) {
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
	config.Time = clock
	return []nats.Option{nats.Nkey(public, pair.Sign), nats.Secure(config)}, nil
}
