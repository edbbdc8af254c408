package study

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"hash"
	"hash/fnv"

	"tiro/env"
	"tiro/mcts"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/selfplay"
)

// batch is the number of positions that a network evaluates at a time.
const batch = 64

// Signature returns a digest of a few seeded games of self-play with a new network,
// which evaluates all positions equally. It changes when play changes: the rules, the
// search or self-play. It is the same for all builds and processors.
func Signature(ctx context.Context, game env.Game) (uint64, error) {
	weights := net.NewWeights(game.Spec(), net.Config{Channels: 8, Blocks: 1, Pool: true, OutcomeChannels: 2}, env.NewRand(1))
	model := net.Compile(kernel.Backend{}, weights)
	return digestOfPlay(ctx, game, 4, 8, fnv.New64a(), net.NewEvaluator(game, model, batch))
}

// BackendSignature returns a digest of a seeded game of self-play with a network of
// random weights, computed by a backend, and of every bit that the network returned. It
// is the same for all builds, but may differ between backends.
func BackendSignature(ctx context.Context, game env.Game, backend net.Backend) (uint64, error) {
	weights := net.NewWeights(game.Spec(), net.Config{Channels: 16, Blocks: 1, Pool: true, OutcomeChannels: 4, Hidden: 16}, env.NewRand(1))
	rng := env.NewRand(2)
	for i := range weights.Flat() { // a new network has zeros in its last layers
		weights.Flat()[i] = rng.Float32() - 0.5
	}
	digest := fnv.New64a()
	evaluator := net.CompileFor(backend, weights).NewEvaluator(game, batch, 1)
	return digestOfPlay(ctx, game, 1, 2, digest, &recorder{evaluator, digest})
}

// digestOfPlay adds games of self-play to a digest and returns it.
func digestOfPlay(ctx context.Context, game env.Game, games, simulations int, digest hash.Hash64, evaluator mcts.Evaluator) (uint64, error) {
	config := selfplay.Default()
	config.Search.Simulations = simulations
	episodes, _, err := selfplay.Play(ctx, selfplay.Job{
		Game: game, Config: config, Seed: 1, Games: games, Workers: 1,
		Evaluator: func() mcts.Evaluator { return evaluator },
	})
	if err != nil {
		return 0, err
	}
	text, err := json.Marshal(episodes)
	if err != nil {
		return 0, err
	}
	_, _ = digest.Write(text) // a hash never returns an error
	return digest.Sum64(), nil
}

// recorder adds the results of its evaluator to a digest.
type recorder struct {
	mcts.Evaluator
	digest hash.Hash64
}

func (r *recorder) Evaluate(ctx context.Context, leaves []*mcts.Leaf) error {
	if err := r.Evaluator.Evaluate(ctx, leaves); err != nil {
		return err
	}
	for _, leaf := range leaves {
		_ = binary.Write(r.digest, binary.LittleEndian, leaf.Prior)
		_ = binary.Write(r.digest, binary.LittleEndian, leaf.Value[:])
	}
	return nil
}
