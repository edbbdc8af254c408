package exam

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"tiro/arena"
	"tiro/env"
	"tiro/internal/faults"
	"tiro/mcts"
	"tiro/selfplay"
)

// Recipe says how to make sets. The same recipe makes the same sets, for any number
// of workers, as far as the evaluator gives the same answers: networks do on the
// same backend.
type Recipe struct {
	Game      env.Game
	Evaluator func() mcts.Evaluator // plays the games, a new one for each worker
	Seed      uint64
	Workers   int
	Positions int
	Made      string    // what About.Made is to say
	Found     func(int) // called with the number of positions found so far; may be nil
}

// Numbers of a recipe, chosen so that two cores make all sets of a game in some
// minutes.
const (
	gameSimulations   = 1       // a move, in the games that positions are taken from: they are to be varied
	gamesAtOnce       = 64      // played before positions are looked for
	gamesAtMost       = 1 << 14 // without finding enough
	openingPlies      = 10      // random actions before a game, at most
	missedSimulations = 8       // of the search that misses a tactic
	missedPlies       = 12      // of the winner at the end of a game, in which tactics are looked for
	missedPerGame     = 2       // tactics of a game, at most
	proofNodes        = 60_000  // to prove a win
	mistakeValue      = 0.5     // expected there, at most
	onwardGames       = 8       // played on from a judgement's position
	onwardSimulations = 32      // a move in those
	onwardPlies       = 6       // in which their moves are drawn from the policy
	clearSimulations  = 1000    // that find a position clearly won
	clearValue        = 0.6     // expected there; wins far away count less in Coerceo's networks
	clearScore        = 0.15    // heuristic score there: in Coerceo a piece ahead
	defender          = "stubborn:4"
	conversionPlies   = 300
)

// mistakeSimulations find, one after the other, what is played instead of a tactic a
// mistake.
var mistakeSimulations = [...]int{100, 2000}

// purposes of random draws.
const (
	drawPositions = iota
	drawOnward
)

// Validate reports what is wrong with the recipe for a kind of set.
func (r *Recipe) Validate(kind string) error {
	var f faults.List
	f.Check(r.Positions >= 1 && r.Positions <= maxQuestions, "positions", r.Positions, fmt.Sprintf("1 to %d", maxQuestions))
	f.Check(r.Workers >= 1, "workers", r.Workers, "at least 1")
	_, solvable := r.Game.(env.Solvable)
	_, scored := r.Game.New().(env.Scorer)
	name := r.Game.Spec().Name
	switch kind {
	case Solved:
		f.Check(solvable, "game of kind "+kind, name, "a game with an exact solver")
	case Conversion:
		f.Check(scored, "game of kind "+kind, name, "a game with a heuristic score")
	case Tactics, Judgement:
	default:
		f.Check(false, "kind", kind, strings.Join(Kinds(), ", "))
	}
	return f.Err()
}

// Make makes a set of a kind.
func (r *Recipe) Make(ctx context.Context, kind string) (Set, error) {
	if err := r.Validate(kind); err != nil {
		return Set{}, fmt.Errorf("exam: make: %w", err)
	}
	spec := r.Game.Spec()
	set := Set{About: About{Header: header, Game: spec.Name, Version: spec.Version, Kind: kind, Made: r.Made}}
	if kind == Conversion {
		set.Defender, set.Plies = defender, conversionPlies
	}
	look := map[string]func(context.Context, []candidate) ([]*Question, error){
		Solved: r.solve, Tactics: r.seekTactics, Judgement: r.judge, Conversion: r.seekConversions,
	}[kind]
	taken := map[uint64]bool{} // positions by hash
	for batch := 0; len(set.Questions) < r.Positions; batch++ {
		if batch*gamesAtOnce >= gamesAtMost {
			return Set{}, fmt.Errorf("exam: make: %d games gave %d positions; want %d", gamesAtMost, len(set.Questions), r.Positions)
		}
		episodes, err := r.play(ctx, batch)
		if err != nil {
			return Set{}, fmt.Errorf("exam: make: %w", err)
		}
		candidates := r.candidates(kind, batch, episodes)
		if kind == Solved || kind == Judgement { // all are taken
			candidates = candidates[:min(len(candidates), r.Positions-len(set.Questions))]
		}
		found, err := look(ctx, candidates)
		if err != nil {
			return Set{}, fmt.Errorf("exam: make: %w", err)
		}
		for _, q := range found {
			if q != nil && len(set.Questions) < r.Positions && !taken[q.State.Hash()] {
				taken[q.State.Hash()] = true
				set.Questions = append(set.Questions, *q)
			}
		}
		if r.Found != nil {
			r.Found(len(set.Questions))
		}
	}
	return set, nil
}

// play plays a batch of games of the evaluator with itself.
func (r *Recipe) play(ctx context.Context, batch int) ([]selfplay.Episode, error) {
	c := selfplay.Default()
	c.Search = search(gameSimulations)
	c.RandomOpeningProbability, c.RandomOpeningPlies, c.TemperaturePlies = 1, openingPlies, r.Game.Spec().MaxPlies
	episodes, _, err := selfplay.Play(ctx, selfplay.Job{
		Game: r.Game, Config: c, Seed: r.Seed, Generation: batch, Games: gamesAtOnce, Workers: r.Workers, Evaluator: r.Evaluator,
	})
	return episodes, err
}

// candidate is a position of a game that may be asked about, and the game.
type candidate struct {
	episode *selfplay.Episode
	ply     int
}

// question returns the candidate's position.
func (c candidate) question(game env.Game) *Question {
	history := c.episode.Actions[:c.ply:c.ply]
	return &Question{State: env.After(game, game.New(), history...), History: history}
}

// candidates returns the positions of games to be looked at for a kind of set.
func (r *Recipe) candidates(kind string, batch int, episodes []selfplay.Episode) (all []candidate) {
	for i := range episodes {
		e := &episodes[i]
		rng := env.NewRand(r.Seed, uint64(batch), uint64(i), drawPositions)
		switch kind {
		case Solved:
			all = append(all, r.drawn(e, rng, 4)...)
		case Judgement:
			all = append(all, r.drawn(e, rng, 2)...)
		case Tactics:
			all = append(all, candidate{e, len(e.Actions)})
		case Conversion:
			all = append(all, r.clear(e)...)
		}
	}
	return all
}

// drawn draws up to n positions of a game, each from a part of it of its own.
func (r *Recipe) drawn(e *selfplay.Episode, rng *rand.Rand, n int) (all []candidate) {
	plies := len(e.Actions) - e.Opening
	for i := range n {
		from, to := e.Opening+i*plies/n, e.Opening+(i+1)*plies/n
		if from < to {
			all = append(all, candidate{e, from + rng.IntN(to-from)})
		}
	}
	return all
}

// engine returns the recipe's engine with so many simulations.
func (r *Recipe) engine(simulations int) arena.EngineUnderTest {
	return arena.EngineUnderTest{Search: search(simulations), Evaluator: r.Evaluator, Workers: r.Workers}
}

// search returns the search of a recipe. Other players' searches may change; this one
// stays as it is, so that sets can be made again.
func search(simulations int) mcts.Config {
	c := mcts.Default()
	c.Root, c.RootNoise, c.Simulations = mcts.RootImproved, false, simulations
	c.Gumbel = mcts.Gumbel{MaxConsideredActions: 16, VisitScale: 50, ValueScale: 1}
	return c
}
