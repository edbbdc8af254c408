package mcts

import (
	"math"
	"strconv"

	"tiro/internal/faults"
)

// Values of Config.Root.
const (
	RootGumbel   = "gumbel"   // sequential halving with a fixed number of simulations and noise for self-play
	RootImproved = "improved" // the improved policy at every node including the root; may stop at any time
	RootPUCT     = "puct"
)

// Config is the configuration of a search. Default returns reasonable values.
type Config struct {
	Root           string  `yaml:"root" json:"root"`                       // RootGumbel, RootImproved or RootPUCT
	Simulations    int     `yaml:"simulations" json:"simulations"`         // new simulations per move, not counting the evaluation of a new root
	RootNoise      bool    `yaml:"root_noise" json:"root_noise"`           // explore at a Gumbel or PUCT root, for self-play; turn off for full strength
	ParallelLeaves int     `yaml:"parallel_leaves" json:"parallel_leaves"` // maximum number of leaves in flight with virtual loss; 1 turns it off
	VirtualLoss    float64 `yaml:"virtual_loss" json:"virtual_loss"`       // payoff subtracted from the mover per visit in flight, 0..1
	MaxNodes       int     `yaml:"max_nodes" json:"max_nodes"`             // maximum number of nodes in the tree; 0 means 8·Simulations
	Gumbel         Gumbel  `yaml:"gumbel" json:"gumbel"`
	PUCT           PUCT    `yaml:"puct" json:"puct"`
}

// Gumbel holds the parameters of the Gumbel root and of the selection below it (Danihelka
// et al. 2022, "Policy improvement by planning with Gumbel").
type Gumbel struct {
	MaxConsideredActions int     `yaml:"max_considered_actions" json:"max_considered_actions"` // initial number of actions in sequential halving; 0 means Simulations/4, within 4..16
	VisitScale           float64 `yaml:"c_visit" json:"c_visit"`                               // in σ(q) = (c_visit + max N)·c_scale·q, q in [0, 1]
	ValueScale           float64 `yaml:"c_scale" json:"c_scale"`                               // likewise
	ValueSpread          float64 `yaml:"value_spread" json:"value_spread"`                     // standard deviation of q for which c_scale is tuned, in [0, 1]; σ is scaled by its ratio to the deviation in the tree; 0 turns this off
}

// considered returns the maximum number of actions with which sequential halving begins.
// With few simulations, it is better to search few actions two or more plies deep than many
// actions one ply deep.
func (g Gumbel) considered(simulations int) int {
	if g.MaxConsideredActions > 0 {
		return g.MaxConsideredActions
	}
	return min(max(simulations/4, 4), 16)
}

// PUCT holds the parameters of PUCT, at the root and below (Silver et al. 2018, "A general
// reinforcement learning algorithm …", with the root exploration of Wu 2019, "Accelerating
// self-play learning in Go", section 3). Noise, root temperature and forced playouts apply
// only if Config.RootNoise is set.
type PUCT struct {
	CPUCT                       float64 `yaml:"c_puct" json:"c_puct"`                                               // weight of the prior against Q in [-1, 1]
	CPUCTBase                   float64 `yaml:"c_puct_base" json:"c_puct_base"`                                     // c_puct grows by log((1+N+base)/base); 0 turns the growth off
	FPUReduction                float64 `yaml:"fpu_reduction" json:"fpu_reduction"`                                 // the Q of unvisited actions is lower by this times √(prior of visited actions)
	RootFPUReduction            float64 `yaml:"root_fpu_reduction" json:"root_fpu_reduction"`                       // likewise at the root
	DirichletTotalConcentration float64 `yaml:"dirichlet_total_concentration" json:"dirichlet_total_concentration"` // α times the number of legal actions
	DirichletWeight             float64 `yaml:"dirichlet_weight" json:"dirichlet_weight"`                           // weight of the noise in the root prior; 0 turns it off
	RootPolicyTemperature       float64 `yaml:"root_policy_temperature" json:"root_policy_temperature"`             // the root prior is raised to 1/temperature
	ForcedPlayouts              float64 `yaml:"forced_playouts" json:"forced_playouts"`                             // k in n_forced = √(k·P·ΣN); 0 turns them off
}

// Default returns a Gumbel configuration with few simulations and the paper's constants.
// The PUCT values are AlphaZero's (c_puct, base, Dirichlet weight) and KataGo's (the
// others).
func Default() Config {
	return Config{
		Root:           RootGumbel,
		Simulations:    32,
		RootNoise:      true,
		ParallelLeaves: 1,
		VirtualLoss:    1,
		Gumbel:         Gumbel{MaxConsideredActions: 16, VisitScale: 50, ValueScale: 1},
		PUCT: PUCT{
			CPUCT:                       1.25,
			CPUCTBase:                   19652,
			FPUReduction:                0.2,
			DirichletTotalConcentration: 10.83,
			DirichletWeight:             0.25,
			RootPolicyTemperature:       1.1,
			ForcedPlayouts:              2,
		},
	}
}

// Validate returns an error that lists all fields out of range.
func (c Config) Validate() error {
	var f faults.List
	f.Check(c.Root == RootGumbel || c.Root == RootImproved || c.Root == RootPUCT, "root", strconv.Quote(c.Root), RootGumbel+", "+RootImproved+" or "+RootPUCT)
	f.Check(c.Simulations >= 1 && c.Simulations <= math.MaxInt32, "simulations", c.Simulations, "1 or more")
	faults.Within(&f, "parallel_leaves", c.ParallelLeaves, 1, 4096)
	faults.Within(&f, "virtual_loss", c.VirtualLoss, 0, 1)
	f.Check(c.MaxNodes == 0 || c.MaxNodes >= 2 && c.MaxNodes <= math.MaxInt32, "max_nodes", c.MaxNodes, "0, or 2 or more")
	f.Check(c.Gumbel.MaxConsideredActions >= 0, "gumbel.max_considered_actions", c.Gumbel.MaxConsideredActions, "0 or more")
	faults.Within(&f, "gumbel.c_visit", c.Gumbel.VisitScale, 0, 1e6)
	faults.Within(&f, "gumbel.c_scale", c.Gumbel.ValueScale, 0, 1e3)
	faults.Within(&f, "gumbel.value_spread", c.Gumbel.ValueSpread, 0, 1)
	faults.Within(&f, "puct.c_puct", c.PUCT.CPUCT, 0, 1e3)
	faults.Within(&f, "puct.c_puct_base", c.PUCT.CPUCTBase, 0, math.MaxFloat64)
	faults.Within(&f, "puct.fpu_reduction", c.PUCT.FPUReduction, 0, 2)
	faults.Within(&f, "puct.root_fpu_reduction", c.PUCT.RootFPUReduction, 0, 2)
	faults.Within(&f, "puct.dirichlet_total_concentration", c.PUCT.DirichletTotalConcentration, 1e-3, 1e6)
	faults.Within(&f, "puct.dirichlet_weight", c.PUCT.DirichletWeight, 0, 1)
	faults.Within(&f, "puct.root_policy_temperature", c.PUCT.RootPolicyTemperature, 0.1, 10)
	faults.Within(&f, "puct.forced_playouts", c.PUCT.ForcedPlayouts, 0, 100)
	return f.Err()
}
