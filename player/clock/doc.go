// Package clock implements time controls, the clocks of a game, and the use of time by players
// that search.
//
// A Control is a time control, as fastchess and cutechess write them:
//
//	c, err := clock.Parse("40/60+0.5") // 60 seconds for each 40 moves, and half a second more for each
//
// A Game runs the clocks of all seats:
//
//	g := clock.NewGame(time.Now, controls) // by seat
//	g.Start(seat)
//	…                                      // the seat decides
//	err := g.Stop()                        // ErrOver if the time is over
//	g.EndTurn()
//
// A Manager decides how long a search thinks about a move. It learns only its own time, as
// programs do through their protocols. The same Manager therefore serves players in matches
// and the engine that other programs use.
package clock
