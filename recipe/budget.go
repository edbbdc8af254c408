package recipe

import (
	"math"
	"slices"
	"time"

	"tiro/rundir"
)

// Constants of ForHours.
const (
	shippedHours  = 4    // CPU-hours for which the shipped schedules and networks are meant
	cooldownShare = 0.15 // share of the CPU time in which the learning rate falls to 0
	widthMultiple = 16   // channels that the kernels compute at once
)

// ForHours returns the settings of a run that is to be as strong as possible after the given
// CPU time. They differ from c as follows:
//
//   - The learning rate is constant, and falls to 0 in the last 0.15 of the time.
//   - From 4 hours on, the number of channels grows with the fourth root of the time, so that the
//     cost of a position grows with its square root: the best size of a network is about
//     proportional to the square root of the computing (Neumann and Gros 2022, "Scaling laws for a
//     multi-agent reinforcement learning model").
//   - From 4 hours on, the simulation schedule is stretched by the square root of the time, like
//     the number of generations.
func (c Config) ForHours(hours float64) Config {
	c.CPUHours = hours
	c.Learner.LearningRateDrops = []Drop{}
	c.Learner.Cooldown = Cooldown{Share: cooldownShare}
	stretch := math.Sqrt(max(1, hours/shippedHours))
	c.Net.Channels = max(c.Net.Channels, widthMultiple*int(math.Round(math.Sqrt(stretch)*float64(c.Net.Channels)/widthMultiple)))
	c.Selfplay.SimulationSchedule = slices.Clone(c.Selfplay.SimulationSchedule)
	for i := range c.Selfplay.SimulationSchedule {
		g := &c.Selfplay.SimulationSchedule[i].Generation
		*g = int(math.Round(stretch * float64(*g)))
	}
	return c
}

// CPUTime is CPUHours as a duration.
func (c *Config) CPUTime() time.Duration {
	return time.Duration(math.Round(c.CPUHours * float64(time.Hour)))
}

// Cost estimates the CPU time of a generation, in seconds, from the newest ones of the run. It is
// 0 if unknown. It depends on the scheduled numbers of games and simulations.
func (c *Config) Cost(all []rundir.Metrics, generation int) float64 {
	return rundir.Typical(all, func(m *rundir.Metrics) float64 {
		cost := m.Machine.CPUSeconds
		if c.GivenGames.In(m.Generation) { // without self-play
			return cost
		}
		deeper := float64(c.Selfplay.Simulations(generation)) / float64(m.Simulations)
		return float64(c.Games(generation)) / float64(m.Games) * (cost + float64(min(m.Machine.SelfplayCPUSeconds, cost)*(deeper-1)))
	})
}

// Left returns the number of generations after the newest one of the run that are nearest to a CPU
// time in seconds. Their cost must be known.
func (c *Config) Left(all []rundir.Metrics, seconds float64) (generations int) {
	next := all[len(all)-1].Generation + 1
	for cost := c.Cost(all, next); seconds >= cost/2; cost = c.Cost(all, next+generations) {
		seconds -= cost
		generations++
	}
	return generations
}

// Spent reports whether a run with these settings ends after a generation, because it has used
// its CPU time. A planned cool-down is always completed and ends the run.
func (c *Config) Spent(generation int, cost rundir.CPUCost) bool {
	limit, plan := c.CPUTime(), c.Learner.Cooldown
	if limit == 0 {
		return false
	}
	if plan.Share > 0 && generation <= plan.Last() && plan.Generations > 0 {
		begun := cost.All.Seconds() >= float64((1-plan.Share)*limit.Seconds())
		return (begun || cost.Reaches(limit)) && generation == plan.Last()
	}
	return cost.Reaches(limit)
}

// Untimed returns c without a limit of the CPU time and without a cool-down that depends on it.
func (c Config) Untimed() Config {
	c.CPUHours, c.Learner.Cooldown.Share = 0, 0
	return c
}
