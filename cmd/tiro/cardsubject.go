package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"tiro/configs"
	"tiro/disk"
	"tiro/env"
	"tiro/env/games"
	"tiro/models"
	"tiro/models/bundled"
	"tiro/models/card"
	"tiro/net"
	"tiro/train"
)

// Names in a run folder.
const (
	configFile     = "config.yaml"
	checkpointsDir = "checkpoints"
)

// subject is what a card is about: a run up to one of its checkpoints.
type subject struct {
	game       env.Game
	config     train.Config
	text       string // of the run's config.yaml
	store      *models.Store
	generation int
	info       models.Info     // of the checkpoint
	weights    []byte          // its weights file
	progress   []card.Progress // by generation, from 0
	untimed    int             // generations of which neither evaluations nor time are known
	backends   []string        // names of what computed the network, in order
}

// openSubject reads all that a card tells of the run or checkpoint at path, but
// for ratings.
func openSubject(path string) (*subject, error) {
	run, generation, err := findRun(path)
	if err != nil {
		return nil, err
	}
	s := &subject{}
	if s.config, err = train.LoadConfig(run); err != nil {
		return nil, err
	}
	text, err := disk.ReadFile(disk.OS{}, filepath.Join(run, configFile), card.MaxBytes)
	if err != nil {
		return nil, err
	}
	s.text = string(text)
	if s.game, err = games.New(s.config.Game); err != nil {
		return nil, fmt.Errorf("%s: game: %w", filepath.Join(run, configFile), err)
	}
	s.config.Game = s.game.Spec().Name
	s.store = models.NewStore(disk.OS{}, filepath.Join(run, checkpointsDir), s.game.Spec())
	if s.generation, err = s.pick(run, generation); err != nil {
		return nil, err
	}
	if _, s.info, err = s.open(s.generation); err != nil {
		return nil, err
	}
	if s.weights, err = s.readWeights(); err != nil {
		return nil, err
	}
	lines, err := train.ReadMetrics(run)
	if err != nil {
		return nil, err
	}
	if err := s.recount(lines); err != nil {
		return nil, fmt.Errorf("%s: %w", run, err)
	}
	return s, nil
}

// newest stands for the newest checkpoint of a run.
const newest = -1

// findRun returns the run folder that path leads to, and which checkpoint of it
// is meant.
func findRun(path string) (run string, generation int, err error) {
	if _, err := os.Stat(path); err != nil {
		return "", 0, err
	}
	isRun := func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, configFile))
		return err == nil
	}
	if isRun(path) {
		return path, newest, nil
	}
	whole, err := filepath.Abs(path) // since path may be "."
	if err != nil {
		return "", 0, err
	}
	run = filepath.Join(path, "..", "..")
	generation, err = strconv.Atoi(filepath.Base(whole))
	if err != nil || generation < 0 || filepath.Base(filepath.Dir(whole)) != checkpointsDir || !isRun(run) {
		return "", 0, fmt.Errorf("%s is neither a run folder, with its %s, nor a checkpoint in one", path, configFile)
	}
	return run, generation, nil
}

// pick returns the generation of the checkpoint that is meant.
func (s *subject) pick(run string, generation int) (int, error) {
	all, err := s.store.List()
	switch {
	case err != nil:
		return 0, err
	case len(all) == 0:
		return 0, fmt.Errorf("%s: %w; tiro train --run %s makes one", run, models.ErrNone, run)
	case generation == newest:
		generation = all[len(all)-1]
	case !slices.Contains(all, generation):
		return 0, fmt.Errorf("%s: %w", s.store.Dir(generation), fs.ErrNotExist)
	}
	if generation == 0 {
		return 0, fmt.Errorf("%s: checkpoint 0 has learned nothing that a card could tell of; want a later one", run)
	}
	return generation, nil
}

// open reads the network of a generation.
func (s *subject) open(generation int) (*net.Weights, models.Info, error) {
	dir := s.store.Dir(generation)
	w, info, err := models.Open(dir, games.New)
	switch {
	case err != nil:
		return nil, info, err
	case info.Generation != generation:
		return nil, info, fmt.Errorf("%s: it holds checkpoint %d and was renamed", dir, info.Generation)
	case info.Game != s.config.Game:
		return nil, info, fmt.Errorf("%s: it is for %s; the run is of %s", dir, info.Game, s.config.Game)
	}
	return w, info, nil
}

