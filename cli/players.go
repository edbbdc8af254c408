package cli

import (
	"fmt"
	"io"
	"time"

	"tiro/env"
	"tiro/internal/machine"
	"tiro/net/kernel"
	"tiro/networks"
	"tiro/play"
	"tiro/player"
)

// modelHelp is the beginning of the help of flags --model.
const modelHelp = "network: a `RUN_OR_FILE` (run folder, checkpoint, weights file) or bundled"

// opener opens the players that the command line names.
type opener struct{ networks.Opener }

// opener returns what opens players whose networks are computed on so many cores. It says
// on notes, unless that is nil, which networks were trained for another game string.
func (c catalog) opener(backend kernel.Backend, threads int, notes io.Writer) opener {
	o := opener{networks.Opener{Find: c.newGame, Backend: backend, Threads: threads}}
	if notes != nil {
		o.Foreign = func(name, trained, plays string) {
			fmt.Fprintf(notes, "%s was trained for %s and plays %s\n", name, trained, plays)
		}
	}
	return o
}

// factory returns the factory of the players that text describes.
func (o opener) factory(game env.Game, text string) (player.Factory, error) {
	s, err := player.Parse(text, player.MatchSimulations)
	if err != nil {
		return player.Factory{}, usage(err)
	}
	return o.make(game, s)
}

// make returns the factory of the players of s. An error that is no fault of the command
// line, such as a damaged checkpoint, is no usage error.
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
