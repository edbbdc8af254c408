// Command ladder turns games into the frozen ladder of a game, for tiro rate:
//
//	tiro rate GAME --games 400 --error 20 --dir FOLDER PLAYER…
//	go run ./scripts/ladder -anchor mcts:200 FOLDER/games.jsonl PLAYER… >study/ladder/ladders/GAME/ladder.json
//
// The players, named as in the report of tiro rate and listed from weak to strong, become the
// references, and all complete matches between two of them become results. A network is the
// bundled model, or NAME in NAME,sims=N if its weights file is copied to NAME.safetensors beside
// ladder.json; -as FILE=NAME renames it. Remove an older ladder of the game first, because its
// references would play no games.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"

	"tiro/arena"
	"tiro/env/games"
	"tiro/format"
	"tiro/player"
	"tiro/study/ladder"
)

func main() {
	log.SetFlags(0)
	anchor := flag.String("anchor", "mcts:200", "the player whose rating is 0")
	names := map[string]string{}
	flag.Func("as", "`FILE=NAME` of a network; may be repeated", func(text string) error {
		file, name, ok := strings.Cut(text, "=")
		if names[file] = name; !ok {
			return errors.New("not of the form FILE=NAME")
		}
		return nil
	})
	flag.Parse()
	if err := run(*anchor, names, flag.Args()); err != nil {
		log.Fatal("ladder: ", err)
	}
}

func run(anchor string, names map[string]string, args []string) error {
	if len(args) < 3 {
		return errors.New("FOLDER/games.jsonl and at least two players are required")
	}
	data, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	name, err := arena.GameOf(data)
	if err != nil {
		return err
	}
	game, err := games.New(name)
	if err != nil {
		return err
	}
	matches, err := arena.ReadGames(data, game)
	if err != nil {
		return err
	}
	l, err := freeze(matches, args[1:])
	if err != nil {
		return err
	}
	anchor = rename(l, anchor, names)
	l.Game, l.GameVersion, l.Anchor = name, game.Spec().Version, anchor
	return format.EncodeJSON(os.Stdout, l)
}

// rename replaces the paths of a ladder's networks with names, and returns the new label of the
// anchor.
func rename(l *ladder.Ladder, anchor string, names map[string]string) string {
	labels := map[string]string{anchor: anchor}
	for i := range l.Players {
		p := &l.Players[i]
		before := p.Label()
		if name, ok := names[p.Network]; ok {
			p.Network = name
		}
		labels[before] = p.Label()
	}
	for i := range l.Matches {
		m := &l.Matches[i]
		m.A, m.B = labels[m.A], labels[m.B]
	}
	return labels[anchor]
}

// freeze returns the ladder of players with all complete matches between two of them.
func freeze(matches []*arena.LoggedMatch, players []string) (*ladder.Ladder, error) {
	l := &ladder.Ladder{Players: make([]player.Spec, len(players))}
	for _, m := range matches {
		if len(m.Players) != 2 || !m.Complete() {
			continue
		}
		a, b := slices.Index(players, m.Players[0].Label()), slices.Index(players, m.Players[1].Label())
		if a < 0 || b < 0 {
			continue
		}
		if l.Tiro != "" && (l.Tiro != m.Tiro || l.Backend != m.Backend || l.Opening != m.Opening) {
			return nil, fmt.Errorf("%s against %s: another program or opening than in earlier matches", players[a], players[b])
		}
		l.Tiro, l.Backend, l.Opening = m.Tiro, m.Backend, m.Opening
		l.Players[a], l.Players[b] = m.Players[0], m.Players[1]
		games := ladder.GamesOf(m.Games)
		if i := slices.IndexFunc(l.Matches, func(o ladder.Match) bool { return o.A == players[a] && o.B == players[b] }); i >= 0 {
			l.Matches[i].Games += " " + games
			continue
		}
		l.Matches = append(l.Matches, ladder.Match{A: players[a], B: players[b], Games: games})
	}
	for i, p := range l.Players {
		if p.Kind == "" {
			return nil, fmt.Errorf("%s has no complete match with another player", players[i])
		}
	}
	return l, nil
}
