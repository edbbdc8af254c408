package train

import (
	"fmt"

	"tiro/recipe"
	"tiro/rundir"
)

// Bounds of Diagnose. They are rules of thumb: a solved draw is always drawn.
const (
	diagnosed      = 3    // generations that are looked at together
	repeatAfter    = 10   // generations without a fault after which it is reported again
	maxDuplicates  = 0.2  // part of the games that repeat another one
	maxDraws       = 0.95 // part of the games
	maxLimited     = 0.2  // part of the games that are ended for their length
	minSearchKL    = 0.02 // nats by which a search changes the policy
	minEntropy     = 0.02 // nats in the searches' policies
	maxGap         = 0.05 // nats of the outcome's validation loss above its training loss ...
	maxGapPart     = 0.5  // ... and part of what learning has gained
	maxReuse       = 12   // times that a sample is drawn
	maxValueGrowth = 0.05 // mean square error of the value in a game's last third above that in its first
	grownAfter     = 500  // steps after which the outcome should be known a little, beyond warm-up and the span of the EMA
	minSteps       = 0.1  // steps that a generation's samples are good for
	maxRate        = 0.03 // learning rates above which networks hardly learn
)

// Fault is something that looks wrong with a run.
type Fault struct {
	Name string // the same each time
	Text string // what it is and what may help
}

// DiagnoseConfig returns what looks wrong with a valid configuration, and what may
// help.
func DiagnoseConfig(c *recipe.Config) (faults []Fault) {
	if rate := c.Learner.LearningRate; rate > maxRate {
		faults = append(faults, Fault{"learning rate", fmt.Sprintf("learner.learning_rate is %v; networks hardly learn at rates above %v", rate, maxRate)})
	}
	return faults
}

// grownAt returns after how many steps a network should know the outcome a little.
func grownAt(l *recipe.Learner) int {
	return grownAfter + l.WarmupSteps + int(1/(1-l.EMADecay))
}

// Diagnose returns what looks wrong with a run by its newest generations, oldest
// first, and what may help. Of fewer than three generations it says nothing.
func Diagnose(c *recipe.Config, generations []rundir.Metrics) (faults []Fault) {
	if len(generations) < diagnosed {
		return nil
	}
	generations = generations[len(generations)-diagnosed:]
	m := meanMetrics(c, generations)
	say := func(name string, wrong bool, format string, values ...any) {
		if wrong {
			faults = append(faults, Fault{name, fmt.Sprintf(format, values...)})
		}
	}
	say("repeated games", m.duplicates > maxDuplicates, "%.0f%% of the games repeat another one: raise selfplay.random_opening_probability, random_opening_plies, temperature_plies or temperature", 100*m.duplicates)
	say("drawn games", m.draws > maxDraws, "%.0f%% of the games are drawn or have several winners, so that nobody learns how to win alone: learner.discount below 1 helps where winners shuffle about", 100*m.draws)
	say("endless games", m.limited > maxLimited, "%.0f%% of the games are ended for their length: learner.discount below 1 helps where winners shuffle about, and selfplay.game_schedule with a shorter limit at first where nobody knows yet how to win", 100*m.limited)
	say("idle search", m.searched && m.searchKL < minSearchKL, "the searches change the policy by %.3f nats only: raise selfplay.search.simulations or simulation_schedule", m.searchKL)
	say("narrow search", m.searched && m.entropy < minEntropy, "the searches' policies have %.3f nats of entropy, which is a single move: lower selfplay.search.gumbel.c_scale", m.entropy)
	steps := c.Replay.SampleReuse * m.samples / float64(c.Learner.BatchSize)
	say("no steps", !m.learned && steps < minSteps, "the network does not learn: the samples of a generation are good for %.2g steps; raise replay.sample_reuse or games_per_generation, or lower learner.batch_size", steps)
	first := &generations[0] // its validation loss was measured before its steps
	grown, gap := first.TotalSteps-first.Steps >= grownAt(&c.Learner), m.validation-m.training
	say("overfitting", grown && m.learned && gap > max(maxGap, maxGapPart*(m.baseline-m.training)), "the outcome's loss is %.2f on new samples, %.2f on those learned from, and %.2f for a constant prediction: lower replay.sample_reuse, widen replay.window or play more varied games", m.validation, m.training, m.baseline)
	say("sample reuse", m.reuse > maxReuse, "a sample is drawn %.1f times: lower replay.sample_reuse", m.reuse)
	say("value", grown && m.value[2] > m.value[0]+maxValueGrowth, "the searches know the outcome less well in the last third of a game (mean square error %.2f) than in the first (%.2f): check that the game pays the right seat", m.value[2], m.value[0])
	say("no progress", grown && m.learned && m.validation > m.baseline, "after %d steps the outcome's loss on new samples is %.2f, and %.2f for a constant prediction: lower learner.learning_rate, or check the game's planes", m.steps, m.validation, m.baseline)
	return faults
}

// diagnosis is what Diagnose looks at: means over some generations. Those of
// searches and of learning are over the generations that searched and learned.
type diagnosis struct {
	steps                          int // since the run began
	searched, learned              bool
	samples                        float64 // of a generation
	duplicates, draws, limited     float64 // parts of the games
	searchKL, entropy              float64 // nats
	validation, training, baseline float64 // losses of the outcome, nats
	reuse                          float64
	value                          [3]float64
}

// meanMetrics returns the means over generations, oldest first.
func meanMetrics(c *recipe.Config, generations []rundir.Metrics) (d diagnosis) {
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
		d.steps = m.TotalSteps
		d.samples += float64(m.Samples) / n
		d.duplicates += float64(m.Duplicates) / games / n
		d.draws += float64(m.Draws) / games / n
		if c.Selfplay.GameOptions(m.Generation) == "" { // else the limit may be meant to end games
			d.limited += float64(m.LengthLimited) / games / n
		}
		d.reuse += m.SampleReuse / n
		if m.Samples > 0 {
			d.searchKL += m.SearchKL / searched
			d.entropy += m.TargetEntropy / searched
			for third, e := range m.ValueError {
				d.value[third] += e / searched
			}
		}
		if m.Steps > 0 {
			d.validation += m.ValidationLoss.Outcome / learned
			d.training += m.TrainingLoss.Outcome / learned
			d.baseline += m.BaselineLoss / learned
		}
	}
	return d
}

// warnings are the faults of a run that are to be reported: each when it appears,
// and again only after it was away for some time.
type warnings struct {
	recent []rundir.Metrics // of the newest generations, oldest first
	last   map[string]int   // by name of a fault the newest generation that had it
}

// resume looks back at the generations before the next one.
func (w *warnings) resume(h rundir.History, newest int) {
	for g := newest - diagnosed + 2; g <= newest; g++ {
		if m, ok := h[g]; ok {
			w.recent = append(w.recent, m)
		}
	}
}

// add adds a generation and returns the faults to report.
func (w *warnings) add(c *recipe.Config, m rundir.Metrics) (report []Fault) {
	if w.last == nil {
		w.last = map[string]int{}
	}
	w.recent = append(w.recent[max(0, len(w.recent)-diagnosed+1):], m)
	for _, f := range Diagnose(c, w.recent) {
		if last, ok := w.last[f.Name]; !ok || m.Generation-last > repeatAfter {
			report = append(report, f)
		}
		w.last[f.Name] = m.Generation
	}
	return report
}
