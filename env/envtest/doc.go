// Package envtest contains tools shared by the tests of games, searches and training: a
// conformance suite for games, games written as text, and an exact solver.
//
// # The conformance suite
//
// The first test of every game is
//
//	func TestConformance(t *testing.T) {
//		envtest.Run(t, newGame(t))
//	}
//
// Run plays many random games, always the same ones, and checks each requirement of package
// env in its own subtest. A failure names the game, the ply and the position. The number of
// plies is limited, so that a game takes about a second.
//
// # Games as text
//
// Tree creates a game from a tree written by hand, for any number of players and with turns of
// several actions. It serves to test a search on positions whose value is obvious:
//
//	game := envtest.MustTree(3, "((=(CA)) (=(BB)) ((AA)(AA)))")
//
// # Exact values
//
// Solve visits every reachable position of a small game and computes its value under perfect
// play.
package envtest
