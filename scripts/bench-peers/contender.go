//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// job is what a contender computes. It is passed as one JSON argument.
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

func (j job) String() string {
	return fmt.Sprintf("%s %s batch=%d threads=%d", j.Net, j.Mode, j.Batch, j.Threads)
}

// contender is a process that does a job. It prints "ready" when it is warm. For each
// number of seconds that it reads, a line each, it works for that long and prints the
// number of samples and the seconds that they took.
type contender struct {
	name    string
	job     job
	command []string

	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
	speeds  []float64 // samples a second of each turn
}

// start starts the process on the first CPUs of the list and waits until it is warm.
func (c *contender) start(cpus []string) error {
	argument, err := json.Marshal(c.job)
	if err != nil {
		return err
	}
	line := append([]string{"-c", strings.Join(cpus[:c.job.Threads], ",")}, c.command...)
	c.process = exec.Command("taskset", append(line, string(argument))...)
	c.process.Env = append(os.Environ(),
		fmt.Sprintf("GOMAXPROCS=%d", c.job.Threads), fmt.Sprintf("OMP_NUM_THREADS=%d", c.job.Threads))
	c.process.Stderr = os.Stderr
	if c.in, err = c.process.StdinPipe(); err != nil {
		return err
	}
	out, err := c.process.StdoutPipe()
	if err != nil {
		return err
	}
	c.out = bufio.NewScanner(out)
	if err := c.process.Start(); err != nil {
		return err
	}
	answer, err := c.answer()
	if err == nil && answer != "ready" {
		err = fmt.Errorf("printed %q; want ready", answer)
	}
	return err
}

func (c *contender) answer() (string, error) {
	if !c.out.Scan() {
		return "", fmt.Errorf("ended: %w", c.process.Wait())
	}
	return c.out.Text(), c.out.Err()
}

// turn lets the contender work for that many seconds.
func (c *contender) turn(seconds float64) error {
	if _, err := fmt.Fprintln(c.in, seconds); err != nil {
		return err
	}
	answer, err := c.answer()
	if err != nil {
		return err
	}
	var samples, took float64
	if _, err := fmt.Sscan(answer, &samples, &took); err != nil || took <= 0 {
		return fmt.Errorf("printed %q; want samples and seconds", answer)
	}
	c.speeds = append(c.speeds, samples/took)
	return nil
}

// stop closes the input of the process, which ends it.
func (c *contender) stop() {
	c.in.Close()
	c.process.Wait()
}

// ratios returns a[i]/b[i].
func ratios(a, b []float64) []float64 {
	all := make([]float64, len(a))
	for i := range a {
		all[i] = a[i] / b[i]
	}
	return all
}

// median returns the middle of x, or the mean of the middle two.
func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}
