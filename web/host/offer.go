package host

import (
	"cmp"
	"fmt"
	"slices"

	"tiro/env"
	"tiro/player"
)

// Player is a player that can take a seat.
type Player struct {
	Name string `json:"name"` // description for tiro match, such as "bundled,sims=200"
	Text string `json:"text"` // text of the page
}

// Offer is a game with its players.
type Offer struct {
	Game    string   `json:"game"`  // game string
	Title   string   `json:"title"` // title of the page
	Seats   []string `json:"seats"` // names of the seats
	Players []Player `json:"players"`
	Rules   string   `json:"rules"`

	// Analyst is the player that evaluates every position and gives hints. It must be a
	// player that searches, or "" for none.
	Analyst string `json:"analyst"`
}

// Network is a network that can be seated.
type Network struct {
	Path   string   // as in player.Spec.Network
	Text   string   // text of the page
	Spec   env.Spec // game that it was trained for
	Levels bool     // whether the levels of its game were rated with it
}

// player returns the description of a player that searches with the network.
func (n Network) player(simulations int, temperature float64) string {
	s := player.Spec{Kind: player.Net, Network: n.Path, Search: player.NetworkConfig(simulations), Temperature: temperature}
	s.Budget.Simulations = simulations
	if n.Path == player.Bundled {
		return s.Label()
	}
	return s.String()
}

// strength is a playing strength of a network, in simulations.
type strength struct {
	simulations int
	text        string
}

// strengths are offered for every network, the first two above its levels.
var strengths = []strength{
	{200, "full strength (200 simulations)"},
	{800, "full strength, slow (800 simulations)"},
	{16, "16 simulations"},
	{1, "instant (no search)"},
}

// NewOffer returns a game with its players: the networks that can play it, the last of which
// is also the analyst, and players without a network.
func NewOffer(game env.Game, title string, networks ...Network) Offer {
	spec := game.Spec()
	o := Offer{Game: spec.Name, Title: title, Seats: env.SeatNames(game)}
	if e, ok := game.(env.Explainer); ok {
		o.Rules = e.Rules().Text
	}
	for _, n := range networks {
		if spec.CheckNetwork(n.Spec) == nil {
			o.addNetwork(n)
		}
	}
	o.add("mcts:1000", "random playouts (1000)")
	if _, ok := game.New().(env.Scorer); ok && spec.Players == 2 {
		o.add("alphabeta:2", "alpha-beta of depth 2")
	}
	o.add("random", "random moves")
	o.Analyst = cmp.Or(o.Analyst, "mcts:200")
	return o
}

// has reports whether a player is offered.
func (o *Offer) has(name string) bool {
	return slices.ContainsFunc(o.Players, func(p Player) bool { return p.Name == name })
}

// had reports whether a player of a saved game is offered, or is an offered network with other
// settings, as levels have before they are rated again.
func (o *Offer) had(name string) bool {
	network := func(name string) string {
		s, _ := player.Parse(name, 1) // without a network if it is faulty
		return s.Network
	}
	saved := network(name)
	return o.has(name) || saved != "" && slices.ContainsFunc(o.Players, func(p Player) bool { return network(p.Name) == saved })
}

func (o *Offer) add(name, text string) { o.Players = append(o.Players, Player{name, text}) }

// addNetwork adds a network at full strength, at its levels from weak to strong, and with
// little search. The names of levels contain their settings, so that a saved game keeps its
// opponent when the levels are rated again.
func (o *Offer) addNetwork(n Network) {
	scale, _, err := player.FindScale(o.Game)
	add := func(from []strength) {
		for _, s := range from {
			o.add(n.player(s.simulations, 0), n.Text+", "+s.text)
		}
	}
	add(strengths[:2])
	for i := 0; n.Levels && err == nil && i < len(scale.Levels); i++ {
		l, note := scale.Levels[i], map[int]string{0: ", the weakest", len(scale.Levels) - 1: ", the strongest"}[i]
		o.add(n.player(l.Simulations, l.Temperature), fmt.Sprintf("%s, level %d%s", n.Text, i+1, note))
	}
	add(strengths[2:])
	o.Analyst = n.player(64, 0)
}
