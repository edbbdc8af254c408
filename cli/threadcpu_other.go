//go:build !linux

package cli

import (
	"time"

	"tiro/arena"
)

// machineClock returns the clock of players and matches. The CPU time of a thread is
// not known here.
func machineClock() arena.Clock { return arena.Clock{Now: time.Now} }
