package web

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"tiro/disk"
	"tiro/format"
)

// maxFile bounds the file of a game.
const maxFile = 1 << 20

// errUnknown is returned for a game that there is not.
var errUnknown = errors.New("no such game")

// path returns the file of a game.
func (s *Server) path(id string) string { return filepath.Join(s.options.Dir, id+".json") }

// keep writes a game to its file. That it cannot be is reported to the players, and
// the game goes on. g.mu must be held.
func (s *Server) keep(g *game) {
	data, err := g.file()
	if err == nil {
		err = disk.WriteFile(s.options.Disk, s.path(g.id), func(w io.Writer) error { _, err := w.Write(data); return err })
	}
	if err != nil && g.trouble == "" {
		g.trouble = fmt.Sprintf("the game is not saved: %v", err)
	}
}

// find returns a game, from memory or from its file.
func (s *Server) find(id string) (*game, error) {
	if !validID(id) {
		return nil, errUnknown
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if g, ok := s.games[id]; ok {
		s.used[id] = time.Now()
		return g, nil
	}
	g, err := s.load(id)
	if err != nil {
		return nil, err
	}
	s.admit(g)
	return g, nil
}

// load reads the file of a game.
func (s *Server) load(id string) (*game, error) {
	data, err := disk.ReadFile(s.options.Disk, s.path(id), maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errUnknown
	}
	if err != nil {
		return nil, err
	}
	var f file
	if err := format.DecodeJSON(data, header, &f); err != nil {
		return nil, fmt.Errorf("%s: %w", s.path(id), err)
	}
	g, err := s.newGame(id, f.Game, f.Seats)
	if err == nil && f.Version != g.rules.Spec().Version {
		err = fmt.Errorf("version %d of the rules; this program plays %d", f.Version, g.rules.Spec().Version)
	}
	if err == nil {
		err = g.replay(f.Moves)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.path(id), err)
	}
	if f.Resigned != nil && *f.Resigned >= 0 && int(*f.Resigned) < len(g.seats) && len(g.seats) == 2 {
		g.resigned = f.Resigned
	}
	return g, nil
}

// admit puts a game into memory. If there are too many, the one that was looked at
// longest ago leaves it, unless somebody watches it. s.mu must be held.
func (s *Server) admit(g *game) {
	s.games[g.id], s.used[g.id] = g, time.Now()
	for len(s.games) > s.options.MaxGames {
		oldest := ""
		for id, other := range s.games {
			if id == g.id || oldest != "" && !s.used[id].Before(s.used[oldest]) {
				continue
			}
			if other.mu.TryLock() {
				free := !other.busy && len(other.watchers) == 0
				other.mu.Unlock()
				if free {
					oldest = id
				}
			}
		}
		if oldest == "" {
			return
		}
		delete(s.games, oldest)
		delete(s.used, oldest)
	}
}
