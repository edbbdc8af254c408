package rundir

import (
	"time"

	"tiro/format"
	"tiro/selfplay"
)

// MetricsHeader is the header of a line of metrics.
var MetricsHeader = format.Header{Format: 3, What: "tiro metrics"}

// Metrics describes a generation: it is a line of metrics.jsonl. All but Machine
// is the same whatever the run went through.
type Metrics struct {
	format.Header
	Generation int `json:"generation"`

	// Settings is a digest of the settings that the generation was made with
	// (recipe.Config.Settings).
	Settings string `json:"settings"`

	// NetworkLag is by how many generations the network that played is older than the
	// newest one was: 1 from the second generation on with selfplay.Config.Asynchronous, else 0.
	NetworkLag int `json:"network_lag,omitempty"`

	// Games.
	Games         int            `json:"games"`
	GamesSum      string         `json:"games_sum"` // selfplay.Digest of the games
	Plies         int            `json:"plies"`
	Samples       int            `json:"samples"`
	Shortest      int            `json:"shortest"` // plies
	MeanPlies     float64        `json:"mean_plies"`
	Longest       int            `json:"longest"`           // plies
	Wins          []int          `json:"wins"`              // games by the seat that alone has the best payoff
	Draws         int            `json:"draws"`             // all other games
	Endings       map[string]int `json:"endings,omitempty"` // games by the rule that ended them
	LengthLimited int            `json:"length_limited"`    // games that ended because they were too long (env.Limit)
	Duplicates    int            `json:"duplicates"`        // games equal to an earlier one of the generation

	// Resign is the resignation threshold of this generation, and the calibration by
	// earlier games that led to it.
	Resign selfplay.Calibration `json:"resign"`

	// Search. ValueError is the mean squared difference of the mover's search value
	// from its payoff, by third of the game.
	Simulations   int        `json:"simulations"`    // a move
	SearchKL      float64    `json:"search_kl"`      // of the search's policy from the network's, nats
	TargetEntropy float64    `json:"target_entropy"` // of the search's policy, nats
	ValueError    [3]float64 `json:"value_error"`

	// Learning. The losses are of the weights that learn, on samples drawn as for
	// learning. BaselineLoss is the outcome loss, on the samples of ValidationLoss,
	// of a prediction that is the same for every position.
	TotalSamples   int     `json:"total_samples"` // since the run began
	Window         int     `json:"window"`        // samples in the replay buffer
	Steps          int     `json:"steps"`
	TotalSteps     int     `json:"total_steps"`
	LearningRate   float64 `json:"learning_rate"`   // of the last step
	SampleReuse    float64 `json:"sample_reuse"`    // samples drawn for each new sample
	TrainingLoss   Losses  `json:"training_loss"`   // mean over the steps
	ValidationLoss Losses  `json:"validation_loss"` // on this generation, before learning from it
	BaselineLoss   float64 `json:"baseline_loss,omitempty"`
	GradNorm       float64 `json:"grad_norm"`

	Duels []Duel `json:"duels,omitempty"` // of the network that was learned; none in most generations

	// Rating is what the duels with generation 0 and with an earlier network say; nil
	// where there were none.
	Rating *Rating `json:"rating,omitempty"`

	Sum     string   `json:"sum,omitempty"` // checksum of everything above
	Machine *Machine `json:"machine,omitempty"`
}

// Losses says how far a network is from its targets.
type Losses struct {
	Policy   float64 `json:"policy"`    // cross-entropy, nats
	PolicyKL float64 `json:"policy_kl"` // the same less the entropy of the targets
	Outcome  float64 `json:"outcome"`   // cross-entropy, nats

	// Of the ownership head, if there is one.
	Ownership float64 `json:"ownership,omitempty"` // cross-entropy of a cell's owner, nats
	Score     float64 `json:"score,omitempty"`     // Huber loss of a seat's score
}

// Machine is what a generation took on this machine. Without a clock the times
// are 0, and so are rates of which nothing is known. Of a generation whose games
// were in part played by an earlier process it covers what the last process did.
type Machine struct {
	Workers         int     `json:"workers"`
	Tiro            string  `json:"tiro"`    // version of the program; empty if unknown
	Backend         string  `json:"backend"` // that computed the network
	Seconds         float64 `json:"seconds"`
	SelfplaySeconds float64 `json:"selfplay_seconds"`
	LearnSeconds    float64 `json:"learn_seconds"`
	DuelSeconds     float64 `json:"duel_seconds,omitempty"`

	// CPU time of the whole program, user and system, since the generation before
	// or the start of the run, and of two parts of that; 0 if it is unknown.
	CPUSeconds         float64 `json:"cpu_seconds,omitempty"`
	SelfplayCPUSeconds float64 `json:"selfplay_cpu_seconds,omitempty"`
	LearnCPUSeconds    float64 `json:"learn_cpu_seconds,omitempty"`

	EarlierGames         int     `json:"earlier_games,omitempty"` // played by an earlier process, which nothing here covers
	GamesPerSecond       float64 `json:"games_per_second,omitempty"`
	EvaluationsPerSecond float64 `json:"evaluations_per_second,omitempty"`
	Evaluations          int     `json:"evaluations"`
	CacheHits            float64 `json:"cache_hits"` // fraction of the positions that the cache knew
	GatherFraction       float64 `json:"gather_fraction"`
	EvaluateFraction     float64 `json:"evaluate_fraction"`
	ApplyFraction        float64 `json:"apply_fraction"`
	OtherFraction        float64 `json:"other_fraction"`
	Disk                 int64   `json:"disk"` // bytes of checkpoints and games
	Usage

	Players []Player `json:"players,omitempty"` // who played the games, by name, if more than this process
}

// Player is what one of several programs that played the games of a generation did.
type Player struct {
	Name        string  `json:"name"`
	Backend     string  `json:"backend"` // that computed the network
	Workers     int     `json:"workers"` // goroutines
	Games       int     `json:"games"`   // that the run took from it
	Evaluations int     `json:"evaluations"`
	CPUSeconds  float64 `json:"cpu_seconds"`
	Silent      float64 `json:"silent"` // seconds since it was last heard of, at the end of self-play
}

// Covered reports whether the numbers cover the whole generation, CPU time
// included. The machine of a generation that was not measured may be nil.
func (m *Machine) Covered() bool { return m != nil && m.EarlierGames == 0 && m.CPUSeconds > 0 }

// CPUCost is the CPU time that generations of a run took.
type CPUCost struct{ All, Newest time.Duration }

// Add adds the newest generation. One of which the CPU time is not known adds
// nothing.
func (c *CPUCost) Add(m *Metrics) {
	if m.Machine != nil {
		c.Newest = time.Duration(m.Machine.CPUSeconds * float64(time.Second))
		c.All += c.Newest
	}
}

// Reaches reports whether c is nearer to a limit than it will be after another
// generation like the newest. Where runs of equal cost are compared, rounding to the
// nearest favours neither long generations nor short ones.
func (c CPUCost) Reaches(limit time.Duration) bool { return c.All+c.Newest/2 >= limit }

// Usage is what the whole program takes of the machine, 0 where the system does
// not say.
type Usage struct {
	Resident    int64 `json:"resident"`                // bytes of memory
	Peak        int64 `json:"resident_peak,omitempty"` // the most that Resident has been
	Heap        int64 `json:"heap"`                    // bytes of Go's heap in use
	Goroutines  int   `json:"goroutines"`
	Descriptors int   `json:"descriptors"` // open files and the like
}
