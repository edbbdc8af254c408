package rundir

// Duel is the result of a generation's network against an opponent.
type Duel struct {
	Opponent string  `json:"opponent"` // player of duels.anchor, or an earlier network such as "generation 10"
	Games    int     `json:"games"`    // games played; one of twice the mean self-play length is a draw
	Wins     int     `json:"wins"`     // wins of the network, which has one seat; shared wins included
	Draws    int     `json:"draws"`    // drawn games
	Losses   int     `json:"losses"`   // lost games
	Points   float64 `json:"points"`   // 1 for a win, 1/k for a win shared by k seats (a draw: by all)
	Low      float64 `json:"low"`      // lower end of the 95% interval of points per game, rounded to thousandths
	High     float64 `json:"high"`     // upper end
}

// Rating is the strength of a generation's network, computed from its duels and from the duels of
// the earlier networks that it met.
type Rating struct {
	Elo   float64 `json:"elo"`   // Elo above generation 0, a whole number
	Error float64 `json:"error"` // half the width of the 95% interval, a whole number of Elo
}
