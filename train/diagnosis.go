package train

import (
	"fmt"

	"tiro/rundir"
)

// Bounds beyond which Diagnose says so. They are rules of thumb, to be read as
// such: a solved draw is drawn always.
const (
	diagnosed     = 3    // generations that are looked at together
	untold        = 10   // generations without a fault after which it is told again
	manyAlike     = 0.2  // share of the games that repeat another one
	manyDraws     = 0.95 // share of the games
	manyCapped    = 0.2  // share of the games that are ended for their length
	littleNews    = 0.02 // nats that a search changes the policy by
	littleChoice  = 0.02 // nats of entropy in the searches' policies
	wideGap       = 0.05 // nats of the outcome's loss on new positions above that on those learned from ...
	muchLost      = 0.5  // ... and the share of what was learned there that it takes
	muchReuse     = 12   // times that a position is learned from
	lessKnown     = 0.05 // square by which the outcome is known less well in a game's last third than in its first
	learnedEnough = 10   // generations after which the outcome should be known a little
)

// Fault is something that looks wrong with a run.
type Fault struct {
	Name string // the same each time
	Text string // what it is and what may help
}

// Diagnose says in plain words what looks wrong with a run by its newest
// generations, oldest first, and what may help. Of fewer than three it says
// nothing.
func Diagnose(generations []rundir.Metrics) (faults []Fault) {
	if len(generations) < diagnosed {
		return nil
	}
	m := meanMetrics(generations[len(generations)-diagnosed:])
	say := func(name string, wrong bool, format string, values ...any) {
		if wrong {
			faults = append(faults, Fault{name, fmt.Sprintf(format, values...)})
		}
	}
	say("games alike", m.alike > manyAlike, "%.0f%% of the games repeat another one: raise selfplay.random_opening_probability, random_opening_plies, temperature_plies or temperature", 100*m.alike)
	say("drawn games", m.draws > manyDraws, "%.0f%% of the games are drawn or have several winners: nobody learns how to win alone; learner.discount below 1 helps where winners shuffle about", 100*m.draws)
	say("endless games", m.capped > manyCapped, "%.0f%% of the games are ended for their length: learner.discount below 1 helps where winners shuffle about", 100*m.capped)
	say("idle search", m.searched && m.searchKL < littleNews, "the searches change the policy by %.3f nats only: raise selfplay.search.simulations or simulation_schedule", m.searchKL)
	say("narrow search", m.searched && m.entropy < littleChoice, "the searches' policies have %.3f nats of entropy: they know one move only; lower selfplay.search.gumbel.c_scale", m.entropy)
	grown := m.generation >= learnedEnough
	say("learning by heart", grown && m.learned && m.gap > max(wideGap, muchLost*(m.unlearned-m.trained)), "the outcome's loss is %.2f on new positions, %.2f on those learned from, and %.2f for one who only knows how often each result comes: lower replay.sample_reuse, widen replay.window or play more varied games", m.fresh, m.trained, m.unlearned)
	say("reuse", m.reuse > muchReuse, "a position is learned from %.1f times: lower replay.sample_reuse", m.reuse)
	say("value", grown && m.value[2] > m.value[0]+lessKnown, "the searches know the outcome less well in the last third of a game (mean square error %.2f) than in the first (%.2f): does the game pay the right seat?", m.value[2], m.value[0])
	say("no progress", grown && m.learned && m.fresh > m.unlearned, "after %d generations the outcome's loss on new positions is %.2f, and %.2f for one who only knows how often each result comes: lower learner.learning_rate, or look at the game's planes", m.generation, m.fresh, m.unlearned)
	return faults
}

// diagnosis is what Diagnose looks at: means over some generations. What the
// searches and the learning say are means over those that searched and learned.
type diagnosis struct {
	generation                int // the newest
	searched, learned         bool
	alike, draws, capped      float64
	searchKL, entropy         float64
	fresh, trained, unlearned float64 // of the outcome, nats
	gap                       float64 // fresh above trained
	reuse                     float64
	value                     [3]float64
}

// meanMetrics returns the means over generations, oldest first.
func meanMetrics(generations []rundir.Metrics) (d diagnosis) {
	var searched, learned float64
	for i := range generations {
		searched += min(1, float64(generations[i].Samples))
		learned += min(1, float64(generations[i].Steps))
	}
	d.searched, d.learned = searched > 0, learned > 0
	n := float64(len(generations))
	for i := range generations {
		m := &generations[i]
		games := float64(max(1, m.Games))
		d.generation = m.Generation
		d.alike += float64(m.Duplicates) / games / n
		d.draws += float64(m.Draws) / games / n
		d.capped += float64(m.LengthLimited) / games / n
		d.reuse += m.SampleReuse / n
		if m.Samples > 0 {
			d.searchKL += m.SearchKL / searched
			d.entropy += m.TargetEntropy / searched
			for third, e := range m.ValueError {
				d.value[third] += e / searched
			}
		}
		if m.Steps > 0 {
			d.fresh += m.ValidationLoss.Outcome / learned
			d.trained += m.TrainingLoss.Outcome / learned
			d.unlearned += m.BaselineLoss / learned
		}
	}
	d.gap = d.fresh - d.trained
	return d
}

// diagnose warns of every fault, but for those that were there lately.
func (r *run) diagnose(m rundir.Metrics) {
	r.recent = append(r.recent[max(0, len(r.recent)-diagnosed+1):], m)
	for _, f := range Diagnose(r.recent) {
		if last, ok := r.faults[f.Name]; !ok || m.Generation-last > untold {
			r.Log.Warn(f.Name+": "+f.Text, "generation", m.Generation)
		}
		r.faults[f.Name] = m.Generation
	}
}
