package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"tiro/arena"
	"tiro/disk"
	"tiro/env"
	"tiro/format"
	"tiro/models"
	"tiro/models/bundled"
	"tiro/models/card"
	"tiro/net"
)

// matches are the finished matches of an ablation, so that none is played twice.
type matches struct {
	format.Header
	Matches []finished `json:"matches"`
}

// ablationMatchesHeader is the kind of file that matches make.
var ablationMatchesHeader = format.Header{Format: 1, What: "tiro ablation matches"}

// maxMatches bounds that file, in bytes: some hundred thousand matches.
const maxMatches = 1 << 26

// finished is a match that was finished: the weights are the variant's, the
// opponent the base's.
type finished struct {
	card.Pairing
	Share   arena.Interval `json:"share"`   // the variant's, of the points
	Against float64        `json:"against"` // seats that the base takes for each of the variant's
}

// matchesFile returns the path of the file of the finished matches.
func (a *ablation) matchesFile() string { return filepath.Join(a.dir, matchesFile) }

// read reads the file at path; of none there are no matches.
func (m *matches) read(path string) error {
	data, err := disk.ReadFile(disk.OS{}, path, maxMatches)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err = format.CheckJSON(data, ablationMatchesHeader); err == nil {
		decoder := json.NewDecoder(bytes.NewReader(data))
		decoder.DisallowUnknownFields()
		err = decoder.Decode(m)
	}
	if err != nil {
		return fmt.Errorf("%s: %w; move it elsewhere, or name another --dir", path, err)
	}
	return nil
}

// find returns the match of a pairing, if it is there.
func (m *matches) find(p card.Pairing) (f finished, ok bool) {
	for _, f := range m.Matches {
		if f.Pairing == p {
			return f, true
		}
	}
	return f, false
}

// player returns the network of a run as a player, and the SHA-256 of its
// weights: that of the last generation asked for, or the newest.
func (a *ablation) player(v *variant, seed int) (maker arena.PlayerFactory, sum string, err error) {
	path := a.run(v, seed)
	if a.generations > 0 {
		path = a.store(path).Dir(a.generations)
	}
	weights, info, err := models.Open(path, func(string) (env.Game, error) { return a.game, nil })
	if err != nil {
		return nil, "", err
	}
	maker = computing{a.backend, 1}.player(a.game, net.Compile(a.backend, weights), v.Name, a.sims)
	return maker, info.Files[bundled.WeightsFile].SHA256, nil
}

// meet returns the match of a variant and the base with the same seed: one that
// is kept, or one that is played and kept.
func (a *ablation) meet(ctx context.Context, v *variant, seed int) (finished, error) {
	player, sum, err := a.player(v, seed)
	if err != nil {
		return finished{}, err
	}
	base, baseSum, err := a.player(&a.variants[0], seed)
	if err != nil {
		return finished{}, err
	}
	m, err := a.match(seed, player, base)
	if err != nil {
		return finished{}, err
	}
	rated := card.Conditions{Tiro: build(), Backend: a.backend.Name(), Simulations: a.sims, Opening: m.Opening, Seed: m.Seed}
	pairing := rated.Pairing(sum, baseSum, m.Games)
	if f, ok := a.finished.find(pairing); ok {
		return f, nil
	}
	report, err := a.play(ctx, m, fmt.Sprintf("%s against %s, seed %d", v.Name, baseName, seed))
	if err != nil {
		return finished{}, err
	}
	one, other := report.Players[0], report.Players[1]
	f := finished{Pairing: pairing, Share: one.Score, Against: float64(other.Seats) / float64(one.Seats)}
	a.finished.Header, a.finished.Matches = ablationMatchesHeader, append(a.finished.Matches, f)
	return f, saveJSON(a.matchesFile(), a.finished)
}

// play plays a match.
func (a *ablation) play(ctx context.Context, m arena.Match, what string) (arena.Report, error) {
	meter := newMeter(a.cmd.ErrOrStderr())
	meter.begin(what, "games", m.Games)
	m.Progress = func(p arena.Progress) { meter.set(p.Done, standingText(p)) }
	report, err := arena.Play(ctx, m)
	meter.end()
	if errors.Is(err, context.Canceled) {
		meter.log.Info("stopped, the finished matches are kept; the same command goes on")
	}
	return report, err
}

// match returns the match of a variant with the base of the same seed; of
// variant 0 it only says whether such matches can be played at all.
func (a *ablation) match(seed int, players ...arena.PlayerFactory) (arena.Match, error) {
	m := arena.Match{Game: a.game, Players: players, Games: a.games, Seed: uint64(seed), Workers: a.workers, Opening: a.opening}
	if len(players) == 0 {
		m.Players = []arena.PlayerFactory{arena.Random(), arena.Random()}
	}
	m.Games = m.RoundUp(m.Games)
	return m, usage(m.Validate())
}
