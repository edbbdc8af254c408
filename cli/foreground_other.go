//go:build !unix

package cli

import "os"

// foreground returns true: this system has no background jobs.
func foreground(*os.File) bool { return true }
