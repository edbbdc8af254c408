package fsck

import (
	"context"
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

// file is a checkpoint or a file of games.
type file struct {
	name       string // from the run folder, with slashes
	kind       rundir.Kind
	generation int
}

// path returns the path of a part.
func (c *checker) path(name string) string { return c.folder.Path(filepath.FromSlash(name)) }

func (c *checker) exists(name string) bool {
	_, err := c.Disk.Stat(c.path(name))
	return !errors.Is(err, fs.ErrNotExist)
}

// add adds a part, which is intact unless err is set.
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

// checkAll adds files as parts, with the results of do.
func (c *checker) checkAll(ctx context.Context, files []file, do func(file) (detail string, err error)) error {
	for _, f := range files {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		detail, err := do(f)
		c.add(f.name, detail, err)
		if c.done++; c.Progress != nil {
			c.Progress(c.done, c.total)
		}
	}
	return nil
}

// checkConfig checks the configuration, and what the run continues.
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

// list returns the checkpoints and the files of games. It leaves out names that a run does
// not use, and what an interruption left unfinished.
func (c *checker) list() (checkpoints, games []file, err error) {
	for _, dir := range []string{"", rundir.CheckpointsDir, rundir.EpisodesDir} {
		entries, err := c.Disk.ReadDir(c.path(dir))
		switch {
		case err != nil && dir == "":
			return nil, nil, err
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			c.add(dir, "", err)
		}
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			switch kind, g := rundir.Identify(name); {
			case kind == rundir.Checkpoint && !c.exists(name+disk.Unfinished): // else models.Store.Remove was interrupted
				checkpoints = append(checkpoints, file{name, kind, g})
				c.newest = max(c.newest, g)
			case kind == rundir.Episodes || kind == rundir.PartialEpisodes:
				games = append(games, file{name, kind, g})
			case (name == rundir.LockFile || name == rundir.LogFile || name == rundir.OldLogFile) && !e.Type().IsRegular():
				c.add(name, "", disk.ErrNotFile)
			}
		}
	}
	return checkpoints, games, nil
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
	c.intact = max(c.intact, f.generation)
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
// checkpoint is of another run, and none of it is used. Lines that are missing in front of
// others are no fault: train.Run left them out with a warning.
func (c *checker) checkMetrics() {
	lines, err := c.folder.MetricsLines()
	if errors.Is(err, fs.ErrNotExist) && c.intact <= 0 {
		return // nothing was written yet
	}
	foreign := false
	for i, line := range lines {
		found, there := c.checkpoints[line.Generation]
		switch {
		case line.Err != nil:
			err = errors.Join(err, fmt.Errorf("line %d: %w", i+1, line.Err))
		case there && !line.Equal(found.metrics):
			foreign, err = true, errors.Join(err, fmt.Errorf("generation %d differs from checkpoint %[1]d: the file is of another run", line.Generation))
		default:
			c.lines[line.Generation] = line
		}
	}
	if foreign {
		clear(c.lines)
	}
	last := max(0, c.newestLine())
	if err == nil && last < c.intact-1 { // the last line is written after its checkpoint
		err = fmt.Errorf("the lines of generations %s are missing", rundir.Span(last+1, c.intact))
	}
	c.add(rundir.MetricsFile, fmt.Sprintf("generations: %d of %d", len(c.lines), last), err)
}

// newestLine returns the last generation with a line of metrics; -1 if there is none.
func (c *checker) newestLine() int {
	newest := -1
	for g := range c.lines {
		newest = max(newest, g)
	}
	return newest
}

// checkGames checks the games of a generation, which must be the run's. Of a generation
// under way the run continues after the last intact game.
func (c *checker) checkGames(f file) (string, error) {
	partial := f.kind == rundir.PartialEpisodes
	if partial && f.generation <= c.intact {
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
	samples := 0
	for i := range episodes {
		samples += len(episodes[i].Samples)
	}
	c.samples[f.generation] = samples
	return fmt.Sprintf("%d games, replayed", len(episodes)), nil
}

// expected describes the games of a generation, with what is known of the run. The seed is
// used if the run's is unknown.
func (c *checker) expected(generation int, seed uint64) rundir.Expected {
	want := rundir.Expected{Generation: generation, Seed: seed, Player: func(checkpoint int) string {
		return c.checkpoints[checkpoint].fingerprint
	}}
	if c.config != nil {
		want.Seed = c.config.Seed
	}
	if line, ok := c.lines[generation]; ok {
		want.Metrics = &line.Metrics
	}
	return want
}
