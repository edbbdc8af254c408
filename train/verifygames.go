package train

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"tiro/disk"
	"tiro/env"
	"tiro/selfplay"
)

// foundGames is what Verify keeps of the games of a generation.
type foundGames struct {
	whole   bool
	summary summary
}

// verifyEpisodes checks the episode files of a run.
func (v *verifier) verifyEpisodes(ctx context.Context, all []entry) error {
	reports := make([]VerifyReport, len(all))
	found := make([]foundGames, len(all))
	err := v.parallel(ctx, len(all), func(i int) {
		found[i] = v.checkGames(ctx, &reports[i], all[i])
	})
	v.games, v.begun = map[int]*foundGames{}, map[string]bool{}
	for i, e := range all {
		if e.part {
			v.begun[e.path] = found[i].summary.header
		} else {
			v.games[e.generation] = &found[i]
		}
		v.report.Files = append(v.report.Files, reports[i].Files...)
	}
	return err
}

// checkGames checks an episode file of a run and reports on it.
func (v *verifier) checkGames(ctx context.Context, r *VerifyReport, e entry) (found foundGames) {
	want := v.wanted(e.generation)
	newest := v.newest()
	if e.part && e.generation <= newest {
		r.add(e.path, Leftover, "the generation is complete; the run removes it").generation = e.generation
		v.advance(e.bytes)
		return found
	}
	s, err := v.readGames(ctx, e.path, want, !e.part)
	found.summary = s
	if line, ok := v.told.lines[e.generation]; err == nil && ok && !e.part {
		err = s.differs(line.Metrics)
	}
	found.whole = err == nil
	switch {
	case err == nil:
		r.add(e.path, Whole, "%s", s)
	case e.part && s.header && errors.Is(err, io.ErrUnexpectedEOF):
		r.add(e.path, Torn, "%s; the game after those was cut off and is played again", s)
	case s.Games > 0:
		v.fault(r, e.path, fmt.Errorf("after %s: %w", s, trimmed(err, "selfplay: read episodes")))
	default:
		v.fault(r, e.path, trimmed(err, "selfplay: read episodes"))
	}
	r.Files[len(r.Files)-1].generation = e.generation
	return found
}

// wantedGames is what an episode file should be; what is not known is left
// out.
type wantedGames struct {
	generation int
	seed       *uint64
	player     string // fingerprint of the weights
	games      int    // 0: not known
}

// wanted returns what the games of a generation of the run should be.
func (v *verifier) wanted(generation int) wantedGames {
	w := wantedGames{generation: generation}
	if v.config != nil {
		w.seed = &v.config.Seed
	}
	if before := v.found[generation-1]; before != nil && before.whole {
		w.player = before.player
	}
	if line, ok := v.told.lines[generation]; ok { // the configuration may have changed since, or be about to
		w.games = line.Games
	}
	return w
}

// newest returns the newest checkpoint that is whole, or -1.
func (v *verifier) newest() int {
	newest := -1
	for g, c := range v.found {
		if c.whole {
			newest = max(newest, g)
		}
	}
	return newest
}

// readGames reads an episode file game by game. Whatever it returns, the
// summary is of the games before the fault.
func (v *verifier) readGames(ctx context.Context, name string, want wantedGames, all bool) (s summary, err error) {
	path := v.path(name)
	if info, err := v.Disk.Stat(path); err != nil {
		return s, err
	} else if !info.Mode().IsRegular() {
		return s, errors.New("want a file")
	}
	file, err := v.Disk.Open(path)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	reader, err := v.newReader(file)
	if err != nil {
		return s, err
	}
	defer reader.Close()
	if err := want.compare(reader.Header()); err != nil {
		return s, err
	}
	s.header = true
	for {
		e, err := reader.Next()
		if err == io.EOF {
			break
		}
		if err == nil && want.games > 0 && e.Game >= want.games {
			err = fmt.Errorf("game %d; want 0 to %d", e.Game, want.games-1)
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return s, err
		}
		s.add(reader.Game(), &e)
	}
	if all && want.games > 0 && s.Games != want.games {
		return s, fmt.Errorf("%d games; want %d", s.Games, want.games)
	}
	return s, nil
}

// compare returns an error if a header tells of other games than wanted.
func (w *wantedGames) compare(h selfplay.Header) error {
	switch {
	case w.generation != anyGeneration && h.Generation != w.generation:
		return fmt.Errorf("the games are of generation %d; want %d", h.Generation, w.generation)
	case w.seed != nil && h.Seed != *w.seed:
		return fmt.Errorf("the games are of a run with seed %d; this one has %d", h.Seed, *w.seed)
	case w.player != "" && h.Net != w.player:
		return fmt.Errorf("the games were played by another network (%.16q) than checkpoint %d (%q)", h.Net, w.generation-1, w.player)
	}
	return nil
}

// counted tells of the bytes that are read.
type counted struct {
	disk.File
	v *verifier
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.File.Read(p)
	c.v.advance(int64(n))
	return n, err
}

// newReader returns a reader of an episode file of the run's game or, if that
// is not known, of the one that the file names.
func (v *verifier) newReader(file disk.File) (*selfplay.Reader, error) {
	return selfplay.OpenReader(bufio.NewReaderSize(&counted{file, v}, 1<<16), v.find)
}

// summary is what metrics say of the games of a generation.
type summary struct {
	Metrics      // of the games; the means are sums as yet
	header  bool // it was read, and is as wanted
}

// add adds a game.
func (s *summary) add(game env.Game, e *selfplay.Episode) {
	var m Metrics
	m.describeGames(game, []selfplay.Episode{*e})
	rows := float64(m.Samples)
	if s.Games == 0 {
		s.Shortest, s.Wins = math.MaxInt, make([]int, len(m.Wins))
	}
	s.Games++
	s.Plies += m.Plies
	s.Samples += m.Samples
	s.Shortest = min(s.Shortest, m.Shortest)
	s.Longest = max(s.Longest, m.Longest)
	s.Draws += m.Draws
	for seat, n := range m.Wins {
		s.Wins[seat] += n
	}
	s.SearchKL += rows * m.SearchKL
	s.TargetEntropy += rows * m.TargetEntropy
}

// String says what the games are.
func (s summary) String() string {
	return fmt.Sprintf("%d games, %d plies, %d rows, replayed", s.Games, s.Plies, s.Samples)
}

// differs returns an error unless the games are those that m tells of.
func (s *summary) differs(m Metrics) error {
	counts := []struct {
		what      string
		got, told int
	}{
		{"games", s.Games, m.Games},
		{"plies", s.Plies, m.Plies},
		{"rows", s.Samples, m.Samples},
		{"plies of the shortest", s.Shortest, m.Shortest},
		{"plies of the longest", s.Longest, m.Longest},
		{"drawn", s.Draws, m.Draws},
	}
	for _, c := range counts {
		if c.got != c.told {
			return fmt.Errorf("they are not the games that %s tells of: %s %d; want %d", metricsFile, c.what, c.got, c.told)
		}
	}
	rows := float64(max(1, s.Samples))
	if !slices.Equal(s.Wins, m.Wins) || !near(s.SearchKL/rows, m.SearchKL) || !near(s.TargetEntropy/rows, m.TargetEntropy) {
		return fmt.Errorf("they are not the games that %s tells of: other results or searches", metricsFile)
	}
	return nil
}

// near reports whether two sums of the same numbers in different order, or on
// another machine, may be equal.
func near(x, y float64) bool { return math.Abs(x-y) <= 1e-9*math.Max(1, math.Abs(y)) }
