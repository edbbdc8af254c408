//go:build !unix

package disk

// Flags of open(2) that this system does not have.
const (
	noFollow = 0
	noWait   = 0
)
