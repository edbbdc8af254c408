package selfplay

import (
	"math/rand/v2"
	"slices"

	"tiro/env"
	"tiro/mcts"
)

// The purposes of a game's random draws, which are the last key of their generators.
const (
	drawSearch = iota // noise inside the search
	drawMoves         // opening and sampled actions
)

// slot is a place for a game in flight. Successive games in a slot share a search.
type slot struct {
	job     *Job
	search  *mcts.Search
	rng     *rand.Rand // for openings and moves
	episode Episode
	leaves  int // number of leaves in this round
	result  mcts.Result
}

// begin begins a game.
func (s *slot) begin(game int) {
	s.search.Start(s.prepare(game), s.generator(game, drawSearch))
}

// generator returns the random generator of a game for a purpose.
func (s *slot) generator(game int, purpose uint64) *rand.Rand {
	return env.NewRand(s.job.Seed, uint64(s.job.Generation), uint64(game), purpose)
}

// prepare plays the random opening of a game, if it has one, and returns the position. The
// opening never ends the game.
func (s *slot) prepare(game int) env.State {
	s.rng = s.generator(game, drawMoves)
	s.episode = Episode{Game: game, Rules: s.job.Game}
	state, c := s.job.Game.New(), &s.job.Config
	if c.RandomOpeningPlies == 0 || s.rng.Float64() >= c.RandomOpeningProbability {
		return state
	}
	next := s.job.Game.New()
	var legal []env.Action
	for range 1 + s.rng.IntN(c.RandomOpeningPlies) {
		legal = state.Legal(legal[:0])
		a := legal[s.rng.IntN(len(legal))]
		next.CopyFrom(state)
		next.Play(a)
		if _, over := next.Result(); over {
			break
		}
		state, next = next, state
		s.episode.Actions = append(s.episode.Actions, a)
	}
	s.episode.Opening = len(s.episode.Actions)
	return state
}

// move chooses an action, records the search result and plays the action.
func (s *slot) move() {
	s.search.Result(&s.result)
	ply := len(s.episode.Actions)
	s.episode.Samples = append(s.episode.Samples, newSample(ply, s.job.Game.Spec().Players, &s.result))
	a := s.result.Best
	if ply < s.job.Config.TemperaturePlies {
		a = s.result.Sample(s.job.Config.Temperature, s.rng)
	}
	s.episode.Actions = append(s.episode.Actions, a)
	s.search.Advance(a)
}

// end returns the finished game, without spare capacity.
func (s *slot) end() Episode {
	s.episode.Actions, s.episode.Samples = slices.Clone(s.episode.Actions), slices.Clone(s.episode.Samples)
	state := s.search.State()
	s.episode.Result, _ = state.Result()
	s.episode.Ending = env.Ending(state)
	return s.episode
}
