// Package exam tests networks on positions with known answers: the shipped sets, one for each
// game and kind of question; files of solved positions; and all positions of a small game.
//
//	solved      the value of every action is known: does the engine keep it?
//	tactics     a forced win that a short search misses: does the engine find it?
//	endgame     a win and its length are known: does the engine keep it, and shorten it?
//	judgement   results of games from the position: does the engine predict them?
//	conversion  a clearly won position: does the engine win against a stubborn defender?
//
// # First use
//
//	sets, err := exam.Sets(game, files) // without files, the shipped sets
//	for _, set := range sets {
//		result, err := set.Take(ctx, game, arena.EngineUnderTest{…})
//		fmt.Println(set.Kind, result.Searched.Right, "of", result.Positions)
//	}
//
// # Sets
//
// Read reads a set from text: a header, then one line per position. docs/FORMATS.md describes
// it. A position is given by the actions that lead to it from the start, so that repetitions
// and clocks are known.
//
// For solved positions in a file and for the positions of a small game, only the value is
// known. An exact solver judges the actions that engines choose, each action once.
package exam
