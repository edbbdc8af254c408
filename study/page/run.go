package page

import (
	"errors"
	"fmt"
	"io/fs"

	"tiro/configs"
	"tiro/disk"
	"tiro/env"
	"tiro/models/card"
	"tiro/net"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/selfplay"
	"tiro/study/progress"
)

// Run is a run, as read from its folder.
type Run struct {
	progress.Run               // with at least one generation
	Origins      []card.Origin // see recipe.Origins

	path       string
	text       string // content of config.yaml
	weights    *net.Weights
	generation int          // generation of the weights
	changed    []int        // generations with other settings than Config
	played     []generation // games of some generations, oldest first
}

// generation holds the games of a generation.
type generation struct {
	Number   int
	episodes []selfplay.Episode
}

// maxPlayed is the number of generations whose games are read.
const maxPlayed = 6

// Open reads the run in a folder. find finds its game, as games.New does. Open returns an
// error if the run has not completed a generation.
func Open(path string, find env.Lookup) (*Run, error) {
	place, err := rundir.Resolve(disk.OS{}, path)
	if err != nil {
		return nil, err
	}
	if place.Kind != rundir.PlaceRun {
		return nil, fmt.Errorf("%s is a %s, not a run folder", path, place.Kind)
	}
	folder := rundir.At(disk.OS{}, path)
	r := &Run{path: path}
	if r.Config, err = recipe.Read(folder); err != nil {
		return nil, err
	}
	if r.Origins, err = recipe.Origins(folder); err != nil {
		return nil, err
	}
	if r.changed, err = recipe.Changed(folder, &r.Config, card.ForkedAt(r.Origins)); err != nil {
		return nil, err
	}
	text, err := folder.ReadFile(rundir.ConfigFile, configs.MaxSize)
	if err != nil {
		return nil, err
	}
	r.text = string(text)
	if r.Game, err = find(r.Config.Game); err != nil {
		return nil, fmt.Errorf("%s: game: %w", folder.Path(rundir.ConfigFile), err)
	}
	if r.Metrics, err = folder.Metrics(); err != nil {
		return nil, err
	}
	if len(r.Metrics) == 0 {
		return nil, fmt.Errorf("%s has not completed a generation yet", path)
	}
	weights, info, err := rundir.OpenNetwork(disk.OS{}, path, find)
	if err != nil {
		return nil, err
	}
	r.weights, r.generation = weights, info.Generation
	return r, r.readGames(folder, find)
}

// readGames reads the games of the newest generation with games, and of evenly spaced earlier
// ones.
func (r *Run) readGames(folder rundir.Folder, find env.Lookup) error {
	newest, wanted := r.Metrics[len(r.Metrics)-1].Generation, -1
	for g := newest; g >= 1; g-- {
		if wanted >= 0 && g > wanted {
			continue
		}
		_, episodes, err := folder.ReadEpisodes(folder.Generation(g).Episodes(), env.Variants(r.Game, find))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		r.played = append([]generation{{g, episodes}}, r.played...)
		if len(r.played) == maxPlayed {
			return nil
		}
		wanted = g - max(1, (newest-1)/(maxPlayed-1))
	}
	return nil
}
