package rundir

import (
	"slices"
	"time"

	"tiro/format"
)

// MetricsHeader is the header of a line of metrics.
var MetricsHeader = format.Header{Format: 3, What: "tiro metrics"}

// Metrics describes a generation. It is a line of metrics.jsonl. All fields but Machine depend
// only on the configuration and the seed, whatever interrupts the run.
type Metrics struct {
	format.Header
	Generation int    `json:"generation"`            // number of the generation
	Settings   string `json:"settings"`              // digest of the settings, 16 digits
	NetworkLag int    `json:"network_lag,omitempty"` // age of the network that played, in generations (selfplay.asynchronous)

	// Games.
	Games         int            `json:"games"`             // games of this generation
	GamesSum      string         `json:"games_sum"`         // digest of the games, 16 digits
	Plies         int            `json:"plies"`             // actions of all games
	Samples       int            `json:"samples"`           // samples from the games
	Shortest      int            `json:"shortest"`          // length of the shortest game, plies
	MeanPlies     float64        `json:"mean_plies"`        // mean length of the games, plies
	Longest       int            `json:"longest"`           // length of the longest game, plies
	Wins          []int          `json:"wins"`              // by seat: games in which it alone has the best payoff
	Draws         int            `json:"draws"`             // all other games
	Endings       map[string]int `json:"endings,omitempty"` // games by the rule that ended them
	LengthLimited int            `json:"length_limited"`    // games that reached the limit on their length
	Duplicates    int            `json:"duplicates"`        // games equal to an earlier one of the generation

	// Search.
	Simulations   int        `json:"simulations"`    // simulations per move
	SearchKL      float64    `json:"search_kl"`      // mean divergence of the search's policy from the prior, nats
	TargetEntropy float64    `json:"target_entropy"` // mean entropy of the search's policy, nats
	ValueError    [3]float64 `json:"value_error"`    // by third of the game: mean squared error of the search's value for the mover

	// Learning. The losses are computed with the raw weights, not the EMA weights, on samples drawn as
	// for learning.
	TotalSamples   int     `json:"total_samples"`           // samples since the run began
	Window         int     `json:"window"`                  // samples in the replay buffer
	Steps          int     `json:"steps"`                   // steps of this generation
	TotalSteps     int     `json:"total_steps"`             // steps since the run began
	LearningRate   float64 `json:"learning_rate"`           // learning rate of the last step
	SampleReuse    float64 `json:"sample_reuse"`            // samples drawn for each new sample
	TrainingLoss   Losses  `json:"training_loss"`           // mean over the steps
	ValidationLoss Losses  `json:"validation_loss"`         // on a batch drawn as in learning from this generation's samples, before learning from them
	BaselineLoss   float64 `json:"baseline_loss,omitempty"` // outcome loss of the best constant prediction
	GradNorm       float64 `json:"grad_norm"`               // mean length of the gradient

	Duels []Duel `json:"duels,omitempty"` // results of the new network; absent without duels

	Rating *Rating `json:"rating,omitempty"` // rating from the duels; absent without duels

	Sum     string   `json:"sum,omitempty"`     // first 16 digits of the SHA-256 of the text before this field
	Machine *Machine `json:"machine,omitempty"` // cost on this machine
}

// Losses are the losses of a network, by target.
type Losses struct {
	Policy    float64 `json:"policy"`              // cross-entropy, nats
	PolicyKL  float64 `json:"policy_kl"`           // policy less the entropy of its targets, nats
	Outcome   float64 `json:"outcome"`             // cross-entropy, nats
	Ownership float64 `json:"ownership,omitempty"` // cross-entropy of a cell's owner, nats, 0 for positions without owners; with net.ownership
	Score     float64 `json:"score,omitempty"`     // Huber loss of a seat's score; with net.ownership
}

