package train

import (
	"fmt"

	"tiro/mcts"
	"tiro/recipe"
	"tiro/rundir"
)

// Thresholds of Diagnose. They are rules of thumb: a game whose solution is a draw is always
// drawn.
const (
	diagnosed      = 3    // generations that are averaged
	repeatAfter    = 10   // generations without the fault after which it is reported again
	maxDuplicates  = 0.2  // fraction of games that repeat another one
	maxDraws       = 0.95 // fraction of games
	maxLimited     = 0.2  // fraction of games that end by the limit on their length
	minSearchKL    = 0.02 // nats between the search's policy and the prior
	minEntropy     = 0.02 // nats, of the search's policy
	maxGap         = 0.05 // nats of the outcome's validation loss above its training loss...
	maxGapPart     = 0.5  // ...and as a fraction of the improvement over the baseline
	maxReuse       = 12   // draws of a sample
	maxValueGrowth = 0.05 // mean squared error of the value in the last third of a game above that in the first
	grownAfter     = 500  // steps after which the outcome should be predictable, beyond warm-up and the span of the EMA
	minOutcome     = 0.05 // nats of the baseline loss, below which the results of games hardly differ
	minSteps       = 0.1  // steps per generation
	maxRate        = 0.03 // learning rate above which networks hardly learn
)

// Fault is a probable fault of a run.
type Fault struct {
	Name string `json:"name"` // identifies the kind of fault
	Text string `json:"text"` // the fault and possible remedies
}

// DiagnoseConfig returns the probable faults of a valid configuration.
func DiagnoseConfig(c *recipe.Config) (faults []Fault) {
	if rate := c.Learner.LearningRate; rate > maxRate {
		faults = append(faults, Fault{"learning rate", fmt.Sprintf("learner.learning_rate is %v, but networks hardly learn at rates above %v", rate, maxRate)})
	}
	return faults
}

// Diagnose returns the probable faults of a run from its newest generations, which are ordered
// from the oldest. It returns none if there are fewer than three generations.
func Diagnose(c *recipe.Config, generations []rundir.Metrics) (faults []Fault) {
	if len(generations) < diagnosed {
		return nil
	}
	generations = generations[len(generations)-diagnosed:]
	m := meanMetrics(c, generations)
	report := func(name string, wrong bool, format string, values ...any) {
		if wrong {
			faults = append(faults, Fault{name, fmt.Sprintf(format, values...)})
		}
	}
	report("repeated games", m.duplicates > maxDuplicates, "%.0f%% of the games repeat another one: raise selfplay.random_opening_probability, random_opening_plies, temperature_plies or temperature", 100*m.duplicates)
	report("drawn games", m.draws > maxDraws, "%.0f%% of the games are drawn or have several winners, so that the network does not learn to win: set learner.discount below 1 if it fails to convert won positions", 100*m.draws)
	report("endless games", m.limited > maxLimited, "%.0f%% of the games end by the limit on their length: set learner.discount below 1 if the network fails to convert won positions, or begin selfplay.game_schedule with a shorter limit if it cannot win yet", 100*m.limited)
	report("idle search", m.searched && m.searchKL < minSearchKL, "searches change the policy by only %.3f nats: raise selfplay.search.simulations or simulation_schedule", m.searchKL)
	widen := "lower selfplay.search.gumbel.c_scale"
	if c.Selfplay.Search.Root == mcts.RootPUCT { // does not use it
		widen = "raise selfplay.search.simulations or selfplay.search.puct.root_policy_temperature"
	}
	report("narrow search", m.searched && m.entropy < minEntropy, "the policies of searches have an entropy of only %.3f nats, almost a single move: %s", m.entropy, widen)
	steps := c.Replay.SampleReuse * m.samples / float64(c.Learner.BatchSize)
	report("no steps", !m.learned && steps < minSteps, "the network does not learn: the samples of a generation suffice for only %.2g steps; raise replay.sample_reuse or games_per_generation, or lower learner.batch_size", steps)
	first := &generations[0] // its validation loss was measured before its steps
	// After these steps a network should predict the outcome better than a constant.
	enough := grownAfter + c.Learner.WarmupSteps + int(1/(1-c.Learner.EMADecay))
	grown, gap := first.TotalSteps-first.Steps >= enough, m.validation-m.training
	report("overfitting", grown && m.learned && gap > max(maxGap, maxGapPart*(m.baseline-m.training)), "the outcome loss is %.2f on new samples, %.2f on training samples and %.2f for a constant prediction: lower replay.sample_reuse, widen replay.window or play more varied games", m.validation, m.training, m.baseline)
	report("sample reuse", m.reuse > maxReuse, "each sample is drawn %.1f times: lower replay.sample_reuse", m.reuse)
	report("value", grown && m.value[2] > m.value[0]+maxValueGrowth, "searches predict the outcome less well in the last third of a game (mean squared error %.2f) than in the first (%.2f): check that the game pays the right seat", m.value[2], m.value[0])
	report("no progress", grown && m.learned && m.baseline > minOutcome && m.validation > m.baseline, "after %d steps the outcome loss is %.2f on new samples and %.2f for a constant prediction: lower learner.learning_rate or check the game's planes", m.steps, m.validation, m.baseline)
	return faults
}

// diagnosis holds means over some generations. The means of searches and learning include only
// generations that searched or learned.
type diagnosis struct {
	steps                          int // since the run began
	searched, learned              bool
	samples                        float64 // per generation
	duplicates, draws, limited     float64 // fractions of the games
	searchKL, entropy              float64 // nats
	validation, training, baseline float64 // losses of the outcome, nats
	reuse                          float64
	value                          [3]float64
}

// meanMetrics returns the means over generations, which are ordered from the oldest.
func meanMetrics(c *recipe.Config, generations []rundir.Metrics) (d diagnosis) {
	var searched, learned float64
	for i := range generations {
		if !c.GivenGames.In(generations[i].Generation) {
			searched += min(1, float64(generations[i].Samples))
		}
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
		if c.Selfplay.GameOptions(m.Generation) == "" { // otherwise the limit may be intended to end games
			d.limited += float64(m.LengthLimited) / games / n
		}
		d.reuse += m.SampleReuse / n
		if m.Samples > 0 && !c.GivenGames.In(m.Generation) {
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

// warnings selects the faults of a run to report: each when it appears, and again only if it was
// absent for some time.
type warnings struct {
	recent []rundir.Metrics // of the newest generations, oldest first
	last   map[string]int   // newest generation with each fault, by name
}

// resume adds the generations before the next one from h.
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
