package games_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/envtest"
	"tiro/env/envtest/breakthrough"
	"tiro/env/games"
)

var update = flag.Bool("update", false, "rewrite the playthroughs in testdata")

// TestPlaythroughs compares a game of every kind and of its main variants with a readable
// recording. A changed recording means changed rules, planes or notation, and its commit
// explains the change.
func TestPlaythroughs(t *testing.T) {
	for name, file := range map[string]string{
		"coerceo":                         "coerceo",
		"coerceo:win=competitive,price=1": "coerceo_competitive",
		"shacru":                          "shacru",
		"azacru":                          "azacru",
		"pacru":                           "pacru",
		"pacru:players=3":                 "pacru_3",
		"pacru:players=4":                 "pacru_4",
		"connect4":                        "connect4",
		"go:size=5":                       "go",
		"othello":                         "othello",
		"mnk":                             "mnk",
		"mnk:m=15,n=15,k=5":               "gomoku",
	} {
		t.Run(file, func(t *testing.T) {
			game, err := games.New(name)
			require.NoError(t, err)
			got, err := envtest.Playthrough(game, planesOf(game))
			require.NoError(t, err)
			file := filepath.Join("testdata", "playthrough_"+file+".txt")
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, string(want), got)
			require.Less(t, strings.Count(got, "\n"), 1500)
		})
	}
}

// TestPlaythroughOfANewGame: games without named planes can be recorded.
func TestPlaythroughOfANewGame(t *testing.T) {
	game, err := env.Table{breakthrough.Entry()}.New("breakthrough:size=5")
	require.NoError(t, err)
	text, err := envtest.Playthrough(game, planesOf(game))
	require.NoError(t, err)
	require.Contains(t, text, "plane 2 ")
}

// planesOf returns the names of a game's observation planes, as listed in its package
// comment. Planes of other games are numbered.
func planesOf(game env.Game) (names []string) {
	spec := game.Spec()
	switch name, _, _ := strings.Cut(spec.Name, ":"); name {
	case "coerceo":
		return coerceoPlanes()
	case "connect4":
		return []string{
			"the mover's stones", "the other player's stones", "cells on which a stone would come to lie", "board",
			"empty cells that make four for the mover", "empty cells that make four for the other player",
			"first, third and fifth row", "the mover began the game",
			"weighted lines open to the mover", "weighted lines open to the other player",
			"the mover wins or draws by follow-up", "the other player wins or draws by follow-up",
		}
	case "mnk":
		return []string{
			"the mover's stones", "the other player's stones", "board",
			"cells that win for the mover", "cells that win for the other player",
			"fours of the mover", "fours of the other player", "threes of the mover", "threes of the other player",
		}
	case "azacru", "pacru", "shacru":
		return pacruPlanes(name, spec.Players)
	}
	for plane := range spec.Planes {
		names = append(names, fmt.Sprintf("plane %d", plane))
	}
	return names
}

func coerceoPlanes() (names []string) {
	for _, group := range []string{
		"own pieces", "enemy pieces",
		"empty fields that an own piece can go to", "empty fields that an enemy piece could go to",
		"moves of the own piece, sixths", "moves of the enemy piece, sixths",
		"own pieces that one enemy move could capture", "enemy pieces that one own move can capture",
		"empty fields, by moves of an own piece", "empty fields, by moves of an enemy piece",
		"own pieces, by moves to enclose them", "enemy pieces, by moves to enclose them",
	} {
		fields := [...]string{"f1", "f3", "f5"}
		if strings.Contains(group, "enemy piece") && !strings.HasPrefix(group, "own") {
			fields = [...]string{"f0", "f2", "f4"}
		}
		for _, field := range fields {
			names = append(names, group+", "+field)
		}
	}
	names = append(
		names, "tiles on the board", "tiles that would leave the board if they were empty",
		"tiles that leave it if their only piece, an own one, moves", "tiles that leave it if their only piece, an enemy, moves",
		"tiles in the own hand, eighths", "tiles in the enemy's hand, eighths",
		"exchanges that the own hand pays for, quarters", "exchanges that the enemy's hand pays for, quarters",
		"pieces that the mover has to remove, eighteenths", "pieces that the enemy has to remove, eighteenths",
		"number of tiles on the board, nineteenths", "earlier occurrences of the position",
		"plies without progress, of the limit", "plies played, of the limit",
	)
	for _, side := range []string{"own", "enemy"} {
		for plane := range 18 {
			names = append(names, fmt.Sprintf("%s pieces exposed by moves of plane %d", side, plane))
		}
	}
	return names
}

func pacruPlanes(game string, players int) (names []string) {
	for _, d := range []string{"north", "northeast", "east", "southeast", "south", "southwest", "west", "northwest"} {
		names = append(names, "chevrons that face "+d)
	}
	for _, d := range []string{"north", "east", "south", "west"} {
		names = append(names, "fields at the "+d+" edge of their borderland")
	}
	names = append(names, "board", "neutral fields", "turns without a change of markers, of the limit", "turns played, of the limit")
	for p := range players {
		of := func(what string) { names = append(names, fmt.Sprintf("seat +%d: %s", p, what)) }
		of("chevrons")
		of("markers")
		of("number of markers")
		if game == "pacru" {
			of("enemy chevrons attacked, halves")
			of("not out")
		}
		of("fields that a chevron can go to")
		of("chevrons by the ways open to each, thirds")
		of("ways open in all")
		of("blocked")
		if game != "shacru" {
			of("power of movement, ninths")
		}
		if game != "pacru" {
			of("how soon a chevron could be on the field")
			of("neutral fields that he could be on first")
		}
		if game == "azacru" {
			of("fields that a connection would turn")
		}
	}
	switch game {
	case "azacru":
		names = append(names, "turns left in the final round")
	case "pacru":
		names = append(
			names, "a meeting counts in this turn", "the benefit is to be chosen", "the meeting is to be chosen",
			"a field to give back is to be chosen", "field that the chevron has left", "field that it is on",
			"fields that may be chosen", "fields of the connection", "order in which fields are given back",
			"fields still to be given back, quarters",
		)
	}
	return names
}