// Machine is the cost of a generation on this machine. Without a clock, times and rates are 0. If
// an earlier process played some of the games, the numbers cover the last process only.
type Machine struct {
	Workers            int     `json:"workers"`                        // number of workers
	Tiro               string  `json:"tiro"`                           // version of the program
	Backend            string  `json:"backend"`                        // backend that computed the network
	Seconds            float64 `json:"seconds"`                        // duration of the generation
	SelfplaySeconds    float64 `json:"selfplay_seconds"`               // duration of self-play
	LearnSeconds       float64 `json:"learn_seconds"`                  // duration of learning
	DuelSeconds        float64 `json:"duel_seconds,omitempty"`         // duration of the duels
	CPUSeconds         float64 `json:"cpu_seconds,omitempty"`          // CPU time, user and system, of the program since the previous generation or the start, and of the other players; absent if unknown
	SelfplayCPUSeconds float64 `json:"selfplay_cpu_seconds,omitempty"` // CPU time of the program during self-play, and of the other players
	LearnCPUSeconds    float64 `json:"learn_cpu_seconds,omitempty"`    // CPU time during learning; overlaps with self-play's if selfplay.asynchronous is set

	EarlierGames         int     `json:"earlier_games,omitempty"`          // games that an earlier process played, which these numbers do not cover
	GamesPerSecond       float64 `json:"games_per_second,omitempty"`       // games of self-play per second
	EvaluationsPerSecond float64 `json:"evaluations_per_second,omitempty"` // evaluations of the network per second of self-play
	Evaluations          int     `json:"evaluations"`                      // evaluations of the network
	CacheHits            float64 `json:"cache_hits"`                       // fraction of positions that the cache had
	GatherFraction       float64 `json:"gather_fraction"`                  // fraction of self-play spent gathering leaves
	EvaluateFraction     float64 `json:"evaluate_fraction"`                // fraction of self-play spent evaluating them
	ApplyFraction        float64 `json:"apply_fraction"`                   // fraction of self-play spent applying the results
	OtherFraction        float64 `json:"other_fraction"`                   // the rest of self-play
	Disk                 int64   `json:"disk"`                             // bytes of checkpoints and games
	Usage

	Players []Contribution `json:"players,omitempty"` // programs that played the games, by name; absent if only this process did
}

// Trainer is the name of the training itself among the players of its games.
const Trainer = "(trainer)"

// Elsewhere returns the CPU time of all players but the training itself.
func (m *Machine) Elsewhere() (seconds float64) {
	for _, p := range m.Players {
		if p.Name != Trainer {
			seconds += p.CPUSeconds
		}
	}
	return seconds
}

// Contribution is the part of one of several programs to the games of a generation.
type Contribution struct {
	Name        string  `json:"name"`        // name of the program, or Trainer
	Backend     string  `json:"backend"`     // kind of the backend that computed the network: "fma", "go", or the device and its driver
	Workers     int     `json:"workers"`     // goroutines
	Games       int     `json:"games"`       // games that the run accepted from it
	Evaluations int     `json:"evaluations"` // evaluations of the network, as far as reported
	CPUSeconds  float64 `json:"cpu_seconds"` // CPU time, as far as reported
	Silent      float64 `json:"silent"`      // seconds since its last message, at the end of self-play
}

// Covered reports whether the numbers cover the whole generation, including the CPU time. m is
// nil if the generation was not measured.
func (m *Machine) Covered() bool { return m != nil && m.EarlierGames == 0 && m.CPUSeconds > 0 }

// recent is the number of generations that Typical considers.
const recent = 5

// Typical returns the median over the newest measured generations of the duration returned by of, 0
// if it is unknown. A single generation that was interrupted or had duels hardly changes it.
func Typical(all []Metrics, of func(m *Metrics) float64) float64 {
	var known []float64
	for i := len(all) - 1; i >= 0 && len(known) < recent; i-- {
		if m := &all[i]; m.Machine != nil && of(m) > 0 {
			known = append(known, of(m))
		}
	}
	if len(known) == 0 {
		return 0
	}
	slices.Sort(known)
	return (known[(len(known)-1)/2] + known[len(known)/2]) / 2
}

// CPUCost is the CPU time of all generations of a run, and of the newest.
type CPUCost struct{ All, Newest time.Duration }

// CostOf returns the CPU time of consecutive generations.
func CostOf(lines []Metrics) (c CPUCost) {
	for i := range lines {
		c.Add(&lines[i])
	}
	return c
}

// Add adds a generation, which becomes the newest. A generation of unknown CPU time adds nothing.
func (c *CPUCost) Add(m *Metrics) {
	if m.Machine != nil {
		c.Newest = time.Duration(m.Machine.CPUSeconds * float64(time.Second))
		c.All += c.Newest
	}
}

// Reaches reports whether c is nearer to limit than it would be after another generation like the
// newest. If runs of equal cost are compared, this rounding favours neither long generations nor
// short ones.
func (c CPUCost) Reaches(limit time.Duration) bool { return c.All+c.Newest/2 >= limit }

// Usage is the program's use of the machine; a field is 0 if the system does not report it.
type Usage struct {
	Resident    int64 `json:"resident"`                // resident memory, bytes
	Peak        int64 `json:"resident_peak,omitempty"` // highest resident memory since the start, bytes
	Heap        int64 `json:"heap"`                    // Go heap in use, bytes
	Goroutines  int   `json:"goroutines"`              // number of goroutines
	Descriptors int   `json:"descriptors"`             // open file descriptors
}
