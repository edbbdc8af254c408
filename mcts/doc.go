// Package mcts implements Monte Carlo tree search.
//
// The package knows games only through package env, and it knows nothing about networks. A
// Search selects positions to evaluate, and an Evaluator evaluates them.
//
// # First use
//
//	search, err := mcts.New(game, mcts.Default())
//	search.Start(game.New(), rng)
//	for {
//		if err := search.Run(ctx, evaluator); err != nil { … }
//		search.Result(&result)
//		if result.Best < 0 {
//			break // the game is over
//		}
//		search.Advance(result.Best) // reuses the subtree of the next position
//	}
//
// # Many searches, one batch
//
// Run consists of three calls. A program that plays many games concurrently makes these calls
// itself, so that all searches share one batch:
//
//	leaves = leaves[:0]
//	for i, s := range searches {
//		first[i] = len(leaves)
//		leaves = s.Gather(leaves, most)
//	}
//	err := evaluator.Evaluate(ctx, leaves)
//	for i, s := range searches {
//		s.Apply(leaves[first[i]:first[i+1]])
//	}
//
// A search runs on its caller's goroutine and starts none. An error needs no cleanup: the
// next Gather cancels the leaves that were not applied and returns them again.
//
// # Algorithms
//
// A value is a vector of payoffs by seat. At each node the mover maximises the payoff of its
// own seat (max^n), and the payoffs of all seats are backed up. Games for 2, 3 and 4 players
// and turns of several actions therefore share the same code.
//
// Config.Root selects one of three algorithms. "gumbel" (Danihelka et al. 2022) samples a few
// actions by prior and repeatedly halves their number; it improves the policy with as few as
// 16 simulations. Below the root it follows the improved policy, which trusts the evaluator
// and may never try an action with a poor evaluation, so it does not suit noisy evaluators
// such as Rollout. "improved" follows the improved policy at the root as well. It can stop
// after any simulation, and is the choice for matches and for play against people. "puct"
// (Silver et al. 2018) eventually tries every action and suits Rollout.
//
// Config.RootNoise is for self-play. Without it, and always at an improved root, a search is
// deterministic.
//
// Exact results are distinguished from estimates. A position is proven if a player can force
// a win, and its value is then exact. Proven losses are not visited again, and the search
// ends as soon as the root is decided, even if simulations remain.
//
// If a game's State is an env.Repeater, a position that has occurred before at the root or on the
// way from there counts as a draw, even if the rules demand more occurrences (two-fold draws in
// Leela Chess Zero). Such a draw proves nothing, and is removed when the earlier position leaves
// the tree.
//
// Config.ParallelLeaves allows several simulations of one tree to be in flight. Each counts
// as a loss until its value is known, which diverts the next simulations to other actions. At
// the same number of simulations this costs strength. A Gumbel root also fills a batch
// without that cost; see Gather.
//
// # Memory
//
// Nodes and edges are stored in flat arrays that are reused from move to move and from game to
// game, so that a search stops allocating once they have grown. A node takes 92 bytes, an
// edge 20 bytes. A tree has at most Config.MaxNodes nodes and 64·MaxNodes edges; when it is
// full, the search is Done. Config.Bytes returns the resulting bound in bytes.
//
// # Speed
//
// On one core of an AMD EPYC, go test -bench Search ./mcts, with 800 simulations from the start
// position of Coerceo and the evaluator Uniform, reports 1.7 million simulations per second
// for PUCT and 1.2 million for Gumbel; 2.7 and 1.5 million with a game that costs nothing.
package mcts
