package train

import "tiro/selfplay"

// forecast estimates how many actions a generation's games will still take. That
// is shown to people and has no part in what is learned.
//
// A game lasts about as long as others did: those of the generation before, and
// those of this one that are over. The longer games last already, the more there
// is still to come: a game that has outlived that length is expected to last a
// quarter as long again.
type forecast struct {
	games    int     // of the generation
	mean     float64 // plies of a game of the generation before; 0: unknown
	finished int     // games that are over
	plies    int     // of those
	playing  int     // actions of games that are not over
}

// Weights of a forecast.
const (
	knownAfter = 4 // without a generation before, one in so many games must be over
	outlived   = 4 // a game that has outlived the mean lasts one in so many of its plies more
)

// newForecast returns a forecast for so many games, of which some are done, after a
// generation of games with so many plies on average.
func newForecast(games int, mean float64, done []selfplay.Episode) *forecast {
	f := &forecast{games: games, mean: mean}
	for i := range done {
		f.finished++
		f.plies += len(done[i].Actions)
	}
	return f
}

// finish counts a game of so many plies that is over.
func (f *forecast) finish(plies int) {
	f.finished++
	f.plies += plies
	f.playing = max(0, f.playing-plies)
}

// left returns the actions that the unfinished games are expected to take still. It
// is not known before there are games to judge by.
func (f *forecast) left() (actions int, ok bool) {
	prior := float64(f.games) / knownAfter
	if f.mean == 0 {
		if float64(f.finished) < prior {
			return 0, false
		}
		prior = 0
	}
	unfinished := float64(f.games - f.finished)
	if unfinished <= 0 {
		return 0, true
	}
	mean := (float64(prior*f.mean) + float64(f.plies)) / (prior + float64(f.finished))
	age := float64(f.playing) / unfinished
	return int(unfinished * max(mean-age, age/outlived)), true
}
