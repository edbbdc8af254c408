package rundir

import (
	"strconv"
	"strings"

	"tiro/internal/faults"
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
	_, text, _ := strings.Cut(d.Anchor, ":")
	n, _ := strconv.Atoi(text)
	return n
}

// Validate reports every field that is out of range. Whether the game allows the
// anchor it does not know.
func (d *Duels) Validate() error {
	var f faults.List
	faults.Within(&f, "share", d.Share, 0, 1)
	f.Check(d.Every >= 1, "every", d.Every, "at least 1")
	kind, _, _ := strings.Cut(d.Anchor, ":")
	f.Check(kind == "random" || kind == "greedy" || kind == "mcts", "anchor", strconv.Quote(d.Anchor), "random, greedy or mcts:SIMULATIONS")
	return f.Err()
}

// Duel is the result of a network of a generation against an opponent.
type Duel struct {
	Opponent string  `json:"opponent"` // the anchor, or "generation 10"
	Games    int     `json:"games"`
	Wins     int     `json:"wins"` // also those that are shared
	Draws    int     `json:"draws"`
	Losses   int     `json:"losses"`
	Points   float64 `json:"points"` // 1 for a win, 1/k for a win that k seats share, as all do in a draw
	Low      float64 `json:"low"`    // of the 95% interval of points a game, in thousandths
	High     float64 `json:"high"`
}

// Rating is the strength of the network of a generation, by its duels and those of the
// earlier networks that it met.
type Rating struct {
	Elo   float64 `json:"elo"`   // above generation 0, whole
	Error float64 `json:"error"` // half the width of the 95% interval, in Elo, whole
}
