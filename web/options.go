package web

import (
	"tiro/disk"
	"tiro/web/host"
)

// Options configure a Server. The Server sets the Store of the host, which stores games in
// the folder Dir.
type Options struct {
	host.Options

	Disk  disk.FS
	Dir   string   // folder of the games, created if necessary
	Runs  []string // run folders to watch, and folders of them; they need not exist yet
	Hosts []string // host names of the server, without ports

	// Proxies are host names of proxies, which may use another port or TLS. Requests may
	// have them as their host and their origin.
	Proxies []string

	Token string // required in requests; "" for none

	// Base is the path of the pages, which begins and ends with a slash; "" for "/".
	Base string

	// Certificate and Key are files in PEM format, with which Serve answers by TLS; "" for
	// plain HTTP. They are read for every connection, so renewed files need no restart.
	Certificate, Key string
}

// Scheme returns the scheme of the server's addresses.
func (o *Options) Scheme() string {
	if o.Certificate != "" {
		return "https"
	}
	return "http"
}
