package fsck

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"

	"tiro/disk"
	"tiro/env"
	"tiro/models"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/selfplay"
)

// verify checks the run folder. Metrics are read before the folder is listed, since a
// run writes games, checkpoint and metrics of a generation in this order.
func (c *checker) verify(ctx context.Context) error {
	if place, err := rundir.Resolve(c.Disk, c.Path); err != nil {
		return err
	} else if place.Kind != rundir.PlaceRun {
		return errors.New("want a run folder")
	}
	c.report.Training = c.training()
	c.checkConfig()
	if c.exists(rundir.OriginFile) {
		var err error
		c.origins, err = recipe.Origins(c.folder)
		c.add(rundir.OriginFile, fmt.Sprintf("checkpoints of other runs: %d", len(c.origins)), err)
	}
	lines, linesErr := c.folder.MetricsLines()
	files, err := c.list()
	if err != nil {
		return err
	}
	c.total = len(files)
	for _, f := range files {
		if f.kind == rundir.Checkpoint {
			if err := c.check(ctx, f.name, func() (string, error) { return c.checkCheckpoint(f) }); err != nil {
				return err
			}
		}
	}
	c.checkMetrics(lines, linesErr)
	for _, f := range files {
		if f.kind != rundir.Checkpoint {
			if err := c.check(ctx, f.name, func() (string, error) { return c.checkGames(f) }); err != nil {
				return err
			}
		}
	}
	if c.report.Checked() {
		c.plan()
	}
	c.allowForTraining()
	return nil
}

// training reports whether a process trains in the folder. To find out, it takes
// the lock for an instant, if there is one.
func (c *checker) training() bool {
	info, err := c.Disk.Stat(c.path(rundir.LockFile))
	if c.lock != nil || err != nil || !info.Mode().IsRegular() {
		return false
	}
	lock, err := c.folder.Lock()
	if err == nil {
		_ = lock.Close()
	}
	return errors.Is(err, rundir.ErrInUse)
}

// allowForTraining removes from the report of a run in training the parts that came
// and went.
func (c *checker) allowForTraining() {
	now, _ := c.folder.Store(env.Spec{}).List()
	wentOn := len(now) > 0 && now[len(now)-1] > c.newest(false)
	c.report.Training = c.report.Training || wentOn || c.training()
	if c.report.Training {
		c.report.Parts = slices.DeleteFunc(c.report.Parts, func(p Part) bool { return p.Status != OK && !c.exists(p.Path) })
	}
}

func (c *checker) checkConfig() {
	config, err := recipe.Read(c.folder)
	if err == nil {
		err = config.Validate()
	}
	if err == nil {
		c.game, err = c.Find(config.Game)
	}
	if err == nil {
		c.config = &config
	}
	c.add(rundir.ConfigFile, fmt.Sprintf("%s, seed %d", config.Game, config.Seed), err)
}

// file is a checkpoint or a file of games.
type file struct {
	name       string // from the run folder, with slashes
	kind       rundir.Kind
	generation int
}

// list returns the checkpoints and the files of games. It leaves out names that a run does
// not use, and what an interruption left unfinished.
func (c *checker) list() (files []file, err error) {
	there := map[string]bool{} // names in the run folder, links to nowhere too
	for _, dir := range []string{"", rundir.CheckpointsDir, rundir.EpisodesDir} {
		entries, err := c.Disk.ReadDir(c.path(dir))
		switch {
		case err != nil && dir == "":
			return nil, err
		case err != nil && there[dir]:
			c.add(dir, "", err)
		}
		for _, e := range entries {
			there[path.Join(dir, e.Name())] = true
		}
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			kind, g := rundir.Identify(name)
			switch {
			case kind == rundir.Checkpoint && there[name+disk.Unfinished]: // being removed: see models.Store.Remove
				continue
			case kind == rundir.Checkpoint:
				c.checkpoints[g] = nil
			case kind == rundir.Episodes:
				c.games[g] = -1
			case (name == rundir.LockFile || name == rundir.LogFile || name == rundir.OldLogFile) && !e.Type().IsRegular():
				c.add(name, "", disk.ErrNotFile)
			}
			if kind == rundir.Checkpoint || kind == rundir.Episodes || kind == rundir.PartialEpisodes {
				files = append(files, file{name, kind, g})
			}
		}
	}
	return files, nil
}

func (c *checker) checkCheckpoint(f file) (string, error) {
	content, _, err := models.Read(c.Disk, c.path(f.name), c.findGame)
	if err != nil {
		return "", err
	}
	if err := c.config.CheckOptimizer(content.Weights, content.Optimizer); err != nil {
		return "", fmt.Errorf("%s, with %s: %w", models.OptimizerFile, rundir.ConfigFile, err)
	}
	_, metrics, err := rundir.ReadCheckpoint(content)
	if err != nil {
		return "", err
	}
	fingerprint, err := rundir.Fingerprint(content.Weights)
	if err != nil {
		return "", err
	}
	c.checkpoints[f.generation] = &saved{metrics, fingerprint}
	return fmt.Sprintf("generation %d, %d parameters", f.generation, content.Weights.Parameters()), nil
}

// findGame returns the game of a checkpoint, which must be the run's.
func (c *checker) findGame(name string) (env.Game, error) {
	if c.game == nil {
		return c.Find(name)
	}
	if own := c.game.Spec().Name; name != own {
		return nil, fmt.Errorf("it is of %s; the run is of %s", name, own)
	}
	return c.game, nil
}

