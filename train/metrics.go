package train

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"tiro/env"
	"tiro/internal/portable"
	"tiro/net/graph"
	"tiro/rundir"
	"tiro/selfplay"
)

// lossesOf returns the losses of a step or of a measurement.
func lossesOf(l graph.Loss) rundir.Losses {
	return rundir.Losses{
		Policy: l.Policy, PolicyKL: l.Policy - l.PolicyEntropy, Outcome: l.Outcome,
		Ownership: l.Ownership, Score: l.Score,
	}
}

// addLoss adds the loss of the generation's n-th step, counted from 1, to the means over its
// steps.
func addLoss(m *rundir.Metrics, n int, l graph.Loss) {
	update := func(mean *float64, x float64) { *mean += (x - *mean) / float64(n) }
	mean, last := &m.TrainingLoss, lossesOf(l)
	update(&mean.Policy, last.Policy)
	update(&mean.PolicyKL, last.PolicyKL)
	update(&mean.Outcome, last.Outcome)
	update(&mean.Ownership, last.Ownership)
	update(&mean.Score, last.Score)
	update(&m.GradNorm, l.GradNorm)
}

// describeGames sets the fields of m that describe the games of a generation.
func describeGames(m *rundir.Metrics, game env.Game, episodes []selfplay.Episode) {
	players := game.Spec().Players
	m.Games = len(episodes)
	m.Wins = make([]int, players)
	m.Endings = map[string]int{}
	m.Shortest = math.MaxInt
	seen := map[[16]byte]bool{}
	for i := range episodes {
		e := &episodes[i]
		m.Plies += len(e.Actions)
		m.Samples += len(e.Samples)
		m.Shortest = min(m.Shortest, len(e.Actions))
		m.Longest = max(m.Longest, len(e.Actions))
		if winner, ok := winner(e.Result[:players]); ok {
			m.Wins[winner]++
		} else {
			m.Draws++
		}
		if strings.HasSuffix(e.Ending, env.Limit) {
			m.LengthLimited++
		}
		if e.Ending != "" {
			m.Endings[e.Ending]++
		}
		key := actionsSum(e.Actions)
		if seen[key] {
			m.Duplicates++
		}
		seen[key] = true
	}
	m.MeanPlies = float64(m.Plies) / float64(max(1, m.Games))
	describeSearches(m, episodes)
}

// actionsSum returns a checksum of actions, so that games can be compared without a copy of all
// actions.
func actionsSum(actions []env.Action) (sum [16]byte) {
	var text []byte
	for _, a := range actions {
		text = binary.AppendVarint(text, int64(a))
	}
	all := sha256.Sum256(text)
	copy(sum[:], all[:])
	return sum
}

// winner returns the seat with the best payoff, unless several seats share it.
func winner(payoffs []float32) (seat int, ok bool) {
	best := slices.Max(payoffs)
	seat = slices.Index(payoffs, best)
	return seat, !slices.Contains(payoffs[seat+1:], best)
}

// describeSearches sets the fields of m that describe the searches of a generation.
func describeSearches(m *rundir.Metrics, episodes []selfplay.Episode) {
	var counts [3]int
	for i := range episodes {
		e := &episodes[i]
		s, ply := e.Rules.New(), 0
		for j := range e.Samples {
			sample := &e.Samples[j]
			for ; ply < sample.Ply; ply++ {
				s.Play(e.Actions[ply])
			}
			m.SearchKL += float64(sample.KL)
			for _, entry := range sample.Policy {
				p := float64(entry.Weight) / selfplay.Scale
				m.TargetEntropy -= float64(p * portable.Log(p))
			}
			third := 3 * sample.Ply / len(e.Actions)
			d := float64(sample.Value[s.Turn()] - e.Result[s.Turn()])
			m.ValueError[third] += float64(d * d)
			counts[third]++
		}
	}
	m.SearchKL /= float64(max(1, m.Samples))
	m.TargetEntropy /= float64(max(1, m.Samples))
	for third, n := range counts {
		m.ValueError[third] /= float64(max(1, n))
	}
}

// describePlay sets the fields of m that describe self-play on this machine. The duration must be
// set already.
func describePlay(m *rundir.Machine, s selfplay.Stats) {
	m.Evaluations = s.Evaluations
	if s.Leaves > 0 {
		m.CacheHits = 1 - float64(s.Evaluations)/float64(s.Leaves)
	}
	if m.SelfplaySeconds > 0 {
		m.GamesPerSecond = float64(s.Games) / m.SelfplaySeconds
		m.EvaluationsPerSecond = float64(s.Evaluations) / m.SelfplaySeconds
	}
	t := s.Time
	if all := (t.Gather + t.Evaluate + t.Apply + t.Other).Seconds(); all > 0 {
		m.GatherFraction = t.Gather.Seconds() / all
		m.EvaluateFraction = t.Evaluate.Seconds() / all
		m.ApplyFraction = t.Apply.Seconds() / all
		m.OtherFraction = t.Other.Seconds() / all
	}
}
