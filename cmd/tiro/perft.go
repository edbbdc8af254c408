package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"tiro/env"
	"tiro/env/coerceo"
	"tiro/env/pacru"
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
the usual check of a move generator. A turn is all that one player does until
another is on turn. For Coerceo the turns alone are counted, draws do not end a
game. For Shacru, Azacru and Pacru turns of a player that lead to the same
position count once. The last line of the output is "perft D = N".`,
		Example: `  tiro perft coerceo --depth 5
  tiro perft coerceo:price=1 --depth 3 --position 'POS' --divide
  tiro perft pacru:players=3 --depth 4 --threads 2`,
		Args:              args("GAME"),
		ValidArgsFunction: completeGame,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runPerft(cmd, args[0], o)
		},
	}
	cmd.Flags().IntVarP(&o.depth, "depth", "d", 0, "turns to look ahead")
	cmd.Flags().StringVar(&o.position, "position", "", "position string to start from")
	cmd.Flags().BoolVar(&o.divide, "divide", false, "count for each first turn too")
	cmd.Flags().IntVar(&o.threads, "threads", 1, "first turns to count at a time")
	return cmd
}

func runPerft(cmd *cobra.Command, name string, o perftOptions) error {
	switch {
	case !cmd.Flags().Changed("depth"):
		return usage(errors.New("--depth is missing; want a number of turns, such as --depth 4"))
	case o.depth < 0 || o.depth > maxDepth:
		return usage(fmt.Errorf("--depth %d; want 0 to %d turns", o.depth, maxDepth))
	case o.threads < 1 || o.threads > maxThreads:
		return usage(fmt.Errorf("--threads %d; want 1 to %d, such as %d here", o.threads, maxThreads, runtime.NumCPU()))
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
	total, shares, err := perft(cmd.Context(), game, state, o.depth, o.threads)
	if err != nil {
		return err
	}
	took := time.Since(begun).Seconds()
	out := cmd.OutOrStdout()
	if o.divide {
		for _, s := range shares {
			fmt.Fprintf(out, "%s %d\n", s.move, s.count)
		}
	}
	fmt.Fprintf(out, "%.3f s, %.1f million positions/s\n", took, float64(total)/max(took, 1e-9)/1e6)
	fmt.Fprintf(out, "perft %d = %d\n", o.depth, total)
	return nil
}

// share is the part of a count that begins with one turn.
type share struct {
	move  string
	count uint64
}

// perft counts the sequences of depth turns from s, in all and by first turn,
// so many of these at a time.
func perft(ctx context.Context, game env.Game, s env.State, depth, threads int) (uint64, []share, error) {
	if depth == 0 {
		return 1, nil, nil
	}
	firsts := branches(game, s)
	shares := make([]share, len(firsts))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(threads, len(firsts)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(firsts) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				shares[i] = share{firsts[i].move, firsts[i].count(ctx, depth)}
			}
		})
	}
	workers.Wait()
	total := uint64(0)
	for _, share := range shares {
		total += share.count
	}
	slices.SortFunc(shares, func(a, b share) int { return strings.Compare(a.move, b.move) })
	return total, shares, context.Cause(ctx)
}

// branch is a way to begin.
type branch struct {
	move  string
	count func(ctx context.Context, depth int) uint64 // the sequences of depth turns that begin so
}

// branches returns the turns of s, of games that do not count by turns of
// their own the actions.
func branches(game env.Game, s env.State) (list []branch) {
	if p := turnerOf(s); p != nil {
		for _, t := range p.turns() {
			list = append(list, branch{t.move, func(ctx context.Context, depth int) uint64 {
				return countFrom(ctx, t.after, depth-1)
			}})
		}
		return list
	}
	for _, a := range s.Legal(nil) {
		list = append(list, branch{s.ActionString(a), func(ctx context.Context, depth int) uint64 {
			c := counter{ctx: ctx, game: game}
			return c.after(s, a, depth, 0)
		}})
	}
	return list
}

// turner is a position whose game says itself what turns perft counts.
type turner interface {
	Perft(depth int) uint64
	turns() []turn
}

// turn is a turn and the position that it leads to.
type turn struct {
	move  string
	after turner
}

// turnerOf returns s as a turner, nil if its game does not say what counts.
func turnerOf(s env.State) turner {
	switch s := s.(type) {
	case *coerceo.State:
		p := s.Core()
		return coerceoPosition{&p}
	case *pacru.State:
		return pacruPosition{s}
	}
	return nil
}

// coerceoPosition counts turns alone: draws do not end a game.
type coerceoPosition struct{ *coerceo.Position }

func (p coerceoPosition) turns() (list []turn) {
	for _, a := range p.Legal(nil) {
		after := *p.Position
		after.Play(a)
		list = append(list, turn{p.ActionString(a), coerceoPosition{&after}})
	}
	return list
}

// pacruPosition counts turns of a player that lead to the same position once.
type pacruPosition struct{ *pacru.State }

func (p pacruPosition) turns() (list []turn) {
	for _, t := range p.Distinct() {
		list = append(list, turn{t.Move, pacruPosition{&t.After}})
	}
	return list
}

// atOnce is how deep is counted without a look at the context.
const atOnce = 3

// countFrom counts the sequences of depth turns from p.
func countFrom(ctx context.Context, p turner, depth int) uint64 {
	if depth <= atOnce {
		return p.Perft(depth)
	}
	n := uint64(0)
	for _, t := range p.turns() {
		if ctx.Err() != nil {
			return 0
		}
		n += countFrom(ctx, t.after, depth-1)
	}
	return n
}

// counter counts the turns of any game by its actions: a turn lasts until
// another player is on turn or the game is over.
type counter struct {
	ctx   context.Context
	game  env.Game
	plies []ply
}

// ply is the memory of one action deep.
type ply struct {
	state env.State
	legal []env.Action
}

// after counts the sequences of turns from s, of which the first, under way,
// goes on with a.
func (c *counter) after(s env.State, a env.Action, turns, depth int) uint64 {
	if depth == len(c.plies) {
		c.plies = append(c.plies, ply{state: c.game.New()})
	}
	next := c.plies[depth].state
	next.CopyFrom(s)
	next.Play(a)
	if _, over := next.Result(); over || next.Turn() != s.Turn() {
		turns--
	}
	if turns == 0 {
		return 1
	}
	if turns > 2 && c.ctx.Err() != nil {
		return 0
	}
	legal := next.Legal(c.plies[depth].legal[:0])
	c.plies[depth].legal = legal
	n := uint64(0)
	for _, a := range legal {
		n += c.after(next, a, turns, depth+1)
	}
	return n
}
