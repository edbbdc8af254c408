package card

import (
	"tiro/format"
	"tiro/models"
	"tiro/net"
)

// fileHeader is the kind of file that a Card makes.
var fileHeader = format.Header{Format: 1, What: "tiro card"}

// Card is what there is to say of a network.
type Card struct {
	format.Header
	Game        string `json:"game"`         // canonical game string
	GameVersion int    `json:"game_version"` // of its rules, observation and action layout

	// How it was made.
	Commands []string `json:"commands"` // that make it and this card again
	Seed     uint64   `json:"seed"`     // of the run
	Progress
	Untimed int    `json:"untimed"` // generations of which neither evaluations nor time are known: they count as 0
	Backend string `json:"backend"` // name of what computed the network in the run; several if it changed

	// What it is.
	Net        net.Config  `json:"net"`
	Parameters int         `json:"parameters"` // how many numbers the network has
	Weights    models.File `json:"weights"`    // weights.safetensors beside the card

	// How strong it is.
	Rated   Conditions `json:"rated"`
	Ratings []Rating   `json:"ratings"` // against fixed players
	Curve   []Point    `json:"curve"`   // the run's checkpoints from the first to this one

	Config string `json:"config"` // the run's whole config.yaml
}

// Progress is how far a run had come with a generation.
type Progress struct {
	Generation  int     `json:"generation"`
	Games       int     `json:"games"`       // of self-play
	Rows        int     `json:"rows"`        // positions to learn from
	Evaluations int     `json:"evaluations"` // positions that the network judged in self-play
	CoreHours   float64 `json:"core_hours"`  // hours of each generation times its workers, in all
}

// Conditions are what all ratings of a card have in common.
type Conditions struct {
	Tiro        string `json:"tiro"`        // version of the program that wrote the card
	Machine     string `json:"machine"`     // its processor
	Backend     string `json:"backend"`     // name of what computed the network
	Simulations int    `json:"simulations"` // of the network's search, a move
	Opening     int    `json:"opening"`     // random actions at the start of each game
	Seed        uint64 `json:"seed"`        // of everything random in the matches
}

// Rating is how the network did in a match.
type Rating struct {
	Opponent string `json:"opponent"` // such as "mcts:2000" or "generation 12"
	Games    int    `json:"games"`
	Won      int    `json:"won"` // wins that are shared among them
	Drawn    int    `json:"drawn"`
	Lost     int    `json:"lost"`
	Share    Share  `json:"share"`
	Elo      Elo    `json:"elo"`
	Distinct int    `json:"distinct"` // different games
}

// Share is the network's points a game, 0..1, with a 95% interval.
type Share struct {
	Value  float64 `json:"value"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Chance float64 `json:"chance"` // what it would be if all seats were equal
}

// Elo is the network's rating above its opponent's, with a 95% interval. A
// bound that there is none of is nil, and so is the value if it is not known.
type Elo struct {
	Value *float64 `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
}

// Point is a checkpoint of the learning curve.
type Point struct {
	Progress
	Weights   string  `json:"weights"`          // SHA-256 of its weights, hexadecimal
	Yardstick Rating  `json:"yardstick"`        // against the same fixed player for all points
	Before    *Rating `json:"before,omitempty"` // against the point before; nil for the first
}
