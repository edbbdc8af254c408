//go:build linux

package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// options are the command line.
type options struct {
	rounds  int
	seconds float64
	cpus    []string // those of the first threads, in order
	only    string   // part of the lines to measure
	backend string   // of ours, "" for the fastest
	verbose bool

	shares []float64 // of a CPU that contenders of one thread got, turn by turn
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == "contend" {
		exit(contend(os.Args[2]))
	}
	var o options
	cpus := flag.String("cpus", "0,1", "CPUs to run on; a line with n threads takes the first n")
	flag.IntVar(&o.rounds, "rounds", 7, "turns of each contender")
	flag.Float64Var(&o.seconds, "seconds", 0.4, "length of a turn")
	flag.StringVar(&o.only, "only", "", "measure only lines that contain this, such as 'ref5 infer'")
	flag.StringVar(&o.backend, "backend", "", "backend of ours: avx512, avx2 or go (default: the best)")
	flag.BoolVar(&o.verbose, "v", false, "print speeds, by wall clock and by CPU time, on stderr")
	flag.Parse()
	o.cpus = strings.Split(*cpus, ",")
	exit(o.run())
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench-peers:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// race is what one or two lines tell: a job, and the peer that does the same.
type race struct {
	job  job
	peer *peer
}

// run measures everything and prints the lines.
func (o *options) run() error {
	if o.rounds < 1 || o.seconds <= 0 {
		return errors.New("want at least one round of more than 0 seconds")
	}
	folder, err := os.MkdirTemp("", "bench-peers")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	ours, err := os.Executable()
	if err != nil {
		return err
	}
	peers := findPeers()
	for _, mode := range []string{"infer", "train"} {
		if p := peers[mode]; p.missing != nil {
			fmt.Printf("\nNOT MEASURED: %s: %v\n\n", p.name, p.missing)
		}
	}
	for _, r := range races(peers) {
		if !strings.Contains(r.job.String(), o.only) || r.job.Threads > len(o.cpus) {
			continue
		}
		r.job.Backend, r.job.Model = o.backend, filepath.Join(folder, r.job.Net+".onnx")
		if err := r.job.export(); err != nil {
			return err
		}
		if err := o.measure(ours, r); err != nil {
			return fmt.Errorf("%s: %w", r.job, err)
		}
	}
	if len(o.shares) > 0 && median(o.shares) < 0.95 {
		fmt.Printf("\nThe machine is busy: contenders of one thread got %.0f%% of a CPU. Judge by a quiet one.\n", 100*median(o.shares))
	}
	return nil
}

// findPeers returns the others by mode, installed or not.
func findPeers() map[string]*peer {
	scripts := filepath.Join("scripts", "bench-peers")
	runtime := filepath.Join(".cache", "onnxruntime")
	onnxRuntime := &peer{name: "onnxruntime", command: []string{"node", filepath.Join(scripts, "onnxruntime.mjs"), runtime}}
	if _, err := os.Stat(filepath.Join(runtime, "node_modules", "onnxruntime-node")); err != nil {
		onnxRuntime.missing = fmt.Errorf("%w; scripts/onnxruntime.sh installs it", err)
	} else if _, err := exec.LookPath("node"); err != nil {
		onnxRuntime.missing = err
	}
	python := "/usr/bin/python3"
	torch := &peer{name: "torch", command: []string{python, filepath.Join(scripts, "torch_peer.py")}}
	if output, err := exec.Command(python, "-c", "import torch").CombinedOutput(); err != nil {
		torch.missing = fmt.Errorf("%w %s; scripts/torch.sh installs it", err, output)
	}
	return map[string]*peer{"infer": onnxRuntime, "train": torch}
}

// races returns what is measured, in the order of the lines.
func races(peers map[string]*peer) []race {
	var all []race
	for _, name := range []string{"ref5", "ref9"} {
		for _, mode := range []string{"infer", "train"} {
			for _, batch := range map[string][]int{"infer": {8, 64, 256}, "train": {256}}[mode] {
				for threads := 1; threads <= 2; threads++ {
					all = append(all, race{job{Net: name, Mode: mode, Batch: batch, Threads: threads}, peers[mode]})
				}
			}
		}
	}
	return all
}

// measure lets ours, the peer and, with several threads, ours with one take
// turns, and prints a line for each but the first.
func (o *options) measure(ours string, r race) error {
	contenders := []*contender{{name: "ours", job: r.job, command: []string{ours, "contend"}}}
	if r.peer.missing == nil {
		contenders = append(contenders, &contender{name: r.peer.name, job: r.job, command: r.peer.command})
	}
	if r.job.Threads > 1 {
		alone := r.job
		alone.Threads = 1
		contenders = append(contenders, &contender{name: "one thread", job: alone, command: []string{ours, "contend"}})
	}
	for _, c := range contenders {
		if err := c.start(o.cpus); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		defer c.stop()
	}
	for range o.rounds {
		for _, c := range contenders {
			if err := c.turn(o.seconds); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
		}
	}
	for _, c := range contenders {
		if c.job.Threads == 1 {
			o.shares = append(o.shares, ratios(c.wall, c.cpu)...)
		}
		if o.verbose {
			fmt.Fprintf(os.Stderr, "%s: %s: %.0f samples/s, %.0f by CPU second\n", r.job, c.name, median(c.wall), median(c.cpu))
		}
		if c != contenders[0] {
			fmt.Printf("%s: %.2f x %s\n", r.job, median(ratios(contenders[0].wall, c.wall)), c.name)
		}
	}
	return nil
}
