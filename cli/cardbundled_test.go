package cli

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/models"
	"tiro/models/bundled"
	"tiro/models/card"
	"tiro/recipe"
	"tiro/rundir"
)

var update = flag.Bool("update", false, "rewrite the help pages, and the bundled cards whose commands are outdated")

// TestCommandsOfBundledModels: the commands on a card, which change settings of the shipped
// configuration, still result in the configuration of the network's training.
func TestCommandsOfBundledModels(t *testing.T) {
	all, err := bundled.List()
	require.NoError(t, err)
	for _, m := range all {
		t.Run(m.Card.Game, func(t *testing.T) {
			c := withCommands(t, m.Card)
			if *update && !slices.Equal(c.Commands, m.Card.Commands) {
				writeCard(t, filepath.Join("../models/bundled", models.Folder(c.Game)), c)
				return
			}
			require.Equal(t, c.Commands, m.Card.Commands,
				"the configuration that comes with the program has changed; rate the run again, or run this test with -update")
		})
	}
}

// withCommands returns the card with the commands that train its network from the current
// shipped configurations.
func withCommands(t *testing.T, c card.Card) card.Card {
	run := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(run, "config.yaml"), []byte(c.Config), 0o666))
	config, err := recipe.Read(rundir.At(disk.OS{}, run))
	require.NoError(t, err, "this program can no longer train the network; train another one")
	config.Game = c.Game
	commands, _, err := recipe.Lineage(shippedGames.New, c.Origins, config, c.Generation)
	require.NoError(t, err)
	require.NotEmpty(t, c.Commands)
	c.Commands = append(commands, c.Commands[len(c.Commands)-1])
	return c
}

// writeCard writes card.json and card.md into a folder.
func writeCard(t *testing.T, folder string, c card.Card) {
	var text bytes.Buffer
	require.NoError(t, c.Write(&text))
	require.NoError(t, os.WriteFile(filepath.Join(folder, card.File), text.Bytes(), 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(folder, card.MarkdownFile), []byte(c.Markdown()), 0o666))
}
