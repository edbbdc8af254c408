package envtest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"tiro/env"
)

// Solution contains the value of every reachable position of a small game under perfect
// play.
//
// Perfect play is max^n (Luckhardt and Irani 1986, "An algorithmic solution of N-person
// games"): each player takes the action with the best payoff for itself. For two players
// this is minimax. With more players, a player may be indifferent between actions that the
// others are not indifferent to. Solution takes the lowest such action, so other equilibria
// can exist.
type Solution struct {
	game   env.Game
	states []env.State
	values map[uint64]env.Value // by hash
}

// Solve visits every reachable position of game. It fails if there are more than limit, or
// if a position occurs twice in a line of play, which a correct Hash excludes.
func Solve(game env.Game, limit int) (*Solution, error) {
	return solveFrom(game, game.New(), limit)
}

// solveFrom visits every position reachable from s.
func solveFrom(game env.Game, s env.State, limit int) (*Solution, error) {
	v := &solver{
		Solution: Solution{game: game, values: map[uint64]env.Value{}},
		open:     map[uint64]bool{}, limit: limit,
	}
	if _, err := v.visit(s); err != nil {
		return nil, fmt.Errorf("envtest: solve %s: %w", game.Spec().Name, err)
	}
	return &v.Solution, nil
}

// States returns every reachable position once, with each position after its successors and
// the start position last. The caller must not change them.
func (s *Solution) States() []env.State { return s.states }

// Value returns the payoffs of perfect play from a position of the game, and whether the
// position is known.
func (s *Solution) Value(state env.State) (v env.Value, known bool) {
	v, known = s.values[state.Hash()]
	return v, known
}

// Best returns the best legal actions for the player on turn, in ascending order.
func (s *Solution) Best(state env.State) (actions []env.Action) {
	best := float32(-2)
	for _, a := range state.Legal(nil) {
		v := s.values[env.After(s.game, state, a).Hash()][state.Turn()]
		if v > best {
			best, actions = v, nil
		}
		if v == best {
			actions = append(actions, a)
		}
	}
	return actions
}

type solver struct {
	Solution
	open  map[uint64]bool // positions on the line being visited
	limit int
}

func (s *solver) visit(state env.State) (env.Value, error) {
	hash := state.Hash()
	if v, known := s.values[hash]; known {
		return v, nil
	}
	if s.open[hash] {
		return env.Value{}, fmt.Errorf("%s follows from itself", state)
	}
	value, over := state.Result()
	if !over {
		s.open[hash] = true
		mover := state.Turn()
		for i, a := range state.Legal(nil) {
			v, err := s.visit(env.After(s.game, state, a))
			if err != nil {
				return v, err
			}
			if i == 0 || v[mover] > value[mover] {
				value = v
			}
		}
		delete(s.open, hash)
	}
	if len(s.states) == s.limit {
		return value, fmt.Errorf("more than %d reachable positions", s.limit)
	}
	s.states = append(s.states, state)
	s.values[hash] = value
	return value, nil
}

// checkSolver: near the end of games a Solvable game's judge is right, and lines that are
// not solved positions are rejected.
func checkSolver(game env.Game) error {
	solvable, ok := game.(env.Solvable)
	if !ok {
		return nil
	}
	if _, _, err := solvable.ParseSolved(""); err == nil {
		return errors.New("an empty line is read as a solved position")
	}
	judge, length := solvable.NewJudge(), game.Spec().MaxPlies
	return walk{game, 31, 300, 6000}.each(func(p *stop) error {
		if len(p.legal) == 0 || len(p.history) < length*3/4 {
			return nil
		}
		solution, err := solveFrom(game, env.After(game, p.state), 500)
		if err != nil {
			return nil // too large to solve here
		}
		worth, best, mover := int(solution.values[p.state.Hash()][p.state.Turn()]), solution.Best(p.state), p.state.Turn()
		for _, a := range p.legal {
			wrong, err := judge(context.Background(), p.state, a, worth)
			if err != nil {
				return err
			}
			if want := !slices.Contains(best, a); wrong != want {
				return fmt.Errorf("the judge returns %t for %s, which is worth %d to seat %d, instead of %t", wrong, p.state.ActionString(a), worth, mover, want)
			}
		}
		return nil
	})
}
