package cli

import (
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"tiro/mcts"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/study/exam"
)

// examMakeOptions are the flags of tiro exam make.
type examMakeOptions struct {
	kind      string
	positions int
	model     string
	seed      uint64
	workers   int
	out       string
	backend   kernel.Backend
}

func examMakeCommand() *cobra.Command {
	var o examMakeOptions
	cmd := &cobra.Command{
		Use:   "make GAME --kind KIND --out FILE",
		Short: "Make a set of positions for exams",
		Long: `Make writes a set of exam positions, one a line; see docs/EXAMS.md. The positions are
taken from games of a model with itself, after openings of random actions. The same
flags and backend give the same set, for any number of workers.

Kinds:
  solved      the value of every action, by the game's exact solver
  tactics     a win that proof-number search proves and a search of 8 simulations misses
  judgement   how 8 games went on from the position
  conversion  the player on turn seems to win, and is to do it against a stubborn defender

A file whose name ends in .gz is compressed.`,
		Example: `  tiro exam make connect4 --kind solved --positions 2000 --out solved.jsonl.gz
  tiro exam make coerceo --kind tactics --out tactics.jsonl.gz`,
		Args:              args("GAME"),
		ValidArgsFunction: completeGame,
		RunE:              func(cmd *cobra.Command, args []string) error { return runExamMake(cmd, args[0], o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.kind, "kind", "", "`KIND` of set: "+strings.Join(exam.Kinds(), ", "))
	f.IntVar(&o.positions, "positions", 250, "positions of the set")
	f.StringVar(&o.model, "model", bundledName, modelHelp+", whose games the positions come from")
	f.Uint64Var(&o.seed, "seed", 1, "seed of all randomness")
	f.IntVar(&o.workers, "workers", runtime.NumCPU(), "threads; affects speed only")
	f.StringVar(&o.out, "out", "", "write the set to this `FILE`")
	backendVar(cmd, &o.backend)
	return cmd
}

func runExamMake(cmd *cobra.Command, name string, o examMakeOptions) error {
	if err := cmp.Or(
		unless(o.out != "", "--out is missing; want the file to write"),
		unless(o.kind != "", "--kind is missing; want %s", strings.Join(exam.Kinds(), ", ")),
		inRange("--workers", o.workers, 1, maxThreads),
	); err != nil {
		return err
	}
	game, err := newGame(name)
	if err != nil {
		return err
	}
	recipe := exam.Recipe{Game: game, Seed: o.seed, Workers: o.workers, Positions: o.positions}
	if err := recipe.Validate(o.kind); err != nil {
		return usage(err)
	}
	network, err := openFor(game, o.model)
	if err != nil {
		return err
	}
	model := net.Compile(o.backend, network.weights)
	recipe.Evaluator = func() mcts.Evaluator { return net.NewEvaluator(game, model, maxBatch) }
	recipe.Made = fmt.Sprintf("tiro exam make %s --kind %s --positions %d --seed %d, %s, backend %s",
		name, o.kind, o.positions, o.seed, network, o.backend.Name())
	t, err := openTarget(cmd.Context(), o.out)
	if err != nil {
		return err
	}
	defer t.close()
	meter := newMeter(cmd.ErrOrStderr())
	meter.begin(o.kind+" for "+name, "positions", o.positions)
	recipe.Found = func(n int) { meter.set(n, "") }
	set, err := recipe.Make(cmd.Context(), o.kind)
	meter.end()
	if err != nil {
		return err
	}
	return t.save(func(w io.Writer) (err error) {
		if !strings.HasSuffix(o.out, ".gz") {
			return set.Write(w, game)
		}
		packed := gzip.NewWriter(w)
		return errors.Join(set.Write(packed, game), packed.Close())
	})
}
