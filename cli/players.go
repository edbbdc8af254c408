package cli

import (
	"io"
	"strings"

	"tiro/arena"
	"tiro/arena/level"
	"tiro/env"
	"tiro/mcts"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/play"
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

// parsePlayer returns the factory of the players that spec names. An error that
// is no fault of the command line, such as a damaged checkpoint, is no usage
// error.
func parsePlayer(game env.Game, c computing, spec string) (arena.PlayerFactory, error) {
	spec, err := level.Expand(game.Spec().Name, spec)
	if err != nil {
		return nil, usage(err)
	}
	if network, _, _ := strings.Cut(spec, ","); isBundled(network) {
		spec = "net:" + spec // as all networks are named elsewhere
	}
	var failure error
	open := func(name string) (arena.Network, error) {
		n, err := c.openFor(game, name)
		sum := ""
		if err == nil {
			sum, err = n.weights.Checksum()
		}
		if failure = err; err != nil {
			return arena.Network{}, err
		}
		model := net.Compile(c.backend, n.weights)
		if c.notes != nil {
			sayForeign(c.notes, name, model, game)
		}
		return arena.Network{Evaluator: c.evaluators(game, model), MACs: model.MACs(), TrainedFor: model.Game(), SHA256: sum, Write: n.weights.Write}, nil
	}
	kinds := append(arena.TimedKinds(machineClock()), arena.NetworkKind(arena.MatchSimulations, machineClock(), open),
		play.UGIKind(arena.MatchSimulations))
	factory, err := arena.ParsePlayer(game, spec, kinds...)
	if failure != nil {
		return nil, failure
	}
	return factory, usage(err)
}

// evaluators returns what makes the evaluators of a network's players.
func (c computing) evaluators(game env.Game, model *net.Model) func() mcts.Evaluator {
	return func() mcts.Evaluator { return net.NewEvaluatorPool(game, model, c.threads, maxBatch) }
}
