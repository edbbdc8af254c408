package rundir

import (
	"tiro/format"
	"tiro/selfplay"
)

// MetricsHeader is the kind of line that Metrics make.
var MetricsHeader = format.Header{Format: 2, What: "tiro metrics"}

// Metrics is what there is to say of a generation: one line in metrics.jsonl.
// All but Machine is the same whatever the run went through.
type Metrics struct {
	format.Header
	Generation int `json:"generation"`

	// Games.
	Games         int            `json:"games"`
	GamesSum      string         `json:"games_sum"` // checksum of their lines in the episode file (selfplay.Digest)
	Plies         int            `json:"plies"`
	Samples       int            `json:"samples"`  // positions to learn from
	Shortest      int            `json:"shortest"` // plies
	MeanPlies     float64        `json:"mean_plies"`
	Longest       int            `json:"longest"`           // plies
	Wins          []int          `json:"wins"`              // games by seat with the best payoff alone
	Draws         int            `json:"draws"`             // the others, also if several seats share the win
	Endings       map[string]int `json:"endings,omitempty"` // games by the rule that ended them
	LengthLimited int            `json:"length_limited"`    // games that were ended for their length (env.Limit)
	Duplicates    int            `json:"duplicates"`        // games equal to an earlier one of the generation

	// Resignation: what was decided at the level of this generation, measured by
	// games before it. Endings counts the games that were broken off.
	Resign selfplay.Calibration `json:"resign"`

	// Search.
	Simulations   int        `json:"simulations"`    // a move searched in full
	SearchKL      float64    `json:"search_kl"`      // of the search's policy from the network's, nats: what there was to learn
	TargetEntropy float64    `json:"target_entropy"` // of the search's policy, nats
	ValueError    [3]float64 `json:"value_error"`    // mean square of the mover's search value less its payoff, by third of the game; of a game that was broken off, what it was given

	// Learning. Losses are those of the weights that are learned with, on rows
	// drawn as for learning, surprising ones more often (learner.policy_surprise_weight).
	TotalSamples   int     `json:"total_samples"` // since the run began
	Window         int     `json:"window"`        // rows in the buffer
	Steps          int     `json:"steps"`
	TotalSteps     int     `json:"total_steps"`
	LearningRate   float64 `json:"learning_rate"`           // learning rate of the last step
	SampleReuse    float64 `json:"sample_reuse"`            // rows drawn by new row
	TrainingLoss   Losses  `json:"training_loss"`           // mean over the steps, before each
	ValidationLoss Losses  `json:"validation_loss"`         // on rows of this generation, before learning from any of them
	BaselineLoss   float64 `json:"baseline_loss,omitempty"` // on the same, the outcome's loss of one who only knows how often each result comes
	GradNorm       float64 `json:"grad_norm"`

	Sum     string   `json:"sum,omitempty"` // checksum of all above; stays behind it
	Machine *Machine `json:"machine,omitempty"`
}

// Losses tell how far a network is from its targets.
type Losses struct {
	Policy   float64 `json:"policy"`    // cross-entropy, nats
	PolicyKL float64 `json:"policy_kl"` // the same less the targets' entropy
	Outcome  float64 `json:"outcome"`   // cross-entropy, nats

	// Of the ownership head, where there is one.
	Ownership float64 `json:"ownership,omitempty"` // cross-entropy of a cell's owner, nats
	Score     float64 `json:"score,omitempty"`     // Huber's loss of a seat's score
}

// Machine is what a generation took on this machine. Without a clock the times
// are 0; of a generation that was interrupted it tells the last part.
type Machine struct {
	Workers              int     `json:"workers"`
	Tiro                 string  `json:"tiro"`    // version of the program; empty if unknown
	Backend              string  `json:"backend"` // name of what computed the network
	Seconds              float64 `json:"seconds"`
	SelfplaySeconds      float64 `json:"selfplay_seconds"`
	LearnSeconds         float64 `json:"learn_seconds"`
	GamesPerSecond       float64 `json:"games_per_second"`
	EvaluationsPerSecond float64 `json:"evaluations_per_second"`
	Evaluations          int     `json:"evaluations"`
	CacheHits            float64 `json:"cache_hits"` // share of the positions judged that the cache knew
	GatherFraction       float64 `json:"gather_fraction"`
	EvaluateFraction     float64 `json:"evaluate_fraction"`
	ApplyFraction        float64 `json:"apply_fraction"`
	OtherFraction        float64 `json:"other_fraction"`
	Disk                 int64   `json:"disk"` // bytes of checkpoints and games
	Usage
}

// Usage is what the program takes of the machine as a whole, 0 where the system
// does not tell.
type Usage struct {
	Resident    int64 `json:"resident"`    // bytes of memory
	Heap        int64 `json:"heap"`        // of those what Go's heap has in use
	Goroutines  int   `json:"goroutines"`  // under way
	Descriptors int   `json:"descriptors"` // open files and the like
}
