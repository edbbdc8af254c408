package study

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"tiro/env"
	"tiro/recipe"
	"tiro/replay"
	"tiro/selfplay"
)

// Window holds the games of a run for fits: the games in the replay window of one of its
// checkpoints, and older ones while there are episode files.
type Window struct {
	*Origin
	games []played // newest first
	sum   string   // checksum of all games
	file  string   // name of the file of the games; "" if they are a run's
}

// played is a game of a generation.
type played struct {
	generation int
	episode    selfplay.Episode
}

// OpenWindow reads the window of the checkpoint at path, as for OpenOrigin. The configuration
// of a run with a limit of the CPU time becomes one without.
func OpenWindow(path string, find env.Lookup) (w *Window, err error) {
	err = follow(path, find, func(from *Origin) error {
		w = &Window{Origin: from}
		w.Config = w.Config.Untimed()
		if err := w.readState(); err != nil {
			return err
		}
		return w.read()
	})
	return w, err
}

// GivenWindow returns a window of imported games, with the configuration of a run.
func GivenWindow(game env.Game, config recipe.Config, g *recipe.Given) (*Window, error) {
	w := &Window{Origin: &Origin{Game: game, Config: config.Untimed()}, file: g.File}
	newest := slices.Clone(g.Episodes)
	slices.Reverse(newest)
	for _, e := range newest {
		w.games = append(w.games, played{0, e})
		w.State.Samples += len(e.Samples)
	}
	var err error
	w.sum, err = selfplay.Sum(newest)
	return w, err
}

// Games returns the number of games.
func (w *Window) Games() int { return len(w.games) }

// title describes the games.
func (w *Window) title() string {
	if w.file != "" {
		return "games of " + w.file
	}
	return fmt.Sprintf("window of generation %d", w.Generation)
}

// read reads the games up to the generation, as far back as there are files. The games of the
// checkpoint's own replay window must exist.
func (w *Window) read() error {
	folder, digest := w.folder, sha256.New()
	missing := w.State.Samples - w.State.EvictedSamples // samples of the window
	for g := w.Generation; g > 0; g-- {
		header, episodes, err := folder.ReadEpisodes(folder.Generation(g).Episodes(), env.Variants(w.Game, w.find))
		if errors.Is(err, fs.ErrNotExist) && missing <= 0 {
			break
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("the games of generation %d are not kept: use a newer checkpoint: %w", g, err)
		}
		if err != nil {
			return fmt.Errorf("the window of generation %d: %w", w.Generation, err)
		}
		if header.Generation != g {
			return fmt.Errorf("%s holds the games of generation %d", folder.Generation(g).Episodes(), header.Generation)
		}
		slices.Reverse(episodes)
		sum, err := selfplay.Sum(episodes)
		if err != nil {
			return err
		}
		for _, e := range episodes {
			w.games = append(w.games, played{g, e})
			missing -= len(e.Samples)
		}
		fmt.Fprintln(digest, g, sum)
	}
	if len(w.games) == 0 {
		return fmt.Errorf("%s: no games were played before checkpoint %d; use a later one", folder.Path(), w.Generation)
	}
	w.sum = hex.EncodeToString(digest.Sum(nil))
	return nil
}

// drawHoldOut is the purpose of the random draws of held-out games: the last key of their
// generators.
const drawHoldOut = 64

// heldOut reports whether a game is held out. The given fraction of all games is. The choice
// depends only on the run, so that it is the same for every window and every variant.
func (w *Window) heldOut(p *played, part float64) bool {
	return env.NewRand(w.Config.Seed, uint64(p.generation), uint64(p.episode.Game), drawHoldOut).Float64() < part
}

// split returns the games of the window with the given settings, oldest first: the training
// games and the held-out games.
func (w *Window) split(c replay.Config, part float64) (training, heldOut []selfplay.Episode) {
	want, samples := c.Size(w.State.Samples), 0
	n := 0
	for ; n < len(w.games) && samples < want; n++ {
		samples += len(w.games[n].episode.Samples)
	}
	for i := n - 1; i >= 0; i-- {
		if p := &w.games[i]; w.heldOut(p, part) {
			heldOut = append(heldOut, p.episode)
		} else {
			training = append(training, p.episode)
		}
	}
	return training, heldOut
}

func samplesOf(games []selfplay.Episode) (n int) {
	for i := range games {
		n += len(games[i].Samples)
	}
	return n
}
