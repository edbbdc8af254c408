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

// games is what a checker remembers of an episode file.
type games struct {
	ok                    bool
	header                bool // it is of the run and of the generation
	games, plies, samples int
}

func (n *games) String() string {
	return fmt.Sprintf("%d games, %d plies, replayed", n.games, n.plies)
}

// checkEpisodes checks an episode file.
func (c *checker) checkEpisodes(ctx context.Context, e entry) Part {
	n := &games{}
	if known := c.games[e.generation]; known != nil && e.kind == rundir.Episodes {
		n = known
	}
	if e.kind == rundir.PartialEpisodes && e.generation <= c.newest(true) {
		return Part{Path: e.name, Status: Incomplete, Detail: "the generation is complete; the run removes it"}
	}
	err := c.readEpisodes(ctx, e, n)
	n.ok = err == nil
	p := c.result(e.name, n.String(), err)
	if e.kind == rundir.PartialEpisodes && err == nil && c.games[e.generation] != nil {
		p.Detail += "; the complete file has them too, and the run removes this one when it has learned from them"
	}
	if e.kind == rundir.PartialEpisodes && p.Status == Damaged && n.header {
		p.Status = Incomplete
		p.Detail = "the run plays the others again: " + p.Detail
	}
	if err != nil && n.games > 0 {
		p.Detail = fmt.Sprintf("after %s: %s", n, p.Detail)
	}
	return p
}

// readEpisodes reads an episode file game by game. On error n is what was read
// before the fault.
func (c *checker) readEpisodes(ctx context.Context, e entry, n *games) (err error) {
	file, err := c.Disk.Open(c.path(e.name))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	reader, err := selfplay.OpenReader(bufio.NewReaderSize(file, 1<<16), c.variants())
	if err != nil {
		return err
	}
	defer reader.Close()
	if err := c.checkHeader(e.generation, reader.Header()); err != nil {
		return err
	}
	n.header = true
	metrics, known := c.metrics.lines[e.generation]
	digest := selfplay.NewDigest()
	for before := -1; ; {
		game, err := reader.Next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = errors.Join(ctx.Err(), digest.Add(&game), rundir.CheckOrder(e.name, before, game.Game))
			before = game.Game
		}
		if err == nil && known && game.Game >= metrics.Games {
			err = fmt.Errorf("game %d; want 0 to %d", game.Game, metrics.Games-1)
		}
		if err != nil {
			return err
		}
		n.games++
		n.plies += len(game.Actions)
		n.samples += len(game.Samples)
	}
	if known && e.kind == rundir.Episodes {
		return metrics.CheckGames(n.games, digest.Sum())
	}
	return nil
}

// checkHeader returns an error if a header is not of the games of a generation,
// as far as the run is known.
func (c *checker) checkHeader(generation int, h selfplay.Header) error {
	switch {
	case generation >= 0 && h.Generation != generation:
		return fmt.Errorf("the games are of generation %d; want %d", h.Generation, generation)
	case c.config != nil && h.Seed != c.config.Seed:
		return fmt.Errorf("the games are of a run with seed %d; this one has %d", h.Seed, c.config.Seed)
	}
	var metrics *rundir.Metrics
	if line, ok := c.metrics.lines[generation]; ok {
		metrics = &line.Metrics
	}
	return rundir.CheckPlayer(h.Net, generation, metrics, func(checkpoint int) string {
		if found := c.checkpoints[checkpoint]; found != nil && found.ok {
			return found.player
		}
		return ""
	})
}
