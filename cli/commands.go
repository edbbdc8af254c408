package cli

import (
	"regexp"
	"strconv"
	"strings"

	"tiro/configs"
	"tiro/disk"
	"tiro/env"
	"tiro/recipe"
	"tiro/rundir"
)

// trainLine returns the command that trains a network with a configuration.
func trainLine(config recipe.Config, generation int) (string, error) {
	shipped, err := shippedConfig(config.Game)
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
	return shellLine(append(words, "--generations", strconv.Itoa(generation))...), nil
}

// plainWord matches the words that mean themselves to a shell.
var plainWord = regexp.MustCompile(`^[\w+=:,./@%-]+$`)

// shellLine returns words as a shell reads them.
func shellLine(words ...string) string {
	for i, word := range words {
		if !plainWord.MatchString(word) {
			words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// originOf says where a network comes from: the commands that train it, if they are
// known, but no path of this machine.
func (c catalog) originOf(game env.Game, n network, path string) (string, error) {
	if isBundled(path) {
		return n.String(), nil
	}
	place, err := rundir.Resolve(disk.OS{}, path)
	if err != nil || place.Run == "" {
		return "a weights file for " + game.Spec().Name, err
	}
	folder := rundir.At(disk.OS{}, place.Run)
	config, err := recipe.Read(folder)
	if err != nil {
		return "", err
	}
	origins, err := recipe.Origins(folder)
	if err != nil {
		return "", err
	}
	commands, _, err := c.lineage(origins, config, place.Generation)
	return strings.Join(commands, " && "), err
}
