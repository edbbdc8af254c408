//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"tiro/disk"
	"tiro/rundir"
)

const samplesFile = "samples.csv"

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

// header names the columns of samples.csv.
var header = []string{"seconds", "rss_mean", "rss_max", "descriptors", "threads", "generation", "goroutines"}

func (s *sample) row() []string {
	return []string{
		strconv.Itoa(int(s.at.Seconds())), fmt.Sprintf("%.0f", s.memory), fmt.Sprintf("%.0f", s.most), strconv.Itoa(s.descriptors),
		strconv.Itoa(s.threads), strconv.Itoa(s.generation), strconv.Itoa(s.goroutines),
	}
}

// watch takes samples of a process for some time and writes them to a file. It
// returns an error if the process ends before.
func watch(ctx context.Context, pid int, run, path string, length time.Duration, ended chan error) (samples []sample, err error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	table := csv.NewWriter(file)
	if err := table.Write(header); err != nil {
		return nil, err
	}
	began := time.Now()
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
		s.at = time.Since(began)
		samples = append(samples, s)
		now = readings{}
		if err := table.Write(s.row()); err != nil {
			return samples, err
		}
		table.Flush()
		if err := table.Error(); err != nil {
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

// read reads /proc/PID/status.
func (r *readings) read(pid int) error {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return err
	}
	kib, err := field(data, "VmRSS")
	if err != nil {
		return err
	}
	r.threads, err = field(data, "Threads")
	memory := float64(kib) * 1024
	r.sum += memory
	r.most = max(r.most, memory)
	r.n++
	return err
}

// field returns the number of a line "name: number …".
func field(status []byte, name string) (int, error) {
	for line := range bytes.Lines(status) {
		if words := bytes.Fields(line); len(words) > 1 && string(words[0]) == name+":" {
			return strconv.Atoi(string(words[1]))
		}
	}
	return 0, fmt.Errorf("/proc/PID/status has no %s: the process has ended", name)
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
