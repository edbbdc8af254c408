package recipe

import (
	"slices"
	"strconv"

	"tiro/internal/faults"
	"tiro/player"
)

// Duels says how often a run lets its network play short matches, which show
// people whether it gets stronger. Nothing is learned from them.
type Duels struct {
	// Share is the fraction of the simulations of self-play that duels may take on
	// top, from 0, for no duels, to 1.
	Share float64 `yaml:"share"`
	// Every is the number of generations from one duel to the next; at least 1.
	Every int `yaml:"every"`
	// Anchor is the fixed opponent: random, greedy or mcts:SIMULATIONS.
	Anchor string `yaml:"anchor"`
}

// Due reports whether the network of a generation plays duels.
func (d *Duels) Due(generation int) bool { return d.Share > 0 && generation%d.Every == 0 }

// AnchorSimulations returns the simulations a move of the anchor: none unless it is
// mcts.
func (d *Duels) AnchorSimulations() int {
	s, err := player.Parse(d.Anchor, 0)
	if err != nil {
		return 0
	}
	return s.Budget.Simulations
}

// Validate reports every field that is out of range. Whether the game allows the
// anchor it does not know.
func (d *Duels) Validate() error {
	var f faults.List
	faults.Within(&f, "share", d.Share, 0, 1)
	f.Check(d.Every >= 1, "every", d.Every, "at least 1")
	anchor, _ := player.Parse(d.Anchor, 0)
	ok := slices.Contains([]string{player.Random, player.Greedy, player.MCTS}, anchor.Kind) && anchor.Local() == nil
	f.Check(ok, "anchor", strconv.Quote(d.Anchor), "random, greedy or mcts:SIMULATIONS")
	return f.Err()
}
