package recipe

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"tiro/configs"
	"tiro/env"
	"tiro/models"
	"tiro/models/card"
)

// Shipped returns the built-in configuration for a game string or an alias: NAME.yaml,
// otherwise quick-NAME.yaml, otherwise the first one for this very game, otherwise the default.
func Shipped(game string) (Config, error) {
	c := Default(game)
	base, _, err := env.ParseName(game)
	if err != nil {
		return c, err
	}
	files, err := fs.Glob(configs.Files, "*.yaml")
	if err != nil {
		return c, err
	}
	named := []string{base + ".yaml", "quick-" + base + ".yaml"}
	for _, file := range slices.Concat(named, files) {
		text, err := configs.Files.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		c := Default(game)
		if err == nil {
			err = c.Decode("configs/"+file, text)
		}
		if err != nil || slices.Contains(named, file) || c.Game == game {
			c.Game = game
			return c, err
		}
	}
	return c, nil
}

// DefaultFolder returns the default run folder of a game. Games with different options have
// different folders: runs/pacru, runs/pacru-players=3.
func DefaultFolder(game env.Game) string {
	return path.Join("runs", models.Folder(game.Spec().Name))
}

// Lineage returns the commands that train the network of a run up to a generation, and the
// folder of the last command. The origins and the configuration are the run's.
func Lineage(find env.Lookup, origins []card.Origin, config Config, generation int) (commands []string, folder string, err error) {
	l := lineage{find: find, taken: map[string]bool{}}
	var parents []string
	for i, o := range origins {
		var folders []string
		for j, o := range append([]card.Origin{o}, o.Averaged...) {
			c, err := OriginConfig(o)
			if err != nil {
				return nil, "", err
			}
			folder := ""
			if j > 0 {
				folder = fmt.Sprintf("%s-%d", folders[0], j+1)
			}
			if folder, err = l.add(parents, origins[:i], folder, c, o.Generation); err != nil {
				return nil, "", err
			}
			folders = append(folders, folder)
		}
		parents = folders
	}
	folder, err = l.add(parents, origins, "", config, generation)
	return l.commands, folder, err
}

// lineage are the commands of runs.
type lineage struct {
	find     env.Lookup
	commands []string
	taken    map[string]bool // folders
}

// add adds the commands that train a run up to a generation and returns its folder, a new one if
// folder is "". The run continues the last of its origins, whose folders are parents.
func (l *lineage) add(parents []string, origins []card.Origin, folder string, c Config, generation int) (string, error) {
	game, err := l.find(c.Game)
	if err != nil {
		return "", err
	}
	if folder == "" {
		for folder = DefaultFolder(game); l.taken[folder]; {
			folder += "-fork"
		}
	}
	l.taken[folder] = true
	c = c.Untimed()
	given := c.GivenGames
	c.GivenGames = GivenGames{}
	var old Config
	warm, last := false, len(origins)-1
	if last < 0 {
		old, err = Shipped(c.Game)
	} else if warm = origins[last].Network != nil; warm {
		old, err = WarmConfig(origins)
	} else if old, err = OriginConfig(origins[last]); old.GivenGames == given { // inherited from the parent
		given = GivenGames{}
	}
	if err != nil {
		return "", err
	}
	if last >= 0 {
		old = old.Untimed()
	}
	old.GivenGames = GivenGames{}
	words, forks := []string{"tiro", "train", c.Game}, last >= 0 || given.Generation > 0
	if forks {
		words = []string{"tiro", "fork", c.Game, "--run", folder}
	}
	if last >= 0 {
		words[2] = parents[0]
		for _, other := range parents[1:] {
			words = append(words, "--average", other)
		}
	}
	if given.Generation > 0 {
		words = append(words, "--games", given.File)
	}
	if warm {
		words = append(words, "--network-only")
	}
	for _, change := range configs.Assignments(&old, &c) {
		words = append(words, "--set", change)
	}
	if forks {
		l.commands = append(l.commands, ShellLine(words...))
		words = []string{"tiro", "train", "--run", folder}
	}
	if generation > 0 || !forks {
		l.commands = append(l.commands, ShellLine(append(words, "--generations", strconv.Itoa(generation))...))
	}
	return folder, nil
}

// plainWord matches words without special characters for shells.
var plainWord = regexp.MustCompile(`^[\w+=:,./@%-]+$`)

// ShellLine quotes words for a Unix shell and joins them; see HereLine for messages.
func ShellLine(words ...string) string {
	for i, word := range words {
		if !plainWord.MatchString(word) {
			words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// HereLine quotes words for the usual shell of this system and joins them.
func HereLine(words ...string) string { return lineFor(runtime.GOOS, words) }

// lineFor quotes words for the usual shell of a system, such as windows, and joins them.
func lineFor(system string, words []string) string {
	if system != "windows" {
		return ShellLine(words...)
	}
	for i, word := range words {
		if !plainWord.MatchString(strings.ReplaceAll(word, `\`, "/")) || strings.Contains(word, "%") {
			words[i] = `"` + word + `"` // no path contains quotes
		}
	}
	return strings.Join(words, " ")
}
