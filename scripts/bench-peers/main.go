//go:build linux

package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// options are those of the command line.
type options struct {
	rounds  int
	seconds float64
	cpus    []string // a job with n threads takes the first n
	only    string   // part of the lines to measure
}

func main() {
	var o options
	cpus := flag.String("cpus", "0,1", "CPUs to run on; a line with n threads takes the first n")
	flag.IntVar(&o.rounds, "rounds", 7, "turns of each contender")
	flag.Float64Var(&o.seconds, "seconds", 0.4, "length of a turn")
	flag.StringVar(&o.only, "only", "", "measure only lines that contain this, such as 'ref5 infer'")
	flag.Parse()
	o.cpus = strings.Split(*cpus, ",")
	run := o.run
	if flag.Arg(0) == "contend" {
		run = func() error { return contend(flag.Arg(1)) }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench-peers:", err)
		os.Exit(1)
	}
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
	peers := findPeers()
	for _, j := range jobs() {
		if !strings.Contains(j.String(), o.only) || j.Threads > len(o.cpus) {
			continue
		}
		j.Model = filepath.Join(folder, j.Net+".onnx")
		if err := j.export(); err != nil {
			return err
		}
		if err := o.measure(j, peers[j.Mode]...); err != nil {
			return fmt.Errorf("%s: %w", j, err)
		}
	}
	return nil
}

// findPeers returns the peers that are installed, by mode.
func findPeers() map[string][]contender {
	peers := map[string][]contender{}
	add := func(mode, name, script string, check *exec.Cmd, command ...string) {
		if output, err := check.CombinedOutput(); err != nil {
			fmt.Printf("\nNOT MEASURED: %s: %v, %s; scripts/%s installs it\n\n", name, err, bytes.TrimSpace(output), script)
			return
		}
		peers[mode] = []contender{{name: name, command: command}}
	}
	load := "try { require('./.cache/onnxruntime/node_modules/onnxruntime-node') } catch (e) { console.log(e.code); process.exit(1) }"
	add("infer", "onnxruntime", "onnxruntime.sh", exec.Command("node", "-e", load),
		"node", "scripts/bench-peers/onnxruntime.mjs", ".cache/onnxruntime")
	add("train", "torch", "torch.sh", exec.Command("/usr/bin/python3", "-c", "import torch"),
		"/usr/bin/python3", "scripts/bench-peers/torch_peer.py")
	return peers
}

// jobs returns what is measured, in the order of the lines.
func jobs() []job {
	var all []job
	for _, name := range []string{"ref5", "ref9"} {
		for _, mode := range []string{"infer", "train"} {
			for _, batch := range map[string][]int{"infer": {8, 64, 256}, "train": {256}}[mode] {
				for threads := 1; threads <= 2; threads++ {
					all = append(all, job{Net: name, Mode: mode, Batch: batch, Threads: threads})
				}
			}
		}
	}
	return all
}

// measure lets ours, the peers and, with several threads, ours with one thread take
// turns, and prints a line for each but the first.
func (o *options) measure(j job, peers ...contender) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	ours := contender{name: "ours", command: []string{program, "contend"}}
	contenders := append([]contender{ours}, peers...)
	for i := range contenders {
		contenders[i].job = j
	}
	if j.Threads > 1 {
		ours.name, ours.job, ours.job.Threads = "one thread", j, 1
		contenders = append(contenders, ours)
	}
	for i := range contenders {
		c := &contenders[i]
		if err := c.start(o.cpus); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		defer c.stop()
	}
	for range o.rounds {
		for i := range contenders {
			if err := contenders[i].turn(o.seconds); err != nil {
				return fmt.Errorf("%s: %w", contenders[i].name, err)
			}
		}
	}
	for _, c := range contenders[1:] {
		fmt.Printf("%s: %.2f x %s\n", j, median(ratios(contenders[0].speeds, c.speeds)), c.name)
	}
	return nil
}
