package cluster

import (
	"errors"
	"fmt"
	"regexp"
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

// trainerConnection is the name of a trainer's connection.
const trainerConnection = "tiro trainer"

// client is how a program connects to a server.
type client struct {
	url         string
	server      *natsServer  // in this process; nil: it is at the URL
	name        string       // of the connection
	inbox       string       // with which the names of inboxes begin; empty: the usual text
	credentials *Credentials // nil: none
	lost        func(error)  // is called with what is wrong
	connected   func()       // is called when it works
}

// connect connects to the server and keeps doing so, whether it is there or not.
func (c *client) connect() (*nats.Conn, error) {
	options := []nats.Option{
		nats.Name(c.name), nats.Timeout(connectTimeout), nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1),
		nats.ReconnectWait(reconnectWait), nats.ReconnectJitter(reconnectJitter, reconnectJitter),
		nats.PingInterval(pingInterval), nats.MaxPingsOutstanding(2), nats.ReconnectBufSize(-1), nats.FlusherTimeout(2 * pingInterval),
		nats.ConnectHandler(func(*nats.Conn) { c.connected() }),
		nats.ReconnectHandler(func(*nats.Conn) { c.connected() }),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				c.lost(err)
			}
		}),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) { c.lost(err) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if errors.Is(err, nats.ErrPermissionViolation) {
				c.lost(err)
			}
		}),
	}
	if c.inbox != "" {
		options = append(options, nats.CustomInboxPrefix(c.inbox))
	}
	switch {
	case c.server != nil && c.credentials == nil:
		options = append(options, nats.UserInfo(trainerName, c.server.password), nats.InProcessServer(c.server))
	case c.server != nil:
		options = append(options, nats.InProcessServer(c.server))
	}
	if c.credentials != nil {
		login, err := c.credentials.login(c.server == nil)
		if err != nil {
			return nil, err
		}
		options = append(options, login...)
	}
	nc, err := nats.Connect(c.url, options...)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", shown(c.url), err)
	}
	return nc, nil
}

// refusedBy returns why a connection is closed for good: a server closes one whose
// credentials it has refused twice.
func refusedBy(nc *nats.Conn) error {
	return fmt.Errorf("the server refuses this program; want credentials that it knows: %w", nc.LastError())
}

// shown returns URLs without the passwords in them.
func shown(urls string) string { return passwordPattern.ReplaceAllString(urls, "://$1:…@") }

var passwordPattern = regexp.MustCompile(`://([^:/@,]*):[^@,]*@`)

// login returns the options by which a connection proves who it is, and, unless the server
// is in this process, knows the server.
func (c *Credentials) login(away bool) ([]nats.Option, error) {
	pair, err := nkeys.FromSeed([]byte(c.Seed))
	if err != nil {
		return nil, fmt.Errorf("credentials: seed: %w", err)
	}
	public, err := pair.PublicKey()
	if err != nil {
		return nil, fmt.Errorf("credentials: seed: %w", err)
	}
	if !away {
		return []nats.Option{nats.Nkey(public, pair.Sign)}, nil
	}
	config, err := c.tls()
	if err != nil {
		return nil, err
	}
	return []nats.Option{nats.Nkey(public, pair.Sign), nats.Secure(config)}, nil
}
