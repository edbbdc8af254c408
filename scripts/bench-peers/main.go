// Command bench-peers is Tiro's contender in bench_peers.py, which compares its speed with ONNX
// Runtime and PyTorch. bench-peers export JOB writes the network of a job as ONNX and prints the
// job with the network's shape. bench-peers contend JOB runs the job under the control of
// standard input.
//
// The networks are ref5 (5x5 cells, 42 policy planes) and ref9 (9x9 cells, 71 policy planes),
// both with 16 observation planes, 64 channels, 4 residual blocks, no pooling, 4 outcome
// channels, no hidden layer and two players. PyTorch trains the same network, written in PyTorch,
// with the same loss and PyTorch's Adam.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// job describes the work of a contender.
type job struct {
	Net     string `json:"net"`  // ref5 or ref9
	Mode    string `json:"mode"` // infer or train
	Batch   int    `json:"batch"`
	Threads int    `json:"threads"`
	Model   string `json:"model"` // ONNX file of the network
	Planes  int    `json:"planes"`
	Side    int    `json:"side"`
	Policy  int    `json:"policy"` // policy planes
	Outcome int    `json:"outcome"`
	Width   int    `json:"width"` // channels
	Blocks  int    `json:"blocks"`
	Heads   int    `json:"heads"` // outcome channels
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench-peers:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return errors.New("usage: bench-peers export JOB or bench-peers contend JOB; see make bench-peers")
	}
	var j job
	if err := json.Unmarshal([]byte(args[1]), &j); err != nil {
		return err
	}
	if args[0] == "contend" {
		return j.contend()
	}
	if err := j.export(); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(j)
}
