// Package envtest holds what the tests of games, searches and training share:
// a conformance suite for games, games written as text, and an exact solver.
//
// # The conformance suite
//
// The first test of every game is
//
//	func TestConformance(t *testing.T) {
//		envtest.Run(t, newGame(t))
//	}
//
// Run plays many random games, always the same ones, and checks each duty that
// package env lays on a game in a subtest of its own. A failure names the
// game, the ply and the position. The work is bounded by plies, so that a game
// takes a second or so.
//
// # Games as text
//
// Tree makes a game from a hand-written tree, for any number of players and
// with turns of several actions, so that a search can be tested on positions
// whose value is known by looking at them:
//
//	game := envtest.MustTree(3, "((=(CA)) (=(BB)) ((AA)(AA)))")
//
// # Exact values
//
// Solve visits every reachable position of a small game and gives each its
// value under perfect play.
package envtest
