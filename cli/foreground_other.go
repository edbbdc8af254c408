//go:build !unix

package cli

import "os"

// foreground reports true: this system has no jobs in the background of a terminal.
func foreground(*os.File) bool { return true }
