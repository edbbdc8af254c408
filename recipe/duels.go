package recipe

import (
	"slices"
	"strconv"

	"tiro/internal/faults"
	"tiro/player"
)

// Duels configures short matches that show whether a run's network improves. The run does
// not learn from them.
type Duels struct {
	// Share is the number of simulations in duels as a fraction of the simulations in
	// self-play, at most: from 0, for no duels, to 1.
	Share float64 `yaml:"share"`
	// Every is the number of generations between duels, at least 1.
	Every int `yaml:"every"`
	// Anchor is the fixed opponent: random, greedy or mcts:SIMULATIONS.
	Anchor string `yaml:"anchor"`
}

// Due reports whether the network of a generation plays duels.
func (d *Duels) Due(generation int) bool { return d.Share > 0 && generation%d.Every == 0 }

// AnchorSimulations returns the number of simulations per move of the anchor, or 0 unless
// it is mcts.
func (d *Duels) AnchorSimulations() int {
	s, err := player.Parse(d.Anchor, 0)
	if err != nil {
		return 0
	}
	return s.Budget.Simulations
}

// Validate returns an error that lists all fields out of range. It does not check whether
// the game supports the anchor.
func (d *Duels) Validate() error {
	var f faults.List
	faults.Within(&f, "share", d.Share, 0, 1)
	f.Check(d.Every >= 1, "every", d.Every, "at least 1")
	anchor, _ := player.Parse(d.Anchor, 0)
	ok := slices.Contains([]string{player.Random, player.Greedy, player.MCTS}, anchor.Kind) && anchor.Local() == nil
	f.Check(ok, "anchor", strconv.Quote(d.Anchor), "random, greedy or mcts:SIMULATIONS")
	return f.Err()
}
