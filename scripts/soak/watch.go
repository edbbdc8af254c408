//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"time"

	"tiro/disk"
	"tiro/rundir"
)

// How often memory is read, and how often the readings become a sample.
const (
	readingEvery = time.Second
	sampleEvery  = 20 * time.Second
)

// sample is what the process took during one sampleEvery.
type sample struct {
	at          time.Duration // since the beginning, at its end
	memory      float64       // mean of the readings, bytes
	most        float64       // largest of them, bytes
	descriptors int
	threads     int
	generation  int // complete ones
	goroutines  int // at the end of the newest generation; 0: none is complete
}

// watch takes samples of a process and writes them to a file. It returns an error
// if the process ends before it is time.
func (o *options) watch(ctx context.Context, pid int, run, path string, ended chan error) (samples []sample, err error) {
	table, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, table.Close()) }()
	if _, err := fmt.Fprintln(table, "seconds,rss_mean,rss_max,descriptors,threads,generation,goroutines"); err != nil {
		return nil, err
	}
	length, began := time.Duration(o.hours*float64(time.Hour)), time.Now()
	ticker := time.NewTicker(readingEvery)
	defer ticker.Stop()
	var now readings
	for time.Since(began) < length {
		select {
		case <-ctx.Done():
			fmt.Println("interrupted: the soak is shorter than asked for")
			return samples, nil
		case err := <-ended:
			return samples, fmt.Errorf("the program ended by itself: %w", errors.Join(err, errors.New("it should train until it is interrupted")))
		case <-ticker.C:
		}
		if err := now.read(pid); err != nil {
			return samples, err
		}
		if time.Since(began) < time.Duration(len(samples)+1)*sampleEvery {
			continue
		}
		s, err := now.sample(pid, run)
		if err != nil {
			return samples, err
		}
		s.at, now = time.Since(began), readings{}
		samples = append(samples, s)
		if _, err := fmt.Fprintf(table, "%d,%.0f,%.0f,%d,%d,%d,%d\n", int(s.at.Seconds()), s.memory, s.most, s.descriptors, s.threads, s.generation, s.goroutines); err != nil {
			return samples, err
		}
	}
	return samples, nil
}

// readings are the readings of memory since the last sample.
type readings struct {
	sum, most float64
	n         int
	threads   int
}

// status matches /proc/PID/status (proc_pid_status(5)).
var status = regexp.MustCompile(`(?s)\nVmRSS:\s*(\d+) kB\n.*\nThreads:\s*(\d+)\n`)

// read reads /proc/PID/status.
func (r *readings) read(pid int) error {
	path := fmt.Sprintf("/proc/%d/status", pid)
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	found := status.FindSubmatch(data)
	if found == nil {
		return fmt.Errorf("%s has no VmRSS: the process has ended", path)
	}
	kib, _ := strconv.Atoi(string(found[1])) // both are digits
	r.threads, _ = strconv.Atoi(string(found[2]))
	memory := float64(kib) * 1024
	r.sum, r.most, r.n = r.sum+memory, max(r.most, memory), r.n+1
	return nil
}

// sample returns a sample: the readings, and what is read only now.
func (r *readings) sample(pid int, run string) (sample, error) {
	s := sample{memory: r.sum / float64(r.n), most: r.most, threads: r.threads}
	descriptors, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		return s, err
	}
	s.descriptors = len(descriptors)
	metrics, err := rundir.At(disk.OS{}, run).Metrics()
	if err != nil || len(metrics) == 0 {
		return s, err
	}
	newest := metrics[len(metrics)-1]
	s.generation = newest.Generation
	if newest.Machine != nil {
		s.goroutines = newest.Machine.Goroutines
	}
	return s, nil
}
