package web

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"tiro/disk"
	"tiro/env"
	"tiro/models/bundled"
	"tiro/networks"
	"tiro/player"
	"tiro/rundir"
	"tiro/web/host"
)

// Seats holds the networks that can play, and the watched folders.
type Seats struct {
	Games   env.Table
	Find    env.Lookup
	Watched []string

	networks []host.Network
}

// Add adds the run, folder of runs, checkpoint or weights file with the given name. A run
// that does not exist yet, or has no network, is only watched. The network must be able to
// play game, unless that is nil. Add ignores unreadable networks in a folder of runs.
func (s *Seats) Add(name string, game env.Game) (there bool, err error) {
	place, err := rundir.Resolve(disk.OS{}, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		path, err := disk.Path(name)
		s.Watched = append(s.Watched, path)
		return false, err
	case err != nil:
		runs, empty := rundir.Runs(disk.OS{}, name)
		if len(runs) == 0 && !empty {
			return true, err
		}
		s.Watched = append(s.Watched, name)
		for _, run := range runs {
			if n, err := networks.Open(run, "", s.Find); err == nil {
				s.seat(run, n)
			}
		}
		return true, nil
	case place.Kind == rundir.PlaceRun:
		if s.Watched = append(s.Watched, place.Path); place.Generation < 0 {
			return true, nil
		}
	}
	var n networks.Network
	if game != nil {
		n, err = networks.OpenFor(game, name, s.Find)
	} else {
		n, err = networks.Open(name, "", s.Find)
	}
	if err == nil {
		s.seat(name, n)
	}
	return true, err
}

func (s *Seats) seat(name string, n networks.Network) {
	s.networks = append(s.networks, host.Network{Path: name, Text: "network of " + name, Spec: n.Weights.Spec})
}

// Offered returns the game strings that a server offers by default: the games of networks,
// then each game, the game strings of bundled models, and the aliases.
func (s *Seats) Offered() ([]string, error) {
	trained, err := bundled.Games(s.Games)
	var names []string
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, n := range s.networks {
		add(n.Spec.Name)
	}
	for _, e := range s.Games {
		add(e.Name)
		for _, name := range trained {
			if strings.HasPrefix(name, e.Name+":") {
				add(name)
			}
		}
		for _, a := range e.Aliases {
			add(a.Game)
		}
	}
	return names, err
}

// Offer returns the players of a game.
func (s *Seats) Offer(game env.Game) (host.Offer, error) {
	seated, name := s.networks, game.Spec().Name
	own, err := networks.OpenFor(game, networks.Bundled, s.Find)
	switch {
	case err == nil:
		seated = append(slices.Clone(seated), bundledSeat(own))
	case !errors.Is(err, bundled.ErrNone):
		return host.Offer{}, err
	}
	return host.NewOffer(game, s.Games.Title(name), seated...), nil
}

// bundledSeat returns a bundled model as a network for seats.
func bundledSeat(n networks.Network) host.Network {
	return host.Network{Path: networks.Bundled, Text: "Tiro", Spec: n.Weights.Spec, Levels: true}
}

// Players returns a function for Options.Player that calls open once for each player of a game,
// and again if the player's run has a newer network. If that fails, the player keeps its network.
func Players(open func(game env.Game, name string) (player.Factory, error)) func(env.Game, string) (player.Factory, error) {
	type opened struct {
		player.Factory
		network string
	}
	var mu sync.Mutex
	kept := map[[2]string]opened{}
	return func(game env.Game, name string) (player.Factory, error) {
		key, path := [2]string{game.Spec().Name, name}, newest(name) // which may wait for a slow disk
		mu.Lock()
		defer mu.Unlock()
		last, ok := kept[key]
		if ok && path == last.network {
			return last.Factory, nil
		}
		f, err := open(game, name)
		switch {
		case err == nil:
			kept[key] = opened{f, path}
		case ok:
			return last.Factory, nil
		}
		return f, err
	}
}

// newest returns the path of a player's network, "" if it has none in a folder or file.
func newest(name string) (path string) {
	s, _ := player.Parse(name, 1) // without a network if it is faulty
	if place, err := rundir.Resolve(disk.OS{}, s.Network); err == nil {
		path, _ = place.Network()
	}
	return path
}

// SiteGames returns the games of a static page with the named network, or with all bundled
// models if the name is networks.Bundled.
func SiteGames(name string, games env.Table, find env.Lookup) (all []SiteGame, err error) {
	names := []string{name}
	if name == networks.Bundled {
		if names, err = bundled.Games(games); err != nil {
			return nil, err
		}
		for i := range names {
			names[i] = networks.Bundled + ":" + names[i]
		}
	}
	for _, name := range names {
		n, err := networks.Open(name, "", find)
		if err != nil {
			return nil, err
		}
		spec := n.Weights.Spec
		game, err := games.New(spec.Name)
		if err != nil {
			return nil, err
		}
		seat := host.Network{Path: spec.Name, Text: "network", Spec: spec}
		if networks.IsBundled(name) {
			seat = bundledSeat(n)
		}
		var weights bytes.Buffer
		if err := n.Weights.Write(&weights); err != nil {
			return nil, err
		}
		all = append(all, SiteGame{Offer: host.NewOffer(game, games.Title(spec.Name), seat), Network: seat.Path, Weights: weights.Bytes()})
	}
	return all, nil
}