// readWeights returns the weights file of the checkpoint.
func (s *subject) readWeights() ([]byte, error) {
	path := filepath.Join(s.store.Dir(s.generation), bundled.WeightsFile)
	want := s.info.Files[bundled.WeightsFile]
	data, err := disk.ReadFile(disk.OS{}, path, want.Bytes)
	if err == nil && models.Measure(data) != want {
		err = fmt.Errorf("%s: info.json is for other weights", path)
	}
	return data, err
}

// recount fills in how far the run had come with each generation.
func (s *subject) recount(lines []train.Metrics) error {
	s.progress = make([]card.Progress, 1, s.generation+1)
	for _, m := range lines {
		last := s.progress[len(s.progress)-1]
		if m.Generation != last.Generation+1 || m.Generation > s.generation {
			continue
		}
		next := card.Progress{
			Generation: m.Generation, Games: last.Games + m.Games, Rows: m.TotalRows,
			Evaluations: last.Evaluations, CoreHours: last.CoreHours,
		}
		if m.Machine == nil {
			s.untimed++
		} else {
			next.Evaluations += m.Machine.Evaluations
			next.CoreHours += m.Machine.Seconds * float64(m.Machine.Workers) / time.Hour.Seconds()
			if !slices.Contains(s.backends, m.Machine.Backend) {
				s.backends = append(s.backends, m.Machine.Backend)
			}
		}
		s.progress = append(s.progress, next)
	}
	if told := len(s.progress) - 1; told < s.generation {
		return fmt.Errorf("metrics.jsonl does not tell of generation %d; a card needs all up to %d", told+1, s.generation)
	}
	return nil
}

// card returns the card without ratings; again is the command that rates anew.
func (s *subject) card(again string) (card.Card, error) {
	made, err := s.trainLine()
	if err != nil {
		return card.Card{}, err
	}
	return card.Card{
		Game: s.config.Game, GameVersion: s.info.GameVersion,
		Commands: []string{made, again},
		Seed:     s.config.Seed, Progress: s.progress[s.generation], Untimed: s.untimed,
		Backend: cmp.Or(strings.Join(s.backends, ", "), "unknown"),
		Net:     s.info.Net, Parameters: s.info.Parameters, Weights: s.info.Files[bundled.WeightsFile],
		Ratings: []card.Rating{}, Curve: []card.Point{},
		Config: s.text,
	}, nil
}

// trainLine returns the command that trains the network again.
func (s *subject) trainLine() (string, error) {
	shipped, err := shippedConfig(s.config.Game)
	if err != nil {
		return "", err
	}
	assignments, err := configs.Assignments(&shipped, &s.config)
	if err != nil {
		return "", err
	}
	words := []string{"tiro", "train", s.config.Game}
	for _, a := range assignments {
		words = append(words, "--set", a)
	}
	return shellLine(append(words, "--generations", strconv.Itoa(s.generation))...), nil
}

// points returns up to n generations, the one of the card last, the others spread
// evenly over the positions learned from. Of those it takes only checkpoints that
// a run keeps for good: the same command finds them again, however far the run
// has gone on.
func (s *subject) points(n int) ([]int, error) {
	all, err := s.store.List()
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(g int) bool {
		return g > s.generation || g < s.generation && !s.config.Checkpoints.Forever(g)
	})
	if len(all) <= n {
		return all, nil
	}
	var chosen []int
	for i := 1; i < n; i++ {
		want := float64(s.progress[s.generation].Rows) * float64(i-1) / float64(n-1)
		off := func(g int) float64 { return math.Abs(float64(s.progress[g].Rows) - want) }
		chosen = append(chosen, slices.MinFunc(all, func(a, b int) int { return cmp.Compare(off(a), off(b)) }))
	}
	if n > 0 {
		chosen = append(chosen, s.generation)
	}
	return slices.Compact(chosen), nil
}
