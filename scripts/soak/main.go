//go:build linux

// Soak trains for hours and measures what the process takes of the machine.
//
//	make soak HOURS=2 GAME=coerceo
//	go run ./scripts/soak -hours 2 connect4 --workers 1 --set memory=512MiB
//
// What follows the flags is passed to tiro train. Unless it has a --set, soak adds
// settings under which memory has no reason to grow: the replay window has a size
// that is soon reached, and the number of simulations stays the same. Under other
// settings the growth may be intended.
//
// Every second soak reads the resident memory of the process (VmRSS). Every 20
// seconds it writes a line to samples.csv: mean and largest of those readings,
// open file descriptors, threads, and generation and goroutines from the newest
// line of metrics.jsonl. In the end it compares the second window of the soak
// with the last one. Windows have 10 minutes, or a sixth of a soak of less than
// an hour; the first one is for warming up.
//
// Growth is the mean of the last window divided by the mean of the second, less
// 1. The memory of a Go program swings by tens of percent between two garbage
// collections, and with the phases of a generation. Soak therefore prints the
// standard error of the growth beside it, from the means of the windows' minutes.
//
// The largest resident memory of all (VmHWM) must not be above the run's bound.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"tiro/disk"
	"tiro/recipe"
	"tiro/rundir"
)

// settings keep memory constant, and make generations so short that each window
// has many.
var settings = []string{"games_per_generation=16", "generation_schedule=[]", "replay.window=20000", "replay.beta=0", "selfplay.simulation_schedule=[]"}

// options are the command line.
type options struct {
	hours  float64
	binary string
	out    string
	limit  float64
	train  []string // arguments of tiro train
}

func main() {
	var o options
	flag.Float64Var(&o.hours, "hours", 2, "length")
	flag.StringVar(&o.binary, "binary", "bin/tiro", "the program")
	flag.StringVar(&o.out, "out", "", "folder for the run and samples.csv (default runs/soak-DATE)")
	flag.Float64Var(&o.limit, "limit", 2, "growth of memory that is too much, in percent")
	flag.Parse()
	o.train = flag.Args()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := o.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// run soaks and prints the verdict. It returns an error if there was growth.
func (o *options) run(ctx context.Context) error {
	if !(o.hours > 0) || len(o.train) == 0 || strings.HasPrefix(o.train[0], "-") {
		return errors.New("want hours above 0 and a game, after it perhaps arguments of tiro train")
	}
	o.out = cmp.Or(o.out, filepath.Join("runs", time.Now().Format("soak-20060102-150405")))
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return err
	}
	if !slices.Contains(o.train, "--set") {
		for _, s := range settings {
			o.train = append(o.train, "--set", s)
		}
	}
	log, err := os.Create(filepath.Join(o.out, "output.txt"))
	if err != nil {
		return err
	}
	defer log.Close()
	run := filepath.Join(o.out, "run")
	cmd := exec.Command(o.binary, append([]string{"train", "--run", run}, o.train...)...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C is ours to pass on
	if err := cmd.Start(); err != nil {
		return err
	}
	table := filepath.Join(o.out, "samples.csv")
	fmt.Printf("process %d: %s\nsamples: %s\n", cmd.Process.Pid, strings.Join(cmd.Args, " "), table)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	samples, err := o.watch(ctx, cmd.Process.Pid, run, table, ended)
	if err == nil {
		err = stop(cmd, ended)
	}
	if err != nil {
		return fmt.Errorf("%w; see %s", err, log.Name())
	}
	c, err := recipe.Read(rundir.At(disk.OS{}, run))
	if err != nil {
		return err
	}
	return errors.Join(judge(os.Stdout, samples, o.limit), checkPeak(os.Stdout, samples, c.Memory))
}

// stop interrupts the program, as Ctrl-C does, and checks that it saves and ends.
func stop(cmd *exec.Cmd, ended chan error) error {
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	select {
	case <-ended:
		if code := cmd.ProcessState.ExitCode(); code != 130 {
			return fmt.Errorf("interrupted, the program ended with %v; want exit code 130", cmd.ProcessState)
		}
		return nil
	case <-time.After(5 * time.Minute):
		return errors.Join(errors.New("five minutes after an interrupt the program has not ended"), cmd.Process.Kill())
	}
}
