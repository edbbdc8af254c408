package cli

import (
	"fmt"
	"io"

	"tiro/env"
	"tiro/mcts"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/play"
	"tiro/player"
)

// maxBatch is how many positions a network evaluates at a time.
const maxBatch = 64

// computing says how players' networks are computed.
type computing struct {
	catalog
	backend kernel.Backend
	threads int       // cores that evaluate the positions of one search; the results do not depend on them
	notes   io.Writer // where it is said which networks were trained for another game string; nil for nowhere
}

// factory returns the factory of the players that text describes.
func (c computing) factory(game env.Game, text string) (player.Factory, error) {
	s, err := player.Parse(text, player.MatchSimulations)
	if err != nil {
		return player.Factory{}, usage(err)
	}
	return c.make(game, s)
}

// make returns the factory of the players of s. An error that is no fault of the command
// line, such as a damaged checkpoint, is no usage error.
func (c computing) make(game env.Game, s player.Spec) (player.Factory, error) {
	var failure error
	open := func(s player.Spec) (player.Network, error) {
		n, err := c.open(game, s.Network)
		failure = err
		return n, err
	}
	f, err := s.Factory(game, player.Options{Clock: machineClock(), Open: open, Program: play.StartProgram})
	if failure != nil {
		return f, failure
	}
	return f, usage(err)
}

// open opens a network for players of a game.
func (c computing) open(game env.Game, name string) (player.Network, error) {
	n, err := c.openFor(game, name)
	if err != nil {
		return player.Network{}, err
	}
	if c.notes != nil && n.foreign != "" {
		fmt.Fprintf(c.notes, "%s was trained for %s and plays %s\n", name, n.foreign, game.Spec().Name)
	}
	return c.network(game, n.weights)
}

// network returns weights as a network for players of a game.
func (c computing) network(game env.Game, w *net.Weights) (player.Network, error) {
	sum, err := w.Checksum()
	model := net.Compile(c.backend, w)
	return player.Network{Evaluator: c.evaluators(game, model), MACs: model.MACs(), TrainedFor: model.Game(), SHA256: sum, Write: w.Write}, err
}

// evaluators returns what makes the evaluators of a network's players.
func (c computing) evaluators(game env.Game, model *net.Model) func() mcts.Evaluator {
	return func() mcts.Evaluator { return net.NewEvaluatorPool(game, model, c.threads, maxBatch) }
}
