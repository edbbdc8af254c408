// Package exam examines networks by frozen sets of positions, one for each game and
// kind of question.
//
//	solved      the value of every action is known: does the engine keep it?
//	tactics     a forced win that a short search misses: does it find one?
//	judgement   how games went on from here: does it expect that?
//	conversion  a position clearly won: does it win against a stubborn defender?
//
// # First use
//
//	sets, err := exam.Bundled(game)
//	for _, set := range sets {
//		result, err := set.Take(ctx, game, arena.EngineUnderTest{…})
//		fmt.Println(set.Kind, result.Searched.Right, "of", result.Positions)
//	}
//
// # Sets
//
// Read takes a set from a text of one line a position, which begins with a header
// and which a person can read; docs/FORMATS.md describes it. Positions are written
// as the actions that lead to them from the start, so that they have a past:
// repetitions, clocks and all.
package exam
