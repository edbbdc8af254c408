// Package mcts searches games by Monte-Carlo tree search.
//
// It knows games through package env alone and no network at all: a Search says
// which positions it wants evaluated, an Evaluator evaluates them.
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
//		search.Advance(result.Best) // keeps what it knows of the next position
//	}
//
// # Many searches, one batch
//
// Run is made of three calls. A caller that plays many games at once makes them
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
// A search runs on its caller's goroutine and starts none. After an error
// nothing needs to be done: the next Gather takes back what was not applied
// and asks for it again.
//
// # How it searches
//
// Values are payoffs by seat, never one number with a sign. A node's mover
// takes what is good for its own seat (max^n), and all seats are backed up, so
// that 2, 3 and 4 players, and turns of several actions, are the same code.
//
// Config.Root chooses between three ways to search. "gumbel" (Danihelka et al.
// 2022) draws a few actions by prior, halves their number as it goes, and
// learns well from as few as 16 simulations. Below the root it follows the
// improved policy, which trusts the evaluator and may never try an action that
// looks bad; it is no choice for noisy evaluators such as Rollout. "improved"
// follows that policy at the root as well: it may end after any simulation, and
// is what matches and people play against. "puct" (Silver et al. 2018) tries
// every action in the end, and is for Rollout.
//
// Config.RootNoise is for self-play. Without it a search is the same every time.
//
// Exact results are kept apart from estimates: a position from which a player
// can force a win is proven and its value exact, proven losses are not visited
// again, and when the root is decided the search ends, however many simulations
// are left.
//
// Config.ParallelLeaves lets several simulations of one tree be in flight. Each
// counts as a loss until its value is known, so that the next one goes
// elsewhere. This costs strength for the same number of simulations. A Gumbel
// root also fills a batch without that cost; see Gather.
//
// # Memory
//
// Nodes and edges lie in flat arrays that are kept from move to move and from
// game to game; once they have grown, nothing allocates. A node takes 92
// bytes, an edge 20. Config.MaxNodes bounds them: a tree has at most so many
// nodes, and 64 times as many edges. The search of a full tree is Done.
// Config.Bytes returns the bound in bytes.
//
// # Cost
//
// One core of an AMD EPYC, go test -bench Search ./mcts, 800 simulations from
// Coerceo's start with Uniform: 1.7 million simulations a second with PUCT, 1.2
// million with Gumbel; 2.7 and 1.5 million where the game costs nothing.
package mcts
