//go:build !linux

package cli

import (
	"time"

	"tiro/player"
)

// machineClock returns the clock of players and matches. The CPU time of a thread is
// not known here.
func machineClock() player.Clock { return player.Clock{Now: time.Now} }
