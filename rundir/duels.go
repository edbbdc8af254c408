package rundir

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
