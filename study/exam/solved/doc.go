// Package solved examines engines in positions whose value is known exactly: how often they
// throw it away, and how far their expectation is off.
//
// # First use
//
//	questions, err := solved.Read(game, file) // of a game with an exact solver
//	…
//	x := solved.New(game, questions)
//	answers, err := x.Take(ctx, engine)
//	searched, alone := x.Score(answers)
//	fmt.Println(searched.Errors, "errors of", len(answers))
//
// Solve has the questions of a small game: all of its positions.
//
// The frozen sets of package exam, of which one kind is solved too, have their positions'
// history and the values of all actions, and need no solver when they are taken.
package solved
