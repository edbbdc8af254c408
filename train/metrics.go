package train

import (
	"fmt"
	"math"
	"strings"

	"tiro/env"
	"tiro/net/graph"
	"tiro/rundir"
	"tiro/selfplay"
)

// lossesOf returns what there is to say of a step's loss.
func lossesOf(l graph.Loss) rundir.Losses {
	return rundir.Losses{
		Policy: l.Policy, PolicyKL: l.Policy - l.PolicyEntropy, Outcome: l.Outcome,
		Ownership: l.Ownership, Score: l.Score,
	}
}

// addLosses returns the mean of n losses, given that of the first n-1 and the last.
func addLosses(l, last rundir.Losses, n float64) rundir.Losses {
	for _, x := range []struct {
		mean *float64
		last float64
	}{
		{&l.Policy, last.Policy},
		{&l.PolicyKL, last.PolicyKL},
		{&l.Outcome, last.Outcome},
		{&l.Ownership, last.Ownership},
		{&l.Score, last.Score},
	} {
		*x.mean += (x.last - *x.mean) / n
	}
	return l
}

// describeGames fills in what the games of a generation say.
func describeGames(m *rundir.Metrics, game env.Game, episodes []selfplay.Episode) {
	players := game.Spec().Players
	m.Games = len(episodes)
	m.Wins = make([]int, players)
	m.Endings = map[string]int{}
	m.Shortest = math.MaxInt
	seen := map[string]bool{}
	for i := range episodes {
		e := &episodes[i]
		m.Plies += len(e.Actions)
		m.Samples += len(e.Samples)
		m.Shortest = min(m.Shortest, len(e.Actions))
		m.Longest = max(m.Longest, len(e.Actions))
		if winner, ok := winner(e.Result, players); ok {
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
		key := fmt.Sprint(e.Actions)
		if seen[key] {
			m.Duplicates++
		}
		seen[key] = true
	}
	m.MeanPlies = float64(m.Plies) / float64(max(1, m.Games))
	describeRows(m, game, episodes)
}

// winner returns the seat with the best payoff, unless there are several.
func winner(v env.Value, players int) (seat int, ok bool) {
	for i := 1; i < players; i++ {
		if v[i] > v[seat] {
			seat = i
		}
	}
	for i := range players {
		if i != seat && v[i] == v[seat] {
			return 0, false
		}
	}
	return seat, true
}

// describeRows fills in what the searches of a generation say.
func describeRows(m *rundir.Metrics, game env.Game, episodes []selfplay.Episode) {
	var counts [3]int
	start, s := game.New(), game.New()
	for i := range episodes {
		e := &episodes[i]
		s.CopyFrom(start)
		ply := 0
		for j := range e.Samples {
			r := &e.Samples[j]
			for ; ply < r.Ply; ply++ {
				s.Play(e.Actions[ply])
			}
			m.SearchKL += float64(r.KL)
			for _, share := range r.Policy {
				p := float64(share.Weight) / selfplay.Scale
				m.TargetEntropy -= p * math.Log(p)
			}
			third := 3 * r.Ply / len(e.Actions)
			d := float64(r.Value[s.Turn()] - e.Result[s.Turn()])
			m.ValueError[third] += d * d
			counts[third]++
		}
	}
	m.SearchKL /= float64(max(1, m.Samples))
	m.TargetEntropy /= float64(max(1, m.Samples))
	for third, n := range counts {
		m.ValueError[third] /= float64(max(1, n))
	}
}

// describePlay fills in what self-play took on this machine.
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
