package main

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"tiro/env"
)

// Bounds against mistyped numbers.
const (
	maxDepth   = 100
	maxThreads = 1024
)

// perftOptions are the flags of tiro perft.
type perftOptions struct {
	depth    int
	position string
	divide   bool
	threads  int
}

func perftCommand() *cobra.Command {
	var o perftOptions
	cmd := &cobra.Command{
		Use:   "perft GAME --depth D",
		Short: "Count the sequences of turns from a position",
		Long: `Perft counts the legal sequences of D turns from the start or another position,
the usual check of a move generator. A turn is everything that a player does
before another player moves. In Coerceo a draw does not end the game. In Shacru,
Azacru and Pacru, turns that lead to the same position count once. The last line
of the output is "perft D = N".`,
		Example: `  tiro perft coerceo --depth 5
  tiro perft coerceo:price=1 --depth 3 --position 'POS' --divide
  tiro perft pacru:players=3 --depth 4 --threads 2`,
		Args:              args("GAME"),
		ValidArgsFunction: completeGame,
		RunE:              func(cmd *cobra.Command, args []string) error { return runPerft(cmd, args[0], o) },
	}
	cmd.Flags().IntVarP(&o.depth, "depth", "d", 0, "turns to look ahead")
	cmd.Flags().StringVar(&o.position, "position", "", "`POSITION` string to start from")
	cmd.Flags().BoolVar(&o.divide, "divide", false, "count for each first turn too")
	cmd.Flags().IntVar(&o.threads, "threads", 1, "first turns to count at a time")
	return cmd
}

func runPerft(cmd *cobra.Command, name string, o perftOptions) error {
	if err := cmp.Or(
		unless(cmd.Flags().Changed("depth"), "--depth is missing; want a number of turns, such as --depth 4"),
		unless(o.depth >= 0 && o.depth <= maxDepth, "--depth %d; want 0 to %d turns", o.depth, maxDepth),
		unless(o.threads >= 1 && o.threads <= maxThreads, "--threads %d; want 1 to %d, such as %d here", o.threads, maxThreads, runtime.NumCPU()),
	); err != nil {
		return err
	}
	game, err := newGame(name)
	if err != nil {
		return err
	}
	state, err := position(game, o.position)
	if err != nil {
		return err
	}
	begun := time.Now()
	total, counts, err := perft(cmd.Context(), turnCounter(game, state), o.depth, o.threads)
	if err != nil {
		return err
	}
	took := time.Since(begun).Seconds()
	out := cmd.OutOrStdout()
	if o.divide {
		for _, c := range counts {
			fmt.Fprintf(out, "%s %d\n", c.move, c.sequences)
		}
	}
	fmt.Fprintf(out, "%.3f s, %.1f million positions/s\n", took, float64(total)/max(took, 1e-9)/1e6)
	fmt.Fprintf(out, "perft %d = %d\n", o.depth, total)
	return nil
}

// turnCount is the number of sequences that begin with one turn.
type turnCount struct {
	move      string
	sequences uint64
}

// perft counts the sequences of depth turns from start, in all and by first
// turn, on so many threads.
func perft(ctx context.Context, start env.TurnCounter, depth, threads int) (uint64, []turnCount, error) {
	if depth == 0 {
		return 1, nil, nil
	}
	firsts := start.Divide()
	counts := make([]turnCount, len(firsts))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(threads, len(firsts)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(firsts); i = int(next.Add(1)) - 1 {
				counts[i] = turnCount{firsts[i].Move, countFrom(ctx, firsts[i].After, depth-1)}
			}
		})
	}
	workers.Wait()
	total := uint64(0)
	for _, c := range counts {
		total += c.sequences
	}
	slices.SortFunc(counts, func(a, b turnCount) int { return strings.Compare(a.move, b.move) })
	return total, counts, context.Cause(ctx)
}

// uninterrupted is the depth that is counted without a look at the context.
const uninterrupted = 3

// countFrom counts the sequences of depth turns from p.
func countFrom(ctx context.Context, p env.TurnCounter, depth int) (n uint64) {
	if ctx.Err() != nil {
		return 0
	}
	if depth <= uninterrupted {
		return p.Perft(depth)
	}
	for _, t := range p.Divide() {
		n += countFrom(ctx, t.After, depth-1)
	}
	return n
}

// turnCounter returns s, or a counter of its actions if its game does not say
// what counts as a turn.
func turnCounter(game env.Game, s env.State) env.TurnCounter {
	if c, ok := s.(env.TurnCounter); ok {
		return c
	}
	return actionCounter{game, s}
}

// actionCounter counts turns as sequences of legal actions.
type actionCounter struct {
	game  env.Game
	state env.State
}

// endsTurn reports whether the action between two positions has completed a
// turn: another player is on turn or the game is over.
func endsTurn(before, after env.State) bool {
	_, over := after.Result()
	return over || after.Turn() != before.Turn()
}

func (c actionCounter) Divide() (turns []env.CountedTurn) {
	var extend func(s env.State, move string)
	extend = func(s env.State, move string) {
		for _, a := range s.Legal(nil) {
			next := env.After(c.game, s, a)
			name := move + s.ActionString(a)
			if endsTurn(s, next) {
				turns = append(turns, env.CountedTurn{Move: name, After: actionCounter{c.game, next}})
			} else {
				extend(next, name+",")
			}
		}
	}
	extend(c.state, "")
	return turns
}

func (c actionCounter) Perft(depth int) (n uint64) {
	if depth <= 0 {
		return 1
	}
	next := c.game.New()
	for _, a := range c.state.Legal(nil) {
		next.CopyFrom(c.state)
		next.Play(a)
		left := depth
		if endsTurn(c.state, next) {
			left--
		}
		n += actionCounter{c.game, next}.Perft(left)
	}
	return n
}
