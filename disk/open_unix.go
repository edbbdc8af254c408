//go:build unix

package disk

import "syscall"

// Flags of open(2). noFollow does not follow a link at the end of a path. noWait does not wait
// for the other end of a pipe and does not make a terminal the process's controlling terminal.
const (
	noFollow = syscall.O_NOFOLLOW
	noWait   = syscall.O_NONBLOCK | syscall.O_NOCTTY
)
