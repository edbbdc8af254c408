package recipe

import (
	"cmp"
	"errors"
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
	var runs []Config // of the origins, then of the run itself
	for _, o := range origins {
		c, err := OriginConfig(o)
		if err != nil {
			return nil, "", err
		}
		runs = append(runs, c)
	}
	runs = append(runs, config)
	for i := range runs {
		runs[i] = runs[i].Untimed()
	}
	taken := map[string]bool{}
	for i, c := range runs {
		end := generation
		if i < len(origins) {
			end = origins[i].Generation
		}
		game, err := find(c.Game)
		if err != nil {
			return nil, "", err
		}
		from := folder
		for folder = DefaultFolder(game); taken[folder]; {
			folder += "-fork"
		}
		taken[folder] = true
		given := c.GivenGames
		c.GivenGames = GivenGames{}
		words, forks := []string{"tiro", "train", c.Game}, i > 0 || given.Generation > 0
		if forks {
			words = []string{"tiro", "fork", cmp.Or(from, c.Game), "--run", folder}
		}
		var old Config
		if i > 0 {
			old = runs[i-1]
		} else if old, err = Shipped(c.Game); err != nil {
			return nil, "", err
		}
		if i > 0 && old.GivenGames == given && origins[i-1].Network == nil { // inherited from the parent
			given = GivenGames{}
		}
		old.GivenGames = GivenGames{}
		if given.Generation > 0 {
			words = append(words, "--games", given.File)
		}
		if i > 0 && origins[i-1].Network != nil {
			words = append(words, "--network-only")
			if old, err = WarmConfig(origins[:i]); err != nil {
				return nil, "", err
			}
			old = old.Untimed()
		}
		for _, change := range configs.Assignments(&old, &c) {
			words = append(words, "--set", change)
		}
		if forks {
			commands = append(commands, ShellLine(words...))
			words = []string{"tiro", "train", "--run", folder}
		}
		commands = append(commands, ShellLine(append(words, "--generations", strconv.Itoa(end))...))
	}
	return commands, folder, nil
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
