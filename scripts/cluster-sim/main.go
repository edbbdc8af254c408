// Command cluster-sim simulates a training on many machines from measured constants, and
// says what bounds it. docs/CLUSTER.md has its results.
//
//	go run ./scripts/cluster-sim -games 1000 -core-seconds 2.5 -learn 60
package main

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
)

func main() {
	var c constants
	f := flag.NewFlagSet("cluster-sim", flag.ExitOnError)
	workers := f.String("workers", "1,10,100,1000", "numbers of workers")
	f.IntVar(&c.games, "games", 1000, "games of a generation")
	f.IntVar(&c.slots, "slots", 32, "games in flight of a goroutine at most")
	f.IntVar(&c.cores, "cores", 4, "cores of a worker")
	f.Float64Var(&c.coreSeconds, "core-seconds", 2, "seconds that a game takes of a core")
	f.Float64Var(&c.spread, "spread", 0.4, "standard deviation of that, as a share of the mean")
	f.Float64Var(&c.solo, "solo", 0.5, "the same for a game that has a core for itself: what it takes at least")
	f.Float64Var(&c.intake, "intake", 0.001, "seconds that the trainer takes to check and store a game")
	f.Float64Var(&c.lease, "lease", 0.0001, "seconds that the trainer takes to answer a request")
	f.Float64Var(&c.network, "network", 1e6, "bytes of a network")
	f.Float64Var(&c.message, "message", 800, "bytes of a game")
	f.Float64Var(&c.bandwidth, "bandwidth", 125e6, "bytes a second that the trainer's line carries each way")
	f.Float64Var(&c.latency, "latency", 0.001, "seconds to and fro between worker and trainer")
	f.Float64Var(&c.learn, "learn", 30, "seconds that the trainer learns after a generation")
	f.BoolVar(&c.asynchronous, "asynchronous", false, "whether games are played while the trainer learns (selfplay.asynchronous)")
	if err := f.Parse(os.Args[1:]); err != nil {
		os.Exit(2)
	}
	fmt.Println("| workers | cores | self-play s | generation s | games/s | cores busy in self-play | cores busy | bounded by |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	for text := range strings.SplitSeq(*workers, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			fmt.Fprintf(os.Stderr, "-workers %q; want numbers from 1, separated by commas\n", *workers)
			os.Exit(2)
		}
		r := simulate(&c, n)
		whole := c.generation(r.selfplay)
		fmt.Printf("| %d | %d | %.1f | %.1f | %.1f | %.0f%% | %.0f%% | %s |\n", n, n*c.cores, r.selfplay, whole,
			float64(c.games)/whole, 100*r.busy, 100*r.busy*r.selfplay/whole, r.bound)
	}
}
