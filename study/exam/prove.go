package exam

import (
	"context"

	"tiro/env"
)

// prover finds forced wins by proof-number search (Allis, van der Meulen and van den
// Herik 1994, "Proof-number search"), which needs the rules alone. It is for one
// goroutine. A node's numbers are how many positions must be won, or not won, at
// least, to prove or to refute that the player can force a payoff of 1; those of a
// new position are guessed by the number of its actions.
type prover struct {
	root  env.State // the position to be proven
	state env.State // that of the node at hand
	next  env.State // after one more action
	me    env.Player
	nodes []proofNode
	legal []env.Action
}

type proofNode struct {
	action        env.Action
	parent        int32
	first, count  int32 // children; none before the node is expanded
	prove, refute uint32
	mine          bool // the player is on turn
}

// never is a proof number that no work reaches.
const never = 1 << 30

func newProver(game env.Game) *prover {
	return &prover{root: game.New(), state: game.New(), next: game.New()}
}

// wins reports whether it is proven, with at most so many nodes, that me can force a
// win in s.
func (p *prover) wins(ctx context.Context, s env.State, me env.Player, most int) (bool, error) {
	p.root.CopyFrom(s)
	p.me, p.nodes = me, append(p.nodes[:0], proofNode{parent: -1})
	p.guess(&p.nodes[0], s)
	for p.nodes[0].prove > 0 && p.nodes[0].refute > 0 && len(p.nodes) < most {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		n := p.mostProving()
		p.expand(n)
		for ; n >= 0; n = p.nodes[n].parent {
			p.update(n)
		}
	}
	return p.nodes[0].prove == 0, nil
}

// guess sets the numbers of a node whose position is s.
func (p *prover) guess(n *proofNode, s env.State) {
	if v, over := s.Result(); over {
		n.prove, n.refute = never, 0
		if v[p.me] == 1 {
			n.prove, n.refute = 0, never
		}
		return
	}
	p.legal = s.Legal(p.legal[:0])
	n.mine = s.Turn() == p.me
	n.prove, n.refute = 1, uint32(len(p.legal))
	if !n.mine {
		n.prove, n.refute = n.refute, n.prove
	}
}

// mostProving returns the node that contributes most either way, and sets p.state to
// its position.
func (p *prover) mostProving() int32 {
	p.state.CopyFrom(p.root)
	n := int32(0)
	for p.nodes[n].count > 0 {
		nd := &p.nodes[n]
		best := nd.first
		for c := nd.first; c < nd.first+nd.count; c++ {
			if nd.mine && p.nodes[c].prove < p.nodes[best].prove || !nd.mine && p.nodes[c].refute < p.nodes[best].refute {
				best = c
			}
		}
		n = best
		p.state.Play(p.nodes[n].action)
	}
	return n
}

// expand adds the children of n, whose position is p.state.
func (p *prover) expand(n int32) {
	p.legal = p.state.Legal(p.legal[:0])
	first := int32(len(p.nodes))
	p.nodes[n].first, p.nodes[n].count = first, int32(len(p.legal))
	for _, a := range p.legal {
		p.nodes = append(p.nodes, proofNode{action: a, parent: n})
	}
	for c := range p.nodes[first:] {
		child := &p.nodes[int(first)+c]
		p.next.CopyFrom(p.state)
		p.next.Play(child.action)
		p.guess(child, p.next)
	}
}

// update computes the numbers of n from those of its children.
func (p *prover) update(n int32) {
	nd := &p.nodes[n]
	least, sum := uint32(never), uint32(0)
	for c := nd.first; c < nd.first+nd.count; c++ {
		one, all := p.nodes[c].prove, p.nodes[c].refute
		if !nd.mine {
			one, all = all, one
		}
		least, sum = min(least, one), min(sum+all, never)
	}
	nd.prove, nd.refute = least, sum
	if !nd.mine {
		nd.prove, nd.refute = sum, least
	}
}
