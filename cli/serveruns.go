package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"tiro/disk"
	"tiro/env"
	"tiro/models/bundled"
	"tiro/rundir"
	"tiro/web/host"
)

// servedNetworks are the networks that tiro serve seats, and the folders that it watches.
type servedNetworks struct {
	catalog
	watched []string
	seated  []host.Network
}

// networks returns what the flags --run name. Of runs that are not there yet, notes says
// so. If a game is named, a network that cannot play it is refused.
func (o *serveOptions) networks(notes io.Writer, game string) (s servedNetworks, err error) {
	s.catalog = o.catalog
	for _, name := range o.runs {
		path, err := systemPath(name)
		if err != nil {
			return s, err
		}
		place, err := rundir.Resolve(disk.OS{}, path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			fmt.Fprintf(notes, "%s is not there yet; its page waits for it\n", name)
			s.watched, err = append(s.watched, path), nil
		case err != nil:
			if err = s.addRuns(path, err); err == nil {
				s.watched = append(s.watched, path)
			}
		default:
			err = s.addNamed(name, place, game)
		}
		if err != nil {
			return s, err
		}
	}
	return s, nil
}

// addRuns adds the networks of the runs in a folder, as far as they can be read. If it
// holds something, but no runs, the error is fault.
func (s *servedNetworks) addRuns(path string, fault error) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return fault
	}
	found := len(entries) == 0
	for _, e := range entries {
		place, err := rundir.Resolve(disk.OS{}, filepath.Join(path, e.Name()))
		if err != nil || place.Kind != rundir.PlaceRun {
			continue
		}
		found = true
		if n, err := s.openNetwork(place.Path, ""); err == nil {
			s.seat(place.Path, n)
		}
	}
	if !found {
		return fault
	}
	return nil
}

// seat adds a network.
func (s *servedNetworks) seat(name string, n network) {
	s.seated = append(s.seated, host.Network{Path: name, Text: "network of " + name, Spec: n.weights.Spec})
}

// addNamed adds a network that was named itself, which must be readable and, if a game
// is named, play it. A run that has no network yet is watched only.
func (s *servedNetworks) addNamed(name string, place rundir.Place, game string) error {
	if place.Kind == rundir.PlaceRun {
		s.watched = append(s.watched, place.Path)
		if place.Generation < 0 {
			return nil
		}
	}
	n, err := s.openNetwork(name, "")
	if err == nil && game != "" {
		var wanted env.Game
		if wanted, err = s.newGame(game); err == nil {
			n, err = s.openFor(wanted, name)
		}
	}
	if err == nil {
		s.seat(name, n)
	}
	return err
}

// offer returns what can be seated in a game.
func (s *servedNetworks) offer(game env.Game) (host.Offer, error) {
	networks := s.seated
	own, err := s.openFor(game, bundledName)
	switch {
	case err == nil:
		networks = append(slices.Clone(networks), bundledNetwork(own))
	case !errors.Is(err, bundled.ErrNone):
		return host.Offer{}, err
	}
	return host.NewOffer(game, s.Title(game.Spec().Name), networks...), nil
}

// bundledNetwork returns a bundled model to be seated.
func bundledNetwork(n network) host.Network {
	return host.Network{Path: bundledName, Text: "Tiro", Spec: n.weights.Spec, Levels: true}
}
