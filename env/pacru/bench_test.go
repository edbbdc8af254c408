package pacru

import (
	"math/rand/v2"
	"slices"
	"testing"

	"tiro/env"
)

// BenchmarkRandomPlay plays random games. An iteration generates the legal actions, plays
// one of them and checks whether the game is over.
func BenchmarkRandomPlay(b *testing.B) {
	for _, name := range every() {
		b.Run(name, func(b *testing.B) {
			game := newGameOf(b, name)
			start, s := game.New(), game.New().(*State)
			legal := make([]env.Action, 0, game.Spec().Actions())
			rng := env.NewRand(1)
			turns := 0
			b.ReportAllocs()
			for b.Loop() {
				if _, over := s.Result(); over {
					turns += int(s.turns)
					s.CopyFrom(start)
				}
				legal = s.Legal(legal[:0])
				s.Play(legal[rng.IntN(len(legal))])
			}
			turns += int(s.turns)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "actions/s")
			b.ReportMetric(float64(turns)/b.Elapsed().Seconds(), "turns/s")
		})
	}
}

func BenchmarkObserve(b *testing.B) {
	for _, name := range []string{"shacru", "azacru", "pacru:players=4"} {
		b.Run(name, func(b *testing.B) {
			game := newGameOf(b, name)
			s := game.New()
			rng := env.NewRand(1)
			for range 30 {
				legal := s.Legal(nil)
				s.Play(legal[rng.IntN(len(legal))])
			}
			dst := make([]float32, game.Spec().Inputs())
			for b.Loop() {
				s.Observe(dst)
			}
		})
	}
}

// BenchmarkGreedy plays games of a player who chooses the action with the best score
// against random players, and reports the fraction won:
// go test -run - -bench Greedy -benchtime 300x ./env/pacru
func BenchmarkGreedy(b *testing.B) {
	for _, name := range every()[:9] {
		b.Run(name, func(b *testing.B) {
			game := newGameOf(b, name)
			s, won := new(State), 0
			for seed := uint64(0); b.Loop(); seed++ {
				rng := env.NewRand(seed)
				greedy := env.Player(seed % uint64(game.spec.Players))
				s.CopyFrom(&game.start)
				for legal := s.Legal(nil); len(legal) > 0; legal = s.Legal(legal[:0]) {
					if s.Turn() == greedy {
						s.Play(s.greediest(legal, rng))
					} else {
						s.Play(legal[rng.IntN(len(legal))])
					}
				}
				if v, _ := s.Result(); v[greedy] > 0 {
					won++
				}
			}
			b.ReportMetric(100*float64(won)/float64(b.N), "won-%")
		})
	}
}

// greediest returns a winning action, or otherwise the action with the best score.
func (s *State) greediest(legal []env.Action, rng *rand.Rand) (greediest env.Action) {
	best := float32(-10)
	for _, a := range legal {
		child := *s
		child.Play(a)
		score := child.Score()[s.turn] + rng.Float32()/1000
		if v, over := child.Result(); over {
			score = 2 * v[s.turn]
		}
		if score > best {
			greediest, best = a, score
		}
	}
	return greediest
}

// BenchmarkEndings plays random games and reports their lengths, the longest stretch
// without a change of markers, and the rules that end them. The package comment quotes it:
// go test -run - -bench Endings -benchtime 1000x ./env/pacru
func BenchmarkEndings(b *testing.B) {
	for _, name := range every() {
		b.Run(name, func(b *testing.B) {
			game := newGameOf(b, name)
			s := new(State)
			var legal []env.Action
			var turns, quiet []int
			endings := map[string]int{}
			for seed := uint64(0); b.Loop(); seed++ {
				rng, longest := env.NewRand(seed), 0
				s.CopyFrom(&game.start)
				for legal = s.Legal(legal[:0]); len(legal) > 0; legal = s.Legal(legal[:0]) {
					s.Play(legal[rng.IntN(len(legal))])
					longest = max(longest, int(s.quiet))
				}
				turns, quiet = append(turns, int(s.turns)), append(quiet, longest)
				endings[s.Ending()]++
			}
			slices.Sort(turns)
			slices.Sort(quiet)
			n := len(turns)
			b.ReportMetric(float64(turns[n/2]), "turns-50%")
			b.ReportMetric(float64(turns[n*99/100]), "turns-99%")
			b.ReportMetric(float64(turns[n-1]), "turns-max")
			b.ReportMetric(float64(quiet[n-1]), "quiet-max")
			for ending, count := range endings {
				b.ReportMetric(100*float64(count)/float64(n), ending+"-%")
			}
		})
	}
}
