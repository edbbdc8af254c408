package cli

import (
	"fmt"
	"io"
	"time"

	"tiro/env"
	"tiro/internal/machine"
	"tiro/net"
	"tiro/networks"
	"tiro/play"
	"tiro/player"
)

// modelHelp begins the help of every flag --model.
const modelHelp = "use the network of `RUN_OR_FILE`: a run folder, checkpoint, weights file, or bundled"

// opener opens the players that the command line names.
type opener struct{ networks.Opener }

// opener returns an opener of players whose networks use the given number of threads. Unless
// notes is nil, it writes a line there for each network that was trained for another game
// string.
func (c catalog) opener(backend net.Backend, threads int, notes io.Writer) opener {
	o := opener{networks.Opener{Find: c.newGame, Backend: backend, Threads: threads}}
	if notes != nil {
		o.Foreign = func(name, trained, plays string) {
			fmt.Fprintf(notes, "%s was trained for %s and plays %s\n", name, trained, plays)
		}
	}
	return o
}

// factory returns the factory of the player that text describes.
func (o opener) factory(game env.Game, text string) (player.Factory, error) {
	s, err := player.Parse(text, player.MatchSimulations)
	if err != nil {
		return player.Factory{}, usage(err)
	}
	if s.Clock.Limits() {
		return player.Factory{}, usage(fmt.Errorf("player %s: clocks run in tiro match and tiro rate only; use time=T here", s))
	}
	return o.make(game, s)
}

// make returns the factory of the player s. Its errors are usage errors, except when a network
// cannot be opened.
func (o opener) make(game env.Game, s player.Spec) (player.Factory, error) {
	var failure error
	open := func(s player.Spec) (n player.Network, err error) {
		n, failure = o.Open(game, s.Network)
		return n, failure
	}
	f, err := s.Factory(game, player.Resources{Clock: machineClock(), Open: open, Program: play.StartProgram})
	if failure != nil {
		return f, failure
	}
	return f, usage(err)
}

// machineClock returns the clock of players and matches.
func machineClock() player.Clock { return player.Clock{Now: time.Now, CPU: machine.ThreadCPU()} }
