package recipe

import (
	"math"
	"slices"
	"time"

	"tiro/selfplay"
)

// Constants of ForHours.
const (
	shippedHours  = 4    // CPU-hours for which the shipped networks are wide enough
	cooldownShare = 0.15 // share of the CPU time in which the learning rate falls to 0
	widthMultiple = 16   // channels of a register of the kernels
)

// ForHours returns the settings of a run that is to be as strong as possible after the given
// CPU time. They differ from c as follows:
//
//   - Step i of n of the simulation schedule begins after the share i/(n+1) of the time.
//   - The learning rate is constant, and falls to 0 in the last 0.15 of the time.
//   - From 4 hours on, the number of channels grows with the fourth root of the time, so that the
//     cost of a position grows with its square root: the best size of a network is about
//     proportional to the square root of the computing (Neumann and Gros 2022, "Scaling laws for a
//     multi-agent reinforcement learning model").
func (c Config) ForHours(hours float64) Config {
	c.CPUHours = hours
	c.Learner.LearningRateDrops = []Drop{}
	c.Learner.Cooldown = Cooldown{Share: cooldownShare}
	steps := slices.Clone(c.Selfplay.SimulationSchedule)
	for i := range steps {
		steps[i].Generation, steps[i].Share = 0, math.Round(100*float64(i+1)/float64(len(steps)+1))/100
	}
	c.Selfplay.SimulationSchedule = steps
	if growth := math.Sqrt(math.Sqrt(hours / shippedHours)); growth > 1 {
		c.Net.Channels = widthMultiple * int(math.Round(growth*float64(c.Net.Channels)/widthMultiple))
	}
	return c
}

// CPUTime is CPUHours as a duration.
func (c *Config) CPUTime() time.Duration {
	return time.Duration(math.Round(c.CPUHours * float64(time.Hour)))
}

// Begin begins the steps of schedules that are due after the given share of the CPU time: they
// start from the given generation and training step.
func (c *Config) Begin(share float64, generation, step int) {
	p, l := &c.Selfplay, &c.Learner
	var simulations []selfplay.SimulationStep
	for _, s := range p.SimulationSchedule {
		if s.Share > 0 && s.Share <= share {
			s.Share, s.Generation = 0, generation
			for n := len(simulations); n > 0 && simulations[n-1].Generation >= generation; n-- {
				simulations = simulations[:n-1] // passed by, after a change of the CPU time
			}
		}
		simulations = append(simulations, s)
	}
	p.SimulationSchedule = simulations
	l.LearningRateDrops = slices.Clone(l.LearningRateDrops)
	for i := range l.LearningRateDrops {
		if d := &l.LearningRateDrops[i]; d.Share > 0 && d.Share <= share {
			d.Share, d.Step = 0, step
		}
	}
}

// Begun returns c with the steps of schedules begun where they began in old, an earlier
// configuration of the same run, and with its cool-down unless c has one of its own.
func (c Config) Begun(old *Config) Config {
	steps, drops := slices.Clone(c.Selfplay.SimulationSchedule), slices.Clone(c.Learner.LearningRateDrops)
	for i, s := range old.Selfplay.SimulationSchedule {
		if i < len(steps) && steps[i].Share > 0 && s.Share == 0 && s.Simulations == steps[i].Simulations {
			steps[i] = s
		}
	}
	for i, d := range old.Learner.LearningRateDrops {
		if i < len(drops) && drops[i].Share > 0 && d.Share == 0 && d.Factor == drops[i].Factor {
			drops[i] = d
		}
	}
	c.Selfplay.SimulationSchedule, c.Learner.LearningRateDrops = steps, drops
	if l := &c.Learner.Cooldown; l.Generations == 0 {
		l.After, l.Generations = old.Learner.Cooldown.After, old.Learner.Cooldown.Generations
	}
	return c
}

// untimed returns c without a limit of the CPU time and without steps that wait for a share of it.
func (c Config) untimed() Config {
	p, l := &c.Selfplay, &c.Learner
	p.SimulationSchedule = slices.DeleteFunc(slices.Clone(p.SimulationSchedule), func(s selfplay.SimulationStep) bool { return s.Share > 0 })
	l.LearningRateDrops = slices.DeleteFunc(slices.Clone(l.LearningRateDrops), func(d Drop) bool { return d.Share > 0 })
	c.CPUHours, l.Cooldown.Share = 0, 0
	return c
}
