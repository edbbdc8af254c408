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

// Left returns the number of generations after the newest one that are nearest to a CPU time, and
// the CPU time of the first of them, in seconds. The newest ones took each seconds, selfplay of
// them for self-play. Scheduled changes of the games and simulations change this cost.
func (c *Config) Left(newest int, seconds, each, selfplay float64) (generations int, next float64) {
	cost := func(g int) float64 {
		if c.GivenGames.In(newest) { // without self-play
			return each
		}
		deeper := float64(c.Selfplay.Simulations(g)) / float64(c.Selfplay.Simulations(newest))
		return float64(c.Games(g)) / float64(c.Games(newest)) * (each + float64(min(selfplay, each)*(deeper-1)))
	}
	for next = cost(newest + 1); seconds >= cost(newest+generations+1)/2; generations++ {
		seconds -= cost(newest + generations + 1)
	}
	return generations, next
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
