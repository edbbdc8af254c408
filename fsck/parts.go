package fsck

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"

	"tiro/disk"
	"tiro/env"
	"tiro/models"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/selfplay"
)

// file is a checkpoint or an episode file.
type file struct {
	name       string // relative to the run folder, slash-separated
	kind       rundir.Kind
	generation int
}

// path returns the path of a part.
func (c *checker) path(name string) string { return c.folder.Path(filepath.FromSlash(name)) }

func (c *checker) exists(name string) bool {
	_, err := c.Disk.Stat(c.path(name))
	return !errors.Is(err, fs.ErrNotExist)
}

// add adds a part, which is intact if err is nil.
func (c *checker) add(name, detail string, err error) {
	p := Part{Path: name, Status: OK, Detail: detail}
	if err != nil {
		p.Status, p.Detail = Damaged, err.Error()
	}
	switch {
	case err == nil:
	case errors.Is(err, fs.ErrNotExist) && (name == rundir.ConfigFile || name == rundir.MetricsFile):
		p.Status = Missing
	case rundir.MayBeIntact(err):
		p.Status = Unchecked
	}
	c.report.Parts = append(c.report.Parts, p)
}

// checkConfig checks the configuration and the origins of a fork or warm start.
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
	if c.exists(rundir.OriginFile) {
		c.origins, err = recipe.Origins(c.folder)
		c.add(rundir.OriginFile, fmt.Sprintf("checkpoints of other runs: %d", len(c.origins)), err)
	}
}

// list returns the checkpoints and then the episode files. It leaves out unknown names and
// unfinished files.
func (c *checker) list() (all []file, err error) {
	for _, dir := range []string{"", rundir.CheckpointsDir, rundir.EpisodesDir} {
		entries, err := c.Disk.ReadDir(c.path(dir))
		switch {
		case err != nil && dir == "":
			return nil, err
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			c.add(dir, "", err)
		}
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			switch kind, g := rundir.Identify(name); {
			case kind == rundir.Checkpoint && !c.exists(name+disk.Unfinished): // otherwise models.Store.Remove was interrupted
				c.report.Newest = max(c.report.Newest, g)
				all = append(all, file{name, kind, g})
			case kind == rundir.Episodes || kind == rundir.PartialEpisodes:
				all = append(all, file{name, kind, g})
			case (name == rundir.LockFile || name == rundir.LogFile || name == rundir.OldLogFile) && !e.Type().IsRegular():
				c.add(name, "", disk.ErrNotFile)
			}
		}
	}
	return all, nil
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
	c.checkpoints[f.generation] = saved{metrics, fingerprint}
	c.report.Checkpoint = max(c.report.Checkpoint, f.generation)
	return fmt.Sprintf("generation %d, %d parameters", f.generation, content.Weights.Parameters()), nil
}

// findGame returns the game of a checkpoint, which must be the run's game.
func (c *checker) findGame(name string) (env.Game, error) {
	if c.game == nil {
		return c.Find(name)
	}
	if own := c.game.Spec().Name; name != own {
		return nil, fmt.Errorf("the checkpoint's game is %s, but the run's is %s", name, own)
	}
	return c.game, nil
}

// checkMetrics compares metrics.jsonl with the checkpoints, once. A file that contradicts a
// checkpoint belongs to another run, and none of its lines are used. Missing lines before other
// lines are not a fault: train.Run has removed them with a warning.
func (c *checker) checkMetrics() {
	if c.lines != nil {
		return
	}
	c.lines = map[int]rundir.MetricsLine{}
	lines, err := c.folder.MetricsLines()
	if errors.Is(err, fs.ErrNotExist) && c.report.Checkpoint <= 0 {
		return // nothing was written yet
	}
	foreign := false
	for i, line := range lines {
		found, there := c.checkpoints[line.Generation]
		switch {
		case line.Err != nil:
			err = errors.Join(err, fmt.Errorf("line %d: %w", i+1, line.Err))
		case there && !line.Equal(found.metrics):
			foreign, err = true, errors.Join(err, fmt.Errorf("generation %d differs from checkpoint %[1]d: the file belongs to another run", line.Generation))
		default:
			c.lines[line.Generation] = line
		}
	}
	if foreign {
		clear(c.lines)
	}
	last := 0
	for g := range c.lines {
		last, c.report.Newest = max(last, g), max(c.report.Newest, g)
	}
	if err == nil && last < c.report.Checkpoint-1 { // a kill may come between a checkpoint and its line
		err = fmt.Errorf("the lines of generations %s are missing", rundir.Span(last+1, c.report.Checkpoint))
	}
	c.add(rundir.MetricsFile, fmt.Sprintf("generations: %d of %d", len(c.lines), last), err)
}

// checkGames checks the games of a generation, which must belong to the run. In an unfinished
// generation, the run continues after the last intact game.
func (c *checker) checkGames(f file) (string, error) {
	partial := f.kind == rundir.PartialEpisodes
	if partial && f.generation <= c.report.Checkpoint {
		return "the generation is complete; the run will remove this file", nil
	}
	find := c.Find
	if c.game != nil {
		find = env.Variants(c.game, c.Find)
	}
	h, episodes, fault := c.folder.ReadEpisodes(c.path(f.name), find)
	if fault != nil && (!partial || h == selfplay.Header{} || rundir.MayBeIntact(fault)) {
		return "", fault
	}
	want := rundir.Expected{Generation: f.generation, Seed: h.Seed, Player: func(checkpoint int) string {
		return c.checkpoints[checkpoint].fingerprint
	}}
	if c.config != nil {
		want.Seed = c.config.Seed
	}
	if line, ok := c.lines[f.generation]; ok {
		want.Metrics = &line.Metrics
	}
	if err := want.CheckHeader(h); err != nil {
		return "", err
	}
	switch {
	case fault != nil:
		return fmt.Sprintf("%d games, then truncated; the run will play the rest", len(episodes)), nil
	case partial:
		return fmt.Sprintf("%d games, replayed; the generation is unfinished", len(episodes)), nil
	}
	if err := want.CheckGames(episodes); err != nil {
		return "", err
	}
	samples := 0
	for i := range episodes {
		samples += len(episodes[i].Samples)
	}
	c.samples[f.generation] = samples
	return fmt.Sprintf("%d games, replayed", len(episodes)), nil
}
