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

	"tiro/configs"
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
	peak        configs.Bytes // largest since the process began, also between readings
	readings    int
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
	var now sample
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
		now.at = time.Since(began)
		if err := now.complete(pid, run); err != nil {
			return samples, err
		}
		if _, err := fmt.Fprintf(table, "%d,%.0f,%.0f,%d,%d,%d,%d\n", int(now.at.Seconds()), now.memory, now.most,
			now.descriptors, now.threads, now.generation, now.goroutines); err != nil {
			return samples, err
		}
		samples, now = append(samples, now), sample{}
	}
	return samples, nil
}

// status matches /proc/PID/status (proc_pid_status(5)).
var status = regexp.MustCompile(`(?s)\nVmHWM:\s*(\d+) kB\nVmRSS:\s*(\d+) kB\n.*\nThreads:\s*(\d+)\n`)

// read adds a reading of /proc/PID/status.
func (s *sample) read(pid int) error {
	path := fmt.Sprintf("/proc/%d/status", pid)
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	found := status.FindSubmatch(data)
	if found == nil {
		return fmt.Errorf("%s has no VmRSS: the process has ended", path)
	}
	peak, _ := strconv.Atoi(string(found[1])) // all are digits
	kib, _ := strconv.Atoi(string(found[2]))
	s.threads, _ = strconv.Atoi(string(found[3]))
	s.peak = configs.Bytes(peak) << 10
	memory := float64(kib) * 1024
	s.readings++
	s.memory += (memory - s.memory) / float64(s.readings)
	s.most = max(s.most, memory)
	return nil
}

// complete adds what is read once a sample.
func (s *sample) complete(pid int, run string) error {
	descriptors, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		return err
	}
	s.descriptors = len(descriptors)
	metrics, err := rundir.At(disk.OS{}, run).Metrics()
	if err != nil || len(metrics) == 0 {
		return err
	}
	newest := metrics[len(metrics)-1]
	s.generation = newest.Generation
	if newest.Machine != nil {
		s.goroutines = newest.Machine.Goroutines
	}
	return nil
}
