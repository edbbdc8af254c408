// Package exam examines networks by sets of positions of which something is known: frozen
// ones, one for each game and kind of question, files of solved positions, and all positions
// of a small game.
//
//	solved      the value of every action is known: does the engine keep it?
//	tactics     a forced win that a short search misses: does it find one?
//	judgement   how games went on from here: does it expect that?
//	conversion  a position clearly won: does it win against a stubborn defender?
//
// # First use
//
//	sets, err := exam.Sets(game, files) // without files, those that are part of the program
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
//
// Of solved positions in a file and of those of a small game only the value is known. An exact
// solver judges the actions that engines choose, and each action once.
package exam
