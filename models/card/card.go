package card

import (
	"slices"
	"strings"

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

// Card describes a trained network: its training and its strength.
type Card struct {
	format.Header
	Game        string `json:"game"`         // canonical game string
	GameVersion int    `json:"game_version"` // version of the game's rules, observation and actions

	// Training.
	Commands []string `json:"commands"` // commands that train the network and make the card
	Seed     uint64   `json:"seed"`     // seed of the run
	Cost
	Origins []Origin `json:"origins,omitempty"` // checkpoints of other runs that the run continues, oldest first; absent after random weights

	// Network.
	Net        net.Config  `json:"net"`        // shape of the network
	Parameters int         `json:"parameters"` // number of parameters
	Weights    models.File `json:"weights"`    // length and checksum of weights.safetensors

	// Strength.
	Rated   Setup    `json:"rated"`   // conditions shared by all results
	Ratings []Result `json:"ratings"` // results against each opponent, checkpoints of the run last
	Curve   []Point  `json:"curve"`   // rated checkpoints of the run in order, this one last

	Config string `json:"config"` // the run's config.yaml
}

// Origin is a checkpoint of another run that a run continues.
type Origin struct {
	Game       string `json:"game"`       // canonical game string
	Generation int    `json:"generation"` // generation of the checkpoint
	Config     string `json:"config"`     // the other run's config.yaml

	// Network is nil if the run continues the whole checkpoint with its games.
	Network *Cost `json:"network,omitempty"` // of a warm start: cost of the network before the run; the card's costs include it

	// Averaged are checkpoints of runs with the same earlier origins. The weights of the run's
	// first network are the means of the checkpoint's and theirs. Their cost is in Network.
	Averaged []Origin `json:"averaged,omitempty"`
}

// Start returns the cost of the network in generation 0 of a run with the given origins. It is
// zero unless the run is a warm start.
func Start(origins []Origin) Cost {
	for _, o := range slices.Backward(origins) {
		if o.Network != nil {
			return *o.Network
		}
	}
	return Cost{}
}

// Before returns the number of generations that the network in generation 0 of a run with the
// given origins had been trained for. Each warm start counts generations from 0 again.
func Before(origins []Origin) (generations int) {
	for _, o := range origins {
		if o.Network != nil {
			generations += o.Generation
			for _, a := range o.Averaged {
				generations += a.Generation
			}
		}
	}
	return generations
}

// ForkedAt returns the generation of the last of a run's origins, or 0 if the run took only its
// network or has no origins.
func ForkedAt(origins []Origin) int {
	if n := len(origins); n > 0 && origins[n-1].Network == nil {
		return origins[n-1].Generation
	}
	return 0
}

// Cost is the cost of a network and the programs that trained it. All fields but Generation
// include the runs that its run continues.
type Cost struct {
	Effort
	Unmeasured int     `json:"unmeasured_generations"` // generations whose cost is not fully recorded
	Trained    Builder `json:"trained"`                // programs that trained the network
}

// Add adds the cost of another network, without a cost that is part of both. The generation stays.
func (c *Cost) Add(o, both Cost) {
	c.Games += o.Games - both.Games
	c.Samples += o.Samples - both.Samples
	c.Evaluations += o.Evaluations - both.Evaluations
	c.CoreHours += o.CoreHours - both.CoreHours
	c.SelfplayCoreHours += o.SelfplayCoreHours - both.SelfplayCoreHours
	c.LearnCoreHours += o.LearnCoreHours - both.LearnCoreHours
	c.Unmeasured += o.Unmeasured - both.Unmeasured
	c.Trained = c.Trained.With(o.Trained)
}

// Builder identifies the programs that trained a network.
type Builder struct {
	Tiro    string `json:"tiro"`    // version of the program; a list if it changed, empty if unknown
	Backend string `json:"backend"` // backend of the network, likewise
}

// With returns the programs of b and o, or "" where one of them lacks a record.
func (b Builder) With(o Builder) Builder {
	return Builder{Tiro: union(b.Tiro, o.Tiro), Backend: union(b.Backend, o.Backend)}
}

// union returns the values in two lists, in order of appearance, or "" if a list is empty.
func union(a, b string) string {
	if a == "" || b == "" {
		return ""
	}
	const separator = ", "
	all := strings.Split(a, separator)
	for _, value := range strings.Split(b, separator) {
		if !slices.Contains(all, value) {
			all = append(all, value)
		}
	}
	return strings.Join(all, separator)
}

// Effort is the cost of a run up to a generation.
type Effort struct {
	Generation        int     `json:"generation"`                    // generations of the run
	Games             int     `json:"games"`                         // games of self-play, and imported games
	Samples           int     `json:"samples"`                       // samples from them
	Evaluations       int     `json:"evaluations"`                   // evaluations of the network in self-play
	CoreHours         float64 `json:"core_hours"`                    // CPU time in hours; without the next two fields, duration times workers
	SelfplayCoreHours float64 `json:"selfplay_core_hours,omitempty"` // part of core_hours spent in self-play
	LearnCoreHours    float64 `json:"learn_core_hours,omitempty"`    // part of core_hours spent learning
}

// Setup holds the conditions that all results of a card share.
type Setup struct {
	Tiro    string `json:"tiro"`    // version of the program that played
	Machine string `json:"machine"` // its processor
	Backend string `json:"backend"` // backend of the networks

	Simulations int      `json:"simulations"` // simulations per move of the network
	Search      []string `json:"search"`      // other settings of its search, KEY=VALUE
	Opening     int      `json:"opening"`     // random actions at the start of each game
	Anchor      string   `json:"anchor"`      // player whose rating is 0
}

// Result is the network's result against an opponent.
type Result struct {
	Opponent   string   `json:"opponent"`    // such as "mcts:2000", or "generation 60,sims=200" of the same run; with more than two seats it has all seats but one
	Games      int      `json:"games"`       // games played
	Wins       int      `json:"wins"`        // wins of the network, shared ones included
	Draws      int      `json:"draws"`       // draws
	Losses     int      `json:"losses"`      // losses
	Score      Interval `json:"score"`       // points per game, 0 to 1
	EqualScore float64  `json:"equal_score"` // score if the players were equal
	Elo        Elo      `json:"elo"`         // Elo above the opponent, from these games
	Distinct   int      `json:"distinct"`    // number of different games
}

// Interval is an estimate with its 95% confidence interval.
type Interval struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Elo is a difference of ratings with its 95% confidence interval. A missing bound or an unknown
// value is nil.
type Elo struct {
	Value *float64 `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
}

// Point is a rated checkpoint of the run.
type Point struct {
	Effort
	Weights string `json:"weights"` // SHA-256 of the checkpoint's weights
	Elo     Elo    `json:"elo"`     // Elo above the anchor
}
