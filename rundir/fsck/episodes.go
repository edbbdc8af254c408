package fsck

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"tiro/rundir"
	"tiro/selfplay"
)

// games is what a checker remembers of the games of a generation.
type games struct {
	ok      bool
	samples int
}

// expected is what an episode file should be. What is not known is zero.
type expected struct {
	config     *rundir.Config
	generation int             // 0: any
	player     string          // fingerprint of the weights
	metrics    *rundir.Metrics // of the generation; its configuration may have changed since
	complete   bool
}

// contents is what is read of an episode file.
type contents struct {
	header                bool // it is as expected
	games, plies, samples int
}

func (n contents) String() string {
	return fmt.Sprintf("%d games, %d plies, %d samples, replayed", n.games, n.plies, n.samples)
}

// checkEpisodes checks an episode file of a run.
func (c *checker) checkEpisodes(ctx context.Context, e entry) Part {
	if e.kind == rundir.PartialEpisodes && e.generation <= c.newest() {
		return Part{Path: e.name, Status: Incomplete, Detail: "the generation is complete; the run removes it"}
	}
	want := expected{config: c.config, generation: e.generation, complete: e.kind == rundir.Episodes}
	if before := c.checkpoints[e.generation-1]; before != nil && before.ok {
		want.player = before.player
	}
	if line, ok := c.metrics.lines[e.generation]; ok {
		want.metrics = &line.Metrics
	}
	n, err := c.readEpisodes(ctx, e.name, want)
	p := c.result(e.name, n.String(), err)
	if want.complete {
		*c.games[e.generation] = games{err == nil, n.samples}
	} else if p.Status == Damaged && n.header && !p.unreadable {
		p.Status = Incomplete
		p.Detail = "the run plays the others again: " + p.Detail
	}
	if err != nil && n.games > 0 {
		p.Detail = fmt.Sprintf("after %s: %s", n, p.Detail)
	}
	return p
}

// readEpisodes reads an episode file game by game. On error it returns what was
// read before the fault.
func (c *checker) readEpisodes(ctx context.Context, name string, want expected) (n contents, err error) {
	if !c.isFile(name) {
		return n, errors.New("want a file")
	}
	file, err := c.Disk.Open(c.path(name))
	if err != nil {
		return n, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	reader, err := selfplay.OpenReader(bufio.NewReaderSize(file, 1<<16), c.find)
	if err != nil {
		return n, err
	}
	defer reader.Close()
	if err := want.check(reader.Header()); err != nil {
		return n, err
	}
	n.header = true
	digest := selfplay.NewDigest(reader.Game())
	for {
		e, err := reader.Next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = errors.Join(ctx.Err(), digest.Add(&e))
		}
		if m := want.metrics; err == nil && m != nil && e.Game >= m.Games {
			err = fmt.Errorf("game %d; want 0 to %d", e.Game, m.Games-1)
		}
		if err != nil {
			return n, err
		}
		n.games++
		n.plies += len(e.Actions)
		n.samples += len(e.Samples)
	}
	if want.complete && want.metrics != nil {
		err = want.metrics.CheckGames(n.games, digest.Sum())
	}
	return n, err
}

// check returns an error if a header is of other games than expected.
func (w *expected) check(h selfplay.Header) error {
	switch {
	case w.generation != 0 && h.Generation != w.generation:
		return fmt.Errorf("the games are of generation %d; want %d", h.Generation, w.generation)
	case w.config != nil && h.Seed != w.config.Seed:
		return fmt.Errorf("the games are of a run with seed %d; this one has %d", h.Seed, w.config.Seed)
	case w.player != "" && h.Net != w.player:
		return fmt.Errorf("the games were played by another network (%.16q) than checkpoint %d (%q)", h.Net, w.generation-1, w.player)
	}
	return nil
}
