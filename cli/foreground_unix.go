//go:build unix

package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// foreground reports whether this process is in the foreground of the terminal.
func foreground(terminal *os.File) bool {
	group, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp()
}
