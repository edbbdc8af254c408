package recipe

import (
	"errors"
	"io/fs"
	"path"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"tiro/configs"
	"tiro/env"
	"tiro/models"
	"tiro/models/card"
)

// Shipped returns the configuration that comes with the program for the game of a game
// string or of an alias: NAME.yaml, or quick-NAME.yaml if there is only that. A game
// without one has the default.
func Shipped(game string) (Config, error) {
	c := Default(game)
	base, _, err := env.ParseName(game)
	if err != nil {
		return c, err
	}
	for _, file := range []string{base + ".yaml", "quick-" + base + ".yaml"} {
		text, err := configs.Files.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = c.Decode("configs/"+file, text)
		}
		c.Game = game
		return c, err
	}
	return c, nil
}

// DefaultFolder returns the run folder of a game for which none is named. Each choice of
// options has its own: runs/pacru, runs/pacru-players=3.
func DefaultFolder(game env.Game) string {
	return path.Join("runs", models.Folder(game.Spec().Name))
}

// Lineage returns the commands that train the network of a run with a configuration at a
// generation, and the folder that the last of them trains it in. The origins are the run's.
func Lineage(find env.Lookup, origins []card.Origin, config Config, generation int) (commands []string, folder string, err error) {
	var runs []Config // that of the run itself last
	for _, o := range origins {
		c, err := OriginConfig(o)
		if err != nil {
			return nil, "", err
		}
		runs = append(runs, c)
	}
	runs = append(runs, config)
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
		if i == 0 {
			first, err := trainLine(c, end)
			if err != nil {
				return nil, "", err
			}
			commands = append(commands, first)
			continue
		}
		words, old := []string{"tiro", "fork", from, "--run", folder}, runs[i-1]
		if origins[i-1].Network != nil {
			words = append(words, "--network-only")
			if old, err = WarmConfig(origins[:i]); err != nil {
				return nil, "", err
			}
		}
		changes, err := configs.Assignments(&old, &c)
		if err != nil {
			return nil, "", err
		}
		for _, change := range changes {
			words = append(words, "--set", change)
		}
		commands = append(commands, ShellLine(words...), ShellLine("tiro", "train", "--run", folder, "--generations", strconv.Itoa(end)))
	}
	return commands, folder, nil
}

// trainLine returns the command that trains a network with a configuration.
func trainLine(config Config, generation int) (string, error) {
	shipped, err := Shipped(config.Game)
	if err != nil {
		return "", err
	}
	assignments, err := configs.Assignments(&shipped, &config)
	if err != nil {
		return "", err
	}
	words := []string{"tiro", "train", config.Game}
	for _, a := range assignments {
		words = append(words, "--set", a)
	}
	return ShellLine(append(words, "--generations", strconv.Itoa(generation))...), nil
}

// plainWord matches the words that mean themselves to a shell.
var plainWord = regexp.MustCompile(`^[\w+=:,./@%-]+$`)

// ShellLine returns words as a shell of Unix reads them; see HereLine for hints.
func ShellLine(words ...string) string {
	for i, word := range words {
		if !plainWord.MatchString(word) {
			words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// HereLine returns words as the usual shell of this system reads them.
func HereLine(words ...string) string { return lineFor(runtime.GOOS, words) }

// lineFor returns words as the usual shell of a system, such as windows, reads them.
func lineFor(system string, words []string) string {
	if system != "windows" {
		return ShellLine(words...)
	}
	for i, word := range words {
		if !plainWord.MatchString(strings.ReplaceAll(word, `\`, "/")) || strings.Contains(word, "%") {
			words[i] = `"` + word + `"` // which no path holds
		}
	}
	return strings.Join(words, " ")
}
