package card

import (
	"slices"

	"tiro/format"
	"tiro/models"
	"tiro/net"
)

var fileHeader = format.Header{Format: 5, What: "tiro card"}

// Files of a folder with a card, beside models.WeightsFile.
const (
	File         = "card.json"
	MarkdownFile = "card.md"
)

// Card is what is known of a trained network.
type Card struct {
	format.Header
	Game        string `json:"game"`         // canonical game string
	GameVersion int    `json:"game_version"` // of its rules, observation and action layout

	// How it was made.
	Commands []string `json:"commands"` // make the network and this card again
	Seed     uint64   `json:"seed"`     // of the run
	Cost
	Origins []Origin `json:"origins,omitempty"` // checkpoints of other runs that the run goes on from, the oldest first; none: it began with random weights

	// What it is.
	Net        net.Config  `json:"net"`
	Parameters int         `json:"parameters"` // how many numbers the network has
	Weights    models.File `json:"weights"`    // weights.safetensors beside the card

	// How strong it is.
	Rated   Conditions `json:"rated"`
	Ratings []Result   `json:"ratings"` // against the players that it met
	Curve   []Point    `json:"curve"`   // rated checkpoints of the run, this one last

	Config string `json:"config"` // the run's config.yaml
}

// Origin is a checkpoint of another run that a run goes on from.
type Origin struct {
	Game       string `json:"game"` // canonical game string
	Generation int    `json:"generation"`
	Config     string `json:"config"` // the other run's config.yaml

	// Network is what the checkpoint's network had cost, if the run goes on from nothing
	// else: a warm start, which counts its generations from 0. Nil: the run goes on from
	// the whole checkpoint and its games.
	Network *Cost `json:"network,omitempty"`
}

// Start returns what the network of a run's generation 0 had cost, by the origins of the
// run: nothing, unless that was a warm start.
func Start(origins []Origin) Cost {
	for _, o := range slices.Backward(origins) {
		if o.Network != nil {
			return *o.Network
		}
	}
	return Cost{}
}

// Before returns how many generations the network of a run's generation 0 had learned in,
// by the origins of the run. Each warm start counts them anew.
func Before(origins []Origin) (generations int) {
	for _, o := range origins {
		if o.Network != nil {
			generations += o.Generation
		}
	}
	return generations
}

// Cost is what a network took, and what trained it. All but Generation counts the runs
// that its run goes on from, too.
type Cost struct {
	Progress
	Unmeasured int     `json:"unmeasured_generations"` // those of which metrics.jsonl does not have all evaluations and CPU time; what it lacks counts as 0
	Trained    Builder `json:"trained"`
}

// Builder says which programs trained a network. Each field is empty if it was
// not recorded, and lists several values if they changed during the run.
type Builder struct {
	Tiro    string `json:"tiro"`    // version of the program
	Backend string `json:"backend"` // what computed the network
}

// Progress is how far a run had come with a generation.
type Progress struct {
	Generation  int     `json:"generation"`
	Games       int     `json:"games"`       // of self-play
	Samples     int     `json:"samples"`     // positions to learn from
	Evaluations int     `json:"evaluations"` // of the network in self-play
	CoreHours   float64 `json:"core_hours"`  // CPU time, or without the two below, hours of each generation times its workers

	// Parts of CoreHours; 0 if CPU time was not measured.
	SelfplayCoreHours float64 `json:"selfplay_core_hours,omitempty"`
	LearnCoreHours    float64 `json:"learn_core_hours,omitempty"`
}

// Conditions are what all results of a card have in common.
type Conditions struct {
	Tiro    string `json:"tiro"`    // version of the program that played
	Machine string `json:"machine"` // its processor
	Backend string `json:"backend"` // what computed the network

	Simulations int      `json:"simulations"` // a move, of the network
	Search      []string `json:"search"`      // other settings of its search, as KEY=VALUE
	Opening     int      `json:"opening"`     // random actions at the start of each game
	Anchor      string   `json:"anchor"`      // the player whose rating is 0
}

// Result is how the network did against an opponent.
type Result struct {
	Opponent   string   `json:"opponent"` // such as "mcts:2000"
	Games      int      `json:"games"`
	Wins       int      `json:"wins"` // shared wins too
	Draws      int      `json:"draws"`
	Losses     int      `json:"losses"`
	Score      Interval `json:"score"`       // points a game, 0..1
	EqualScore float64  `json:"equal_score"` // the score of equal players
	Elo        Elo      `json:"elo"`         // above the opponent, by these games alone
	Distinct   int      `json:"distinct"`    // different games
}

// Interval is an estimate with its 95% confidence interval.
type Interval struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Elo is a difference of ratings with its 95% confidence interval. A bound that does not
// exist is nil, and so is an unknown value.
type Elo struct {
	Value *float64 `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
}

// Point is a rated checkpoint of the run.
type Point struct {
	Progress
	Weights string `json:"weights"` // SHA-256 of its weights, hexadecimal
	Elo     Elo    `json:"elo"`     // above the anchor
}