// checkMetrics compares metrics.jsonl with the checkpoints. A file that contradicts a
// checkpoint is of another run, and none of it is used.
func (c *checker) checkMetrics(lines []rundir.MetricsLine, err error) {
	newest := c.newest(true)
	if errors.Is(err, fs.ErrNotExist) && newest <= 0 {
		return // nothing was written yet
	}
	for i, line := range lines {
		if line.Err != nil {
			err = errors.Join(err, fmt.Errorf("line %d: %w", i+1, line.Err))
			continue
		}
		c.lines[line.Generation] = line
	}
	for _, g := range slices.Sorted(maps.Keys(c.lines)) {
		if found := c.checkpoints[g]; found != nil && !c.lines[g].Equal(found.metrics) {
			err = errors.Join(err, fmt.Errorf("generation %d is not that of checkpoint %d: the file is of another run", g, g))
			clear(c.lines)
		}
	}
	var without []int
	for g := 1; g < c.newestLine() || g < newest && !c.report.Training; g++ { // the last line is written after its checkpoint
		if _, ok := c.lines[g]; !ok {
			without = append(without, g)
		}
	}
	if err == nil && len(without) > 0 {
		text := "the lines of generations " + rundir.Ranges(without) + " are missing"
		if c.exists(rundir.DamagedDir + "/" + rundir.MetricsFile) {
			c.missing(rundir.MetricsFile, text)
			return
		}
		err = errors.New(text)
	}
	c.add(rundir.MetricsFile, fmt.Sprintf("generations: %d", len(c.lines)), err)
}

// newestLine returns the last generation with a line of metrics; -1 if there is none.
func (c *checker) newestLine() int {
	newest := -1
	for g := range c.lines {
		newest = max(newest, g)
	}
	return newest
}

// newest returns the newest checkpoint, or the newest intact one; -1 if there is none.
func (c *checker) newest(intact bool) int {
	newest := -1
	for g, found := range c.checkpoints {
		if found != nil || !intact {
			newest = max(newest, g)
		}
	}
	return newest
}

// checkGames checks the games of a generation, which must be the run's. Of a generation
// under way the run continues after the last intact game.
func (c *checker) checkGames(f file) (string, error) {
	partial := f.kind == rundir.PartialEpisodes
	if partial && f.generation <= c.newest(true) {
		return "the generation is complete; the run removes this file", nil
	}
	find := c.Find
	if c.game != nil {
		find = env.Variants(c.game, c.Find)
	}
	h, episodes, fault := c.folder.ReadEpisodes(c.path(f.name), find)
	if fault != nil && (!partial || h == selfplay.Header{} || rundir.MayBeIntact(fault)) {
		return "", fault
	}
	want := c.expected(f.generation, h.Seed)
	if err := want.CheckHeader(h); err != nil {
		return "", err
	}
	switch {
	case fault != nil:
		return fmt.Sprintf("%d games, then cut off; the run plays the others again", len(episodes)), nil
	case partial:
		return fmt.Sprintf("%d games, replayed; the generation is unfinished", len(episodes)), nil
	}
	if err := want.CheckGames(episodes); err != nil {
		return "", err
	}
	c.games[f.generation] = 0
	for i := range episodes {
		c.games[f.generation] += len(episodes[i].Samples)
	}
	return fmt.Sprintf("%d games, replayed", len(episodes)), nil
}

// expected describes the games of a generation, by what is known of the run. Seed is taken if
// its seed is not.
func (c *checker) expected(generation int, seed uint64) rundir.Expected {
	want := rundir.Expected{Generation: generation, Seed: seed, Player: func(checkpoint int) string {
		if found := c.checkpoints[checkpoint]; found != nil {
			return found.fingerprint
		}
		return ""
	}}
	if c.config != nil {
		want.Seed = c.config.Seed
	}
	if line, ok := c.lines[generation]; ok {
		want.Metrics = &line.Metrics
	}
	return want
}

// plan finds out how the run would resume, and adds the parts that are missing for it.
func (c *checker) plan() {
	r, listed, newestLine := &c.report, c.newest(false), c.newestLine()
	r.Checkpoint, r.Newest = c.newest(true), max(listed, newestLine)
	if newestLine > listed {
		c.missing(path.Join(rundir.CheckpointsDir, models.FormatGeneration(newestLine)), rundir.MetricsFile+" has its line")
	}
	if len(c.origins) > 0 && listed < 0 {
		first := recipe.ForkedAt(c.origins)
		r.Newest = max(r.Newest, first)
		c.missing(path.Join(rundir.CheckpointsDir, models.FormatGeneration(first)), "the run began with it")
	}
	if r.Checkpoint < 0 {
		return
	}
	if c.config != nil {
		r.Changed, _ = recipe.Changed(c.folder, c.config, r.Checkpoint) // a damaged origin.json is a part of its own
		if len(r.Changed) > 0 {
			r.Newest = max(r.Newest, r.Changed[len(r.Changed)-1])
			r.Instead = recipe.Instead(c.folder, r.Checkpoint)
		}
	}
	samples, window := 0, c.checkpoints[r.Checkpoint].metrics.Window
	for g := r.Checkpoint; g > 0 && samples < window; g-- {
		if n, there := c.games[g]; there && n >= 0 {
			samples += n
			continue
		}
		samples += c.lines[g].Samples
		r.Lost = append(r.Lost, g)
	}
	slices.Reverse(r.Lost)
	// The games of older windows may have been removed because nothing needed them any
	// more.
	if r.Checkpoint < r.Newest && (c.config == nil || r.Checkpoint <= r.Newest-c.config.Checkpoints.Last) {
		return
	}
	for _, g := range r.Lost {
		if _, there := c.games[g]; !there {
			c.missing(path.Join(rundir.EpisodesDir, filepath.Base(c.folder.Generation(g).Episodes())), "these games belong to the replay window")
		}
	}
}
