package coerceo

import (
	"slices"
	"testing"

	"tiro/env"
)

// BenchmarkPerft counts positions from the start, five plies deep.
func BenchmarkPerft(b *testing.B) {
	p := Start(2)
	n := uint64(0)
	for b.Loop() {
		n += p.Perft(5)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "positions/s")
}

// midgame returns states from random games, one every few plies.
func midgame(b *testing.B) (states []*State) {
	game := newGame(b, "coerceo")
	for seed := range uint64(8) {
		rng := env.NewRand(seed)
		s := game.New().(*State)
		for ply := 0; s.ending == unfinished; ply++ {
			if ply%16 == 0 {
				c := new(State)
				c.CopyFrom(s)
				states = append(states, c)
			}
			legal := s.Legal(nil)
			s.Play(legal[rng.IntN(len(legal))])
		}
	}
	return states
}

func BenchmarkLegal(b *testing.B) {
	states := midgame(b)
	buffer := make([]env.Action, 0, maxLegal)
	i := 0
	for b.Loop() {
		buffer = states[i%len(states)].Legal(buffer[:0])
		i++
	}
}

func BenchmarkCopyPlay(b *testing.B) {
	states := midgame(b)
	var actions []env.Action
	for _, s := range states {
		legal := s.Legal(nil)
		actions = append(actions, legal[len(legal)/2])
	}
	c := new(State)
	i := 0
	for b.Loop() {
		c.CopyFrom(states[i%len(states)])
		c.Play(actions[i%len(states)])
		i++
	}
}

func BenchmarkObserve(b *testing.B) {
	states := midgame(b)
	dst := make([]float32, planes*gridCells)
	i := 0
	for b.Loop() {
		states[i%len(states)].Observe(dst)
		i++
	}
}

// BenchmarkRandomGame plays whole random games, choosing actions from a list or by
// sampling.
func BenchmarkRandomGame(b *testing.B) {
	game := newGame(b, "coerceo")
	s := game.New().(*State)
	start := game.New()
	buffer := make([]env.Action, 0, maxLegal)
	rng := env.NewRand(1)
	run := func(b *testing.B, draw func() env.Action) {
		plies := 0
		for b.Loop() {
			s.CopyFrom(start)
			for _, over := s.Result(); !over; _, over = s.Result() {
				s.Play(draw())
				plies++
			}
		}
		b.ReportMetric(float64(plies)/b.Elapsed().Seconds(), "plies/s")
	}
	b.Run("list", func(b *testing.B) {
		run(b, func() env.Action {
			buffer = s.Legal(buffer[:0])
			return buffer[rng.IntN(len(buffer))]
		})
	})
	b.Run("sample", func(b *testing.B) {
		run(b, func() env.Action { return s.Sample(rng) })
	})
}

// BenchmarkEndings plays random games without claims and reports their lengths and the
// rules that end them. The default limits are based on it:
// go test -run - -bench Endings -benchtime 2000x ./env/coerceo
func BenchmarkEndings(b *testing.B) {
	for _, win := range []string{"casual", "base", "short", "competitive"} {
		for _, options := range []string{"", ",noprogress=0,maxplies=20000"} {
			b.Run(win+options, func(b *testing.B) {
				game := newGame(b, "coerceo:win="+win+options)
				s := new(State)
				var plies, quiet []int // of each game: its length and its longest stretch without progress
				endings := map[string]int{}
				for seed := uint64(0); b.Loop(); seed++ {
					s.CopyFrom(&game.start)
					longest := randomGame(s, seed)
					plies, quiet = append(plies, int(s.ply)), append(quiet, longest)
					endings[s.Ending()]++
				}
				slices.Sort(plies)
				slices.Sort(quiet)
				n := len(plies)
				b.ReportMetric(float64(plies[n/2]), "plies-50%")
				b.ReportMetric(float64(plies[n*99/100]), "plies-99%")
				b.ReportMetric(float64(plies[n-1]), "plies-max")
				b.ReportMetric(float64(quiet[n*99/100]), "quiet-99%")
				for name, count := range endings {
					b.ReportMetric(100*float64(count)/float64(n), name+"-%")
				}
			})
		}
	}
}

// randomGame plays s to its end and returns the longest stretch without progress.
func randomGame(s *State, seed uint64) (longest int) {
	rng := env.NewRand(seed)
	var buffer [maxLegal]env.Action
	for s.ending == unfinished {
		legal := s.Legal(buffer[:0])
		if s.claimable() {
			legal = legal[:len(legal)-1]
		}
		s.Play(legal[rng.IntN(len(legal))])
		longest = max(longest, int(s.clock))
	}
	return longest
}
