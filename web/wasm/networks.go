//go:build js && wasm

package wasm

import (
	"context"
	"fmt"
	"sync"
	"syscall/js"

	"tiro/env"
	"tiro/mcts"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/player"
	"tiro/web/host"
)

// networks makes the players of the page. It fetches a network on first use.
type networks struct {
	page    *page
	games   []host.SiteGame
	backend kernel.Backend

	mu     sync.Mutex
	models map[string]*net.Model // by address
}

// player returns the factory of the player that text describes. It is called before every move
// and every evaluation, and lets the worker handle its messages.
func (n *networks) player(game env.Game, text string) (player.Factory, error) {
	if err := n.page.pause(); err != nil {
		return player.Factory{}, err
	}
	s, err := player.Parse(text, 1)
	if err != nil {
		return player.Factory{}, err
	}
	return s.Factory(game, player.Resources{Open: func(s player.Spec) (player.Network, error) { return n.open(game, s) }})
}

// open returns the network of a player.
func (n *networks) open(game env.Game, s player.Spec) (player.Network, error) {
	for _, g := range n.games {
		if g.Game != game.Spec().Name || g.Network != s.Network {
			continue
		}
		model, err := n.model(game, g.Weights)
		if err != nil {
			return player.Network{}, err
		}
		return player.Network{Evaluator: n.evaluators(game, model)}, nil
	}
	return player.Network{}, fmt.Errorf("this page has no network %q", s.Network)
}

// evaluators returns a function that makes evaluators of a model.
func (n *networks) evaluators(game env.Game, model *net.Model) func() mcts.Evaluator {
	return func() mcts.Evaluator { return &polite{net.NewEvaluator(game, model, 1), n.page, 0} }
}

// model returns the network at an address.
func (n *networks) model(game env.Game, address string) (*net.Model, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if m, ok := n.models[address]; ok {
		return m, nil
	}
	value, err := await(n.page.js.Call("read", address))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", address, err)
	}
	data := make([]byte, value.Get("length").Int())
	js.CopyBytesToGo(data, value)
	info, err := net.ReadInfo(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", address, err)
	}
	trained, err := n.page.find(info.Game)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", address, err)
	}
	if err := game.Spec().CheckNetwork(trained.Spec()); err != nil {
		return nil, fmt.Errorf("%s: %w", address, err)
	}
	weights, err := net.ReadWeights(data, trained.Spec())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", address, err)
	}
	if n.models == nil {
		n.models = map[string]*net.Model{}
	}
	n.models[address] = net.Compile(n.backend, weights)
	return n.models[address], nil
}

// politeLeaves is the number of leaves evaluated between two pauses: few enough that the page
// stays responsive, and many enough that the pauses cost little.
const politeLeaves = 8

// polite is an evaluator that regularly lets the worker handle its messages.
type polite struct {
	mcts.Evaluator
	page   *page
	leaves int
}

// Evaluate implements mcts.Evaluator.
func (p *polite) Evaluate(ctx context.Context, leaves []*mcts.Leaf) error {
	if p.leaves += len(leaves); p.leaves >= politeLeaves {
		p.leaves = 0
		if err := p.page.pause(); err != nil {
			return err
		}
	}
	return p.Evaluator.Evaluate(ctx, leaves)
}

// pause lets the worker handle its messages.
func (p *page) pause() error {
	_, err := await(p.js.Call("pause"))
	return err
}
