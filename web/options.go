package web

import (
	"tiro/disk"
	"tiro/web/host"
)

// Options are what a Server needs. Its games are kept in a folder, so that the Store
// of the host is the server's own.
type Options struct {
	host.Options

	Disk  disk.FS
	Dir   string   // folder of the games; made if need be
	Runs  []string // run folders to watch, and folders of them; they need not be there yet
	Hosts []string // by which the server may be addressed, without ports

	// Proxies are names at which something else passes requests on, perhaps at another
	// port or with TLS. Requests may name them as their host and as their origin.
	Proxies []string

	Token string // that requests have to have; "" for none
}
