//go:build unix

package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// foreground reports whether a terminal is this process's now, and not a shell's.
func foreground(terminal *os.File) bool {
	group, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp()
}
