package cli

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"tiro/arena/level"
	"tiro/env"
	"tiro/models/bundled"
	"tiro/web/host"
)

// seatable is a network that can be seated: what its players are named before ",sims=",
// and what people read.
type seatable struct {
	player, text string
	levels       bool // those of its game were rated with it
}

// addLevels adds the levels of a game, from strong to weak, spelled out, so that a game
// that is kept has the same opponent when levels are rated anew.
func (n seatable) addLevels(game string, add func(name, text string)) {
	scale, _, err := level.Find(game)
	if err != nil {
		return // and people choose among the other strengths
	}
	for i := len(scale.Levels); i > 0; i-- {
		add(n.player+","+scale.Levels[i-1].Settings(), fmt.Sprintf("%s, level %d of %d", n.text, i, len(scale.Levels)))
	}
}

// strengths are the strengths at which a network can be seated, by simulations.
var strengths = []struct {
	simulations int
	text        string
}{
	{200, "strong (200 simulations)"},
	{800, "stronger (800 simulations)"},
	{16, "medium (16 simulations)"},
	{1, "quick (no search)"},
}

// offerOf returns what can be seated in a game: some networks, of which the last one is
// also the analyst, and players without any.
func offerOf(game env.Game, networks ...seatable) host.Offer {
	name := game.Spec().Name
	offer := host.Offer{Game: name, Title: title(name)}
	for i := range game.Spec().Players {
		offer.Seats = append(offer.Seats, env.SeatName(game, env.Player(i)))
	}
	if e, ok := game.(env.Explainer); ok {
		offer.Rules = e.Rules().Text
	}
	add := func(name, text string) { offer.Players = append(offer.Players, host.Player{Name: name, Text: text}) }
	for _, n := range networks {
		for _, s := range strengths {
			add(fmt.Sprintf("%s,sims=%d", n.player, s.simulations), n.text+", "+s.text)
		}
		if n.levels {
			n.addLevels(name, add)
		}
		offer.Analyst = n.player + ",sims=64"
	}
	add("mcts:1000", "random playouts (1000)")
	if _, ok := game.New().(env.Scorer); ok && game.Spec().Players == 2 {
		add("alphabeta:2", "alpha-beta of depth 2")
	}
	add("random", "random moves")
	offer.Analyst = cmp.Or(offer.Analyst, "mcts:200")
	return offer
}

// bundledSeat returns the bundled model as something that can be seated in a game, if
// one can play it.
func (c catalog) bundledSeat(game env.Game) ([]seatable, error) {
	if _, err := c.openFor(game, bundledName); errors.Is(err, bundled.ErrNone) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return []seatable{{bundledName, "bundled network", true}}, nil
}

// bundledGames returns the game strings that bundled models were trained for, in the
// order of the games, the plain ones first.
func (c catalog) bundledGames() ([]string, error) {
	models, err := bundled.List()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range c.Table {
		for _, m := range models {
			if m.Card.Game == e.Name || strings.HasPrefix(m.Card.Game, e.Name+":") {
				names = append(names, m.Card.Game)
			}
		}
	}
	return names, nil
}

// title returns the name of a game for people.
func title(name string) string {
	base, options, _ := strings.Cut(name, ":")
	text := strings.ToUpper(base[:1]) + base[1:]
	switch base {
	case "connect4":
		text = "Connect Four"
	case "mnk":
		switch options {
		case "":
			return "Tic-tac-toe"
		case "m=15,n=15,k=5":
			return "Gomoku"
		}
		text = "k in a row"
	}
	if options != "" {
		text += " (" + strings.ReplaceAll(options, ",", ", ") + ")"
	}
	return text
}
