//go:build unix

package disk

import "syscall"

// Flags of open: not to follow a link at the end of a path, and not to wait for the
// other end of a pipe, nor to take a terminal for that of the process.
const (
	noFollow = syscall.O_NOFOLLOW
	noWait   = syscall.O_NONBLOCK | syscall.O_NOCTTY
)
