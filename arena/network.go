package arena

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"

	"tiro/configs"
	"tiro/env"
	"tiro/mcts"
)

// Network is a network for players.
type Network struct {
	Evaluator  func() mcts.Evaluator
	MACs       int64  // multiply-adds of an evaluation; 0: not known
	TrainedFor string // canonical game string
	SHA256     string // of its weights, hexadecimal; empty: not known

	// Write writes its weights file, for players elsewhere; nil: it stays here.
	Write func(io.Writer) error
}

// NetworkKind returns the kind of player "net:RUN_OR_FILE[,sims=N][,KEY=VALUE…]",
// which searches with NetworkConfig, changed by keys of mcts.Config, and with
// temperature=T draws its actions. Open opens the network of a name; simulations is
// the default of N. Instead of sims=N the budget may be macs=N and, with a clock,
// time=DURATION or cpu=DURATION.
func NetworkKind(simulations int, clock Clock, open func(network string) (Network, error)) PlayerKind {
	usage := "net:RUN_OR_FILE[,sims=N|macs=N" + orTime(clock) + "][,KEY=VALUE…]"
	return PlayerKind{"net", usage, func(game env.Game, args string) (PlayerFactory, error) {
		name, settings := cutSettings(args)
		if name == "" {
			return nil, errors.New("no run folder or file")
		}
		p := networkPlayer{game: game, name: "net:" + name, budget: Budget{Simulations: simulations}, clock: clock}
		if err := p.configure(settings); err != nil {
			return nil, err
		}
		var err error
		if p.network, err = open(name); err != nil {
			return nil, err
		}
		return p.factory()
	}}
}

// NamedNetwork is what the part of a player's name behind "net:" says, without a
// budget of time.
type NamedNetwork struct {
	Network  string // run folder, file or the like
	Settings string // all others, as they stand in the player's name: ",sims=64"

	// Temperature is that of a player that draws its actions, 0 for one that does not.
	Temperature float64

	budget Budget
	search mcts.Config
}

// ParseNetwork reads the part of a player's name behind "net:"; simulations is the
// default of sims=N.
func ParseNetwork(simulations int, args string) (n NamedNetwork, err error) {
	name, settings := cutSettings(args)
	if name == "" {
		return n, errors.New("no run folder or file")
	}
	p := networkPlayer{budget: Budget{Simulations: simulations}}
	if err := p.configure(settings); err != nil {
		return n, err
	}
	return NamedNetwork{name, p.name, p.temperature, p.budget, p.search}, nil
}

// Search returns how a player searches with the network, of which an evaluation
// takes so many multiply-adds.
func (n NamedNetwork) Search(macs int64) (c mcts.Config, err error) {
	c = n.search
	c.Simulations, err = n.budget.simulations(macs)
	return c, err
}

// cutSettings splits "RUN_OR_FILE,KEY=VALUE,…". Of a network that is named with its
// game's options, after a colon, only what follows the first key of a search is
// a setting.
func cutSettings(args string) (network string, settings []string) {
	network, rest, _ := strings.Cut(args, ",")
	if rest == "" {
		return network, nil
	}
	settings = strings.Split(rest, ",")
	if strings.Contains(network, ":") {
		first := slices.IndexFunc(settings, isSearchSetting)
		if first < 0 {
			first = len(settings)
		}
		network = strings.Join(append([]string{network}, settings[:first]...), ",")
		settings = settings[first:]
	}
	return network, settings
}

// isSearchSetting reports whether text sets a key of a player's search.
func isSearchSetting(text string) bool {
	key, _, _ := strings.Cut(text, "=")
	return IsBudget(text) || key == temperatureKey || configs.HasKey[mcts.Config](key)
}

// networkPlayer is a player of a NetworkKind.
type networkPlayer struct {
	game    env.Game
	name    string
	budget  Budget
	search  mcts.Config
	network Network
	clock   Clock

	temperature float64
}

// temperatureKey is the setting of a player that draws its actions.
const temperatureKey = "temperature"

// Bounds of a temperature.
const (
	minTemperature = 0.01
	maxTemperature = 100
)

// FormatTemperature returns the setting that ParseTemperature reads.
func FormatTemperature(temperature float64) string {
	return temperatureKey + "=" + strconv.FormatFloat(temperature, 'g', -1, 64)
}

// ParseTemperature reads the setting temperature=T, and reports whether text is that.
func ParseTemperature(text string) (temperature float64, is bool, err error) {
	key, value, _ := strings.Cut(text, "=")
	if key != temperatureKey {
		return 0, false, nil
	}
	temperature, err = strconv.ParseFloat(value, 64)
	if err != nil || !(temperature >= minTemperature && temperature <= maxTemperature) {
		return 0, true, fmt.Errorf("%s; want a temperature from %v to %v", text, minTemperature, maxTemperature)
	}
	return temperature, true, nil
}

// configure sets the search and the budget, and makes them part of the name.
func (p *networkPlayer) configure(settings []string) error {
	first := slices.IndexFunc(settings, IsBudget)
	if first >= 0 {
		var err error
		if p.budget, err = parseBudget(settings[first]); err != nil {
			return err
		}
	}
	if err := p.clock.check(p.budget); err != nil {
		return err
	}
	p.search = NetworkConfig(cmp.Or(p.budget.Simulations, MaxSimulations))
	p.name += "," + p.budget.String()
	given := map[string]string{} // each setting by its key
	for i, text := range settings {
		switch {
		case i == first:
			continue
		case IsBudget(text):
			return fmt.Errorf("%s and %s are two budgets; want one", settings[first], text)
		}
		key, _, _ := strings.Cut(text, "=")
		if earlier, twice := given[key]; twice {
			return fmt.Errorf("%s and %s set %s twice; want one", earlier, text, key)
		}
		given[key] = text
		if t, is, err := ParseTemperature(text); err != nil {
			return err
		} else if is {
			p.temperature = t
			p.name += "," + FormatTemperature(t)
			continue
		}
		if err := configs.Set(&p.search, text); err != nil {
			return err
		}
		p.name += "," + text
	}
	if p.budget.timed() && p.search.Root == mcts.RootGumbel {
		return fmt.Errorf("%s with root=%s, which cannot end at any time; want %s or %s", p.budget, mcts.RootGumbel, mcts.RootImproved, mcts.RootPUCT)
	}
	return p.search.Validate()
}

// factory returns what makes the player.
func (p *networkPlayer) factory() (PlayerFactory, error) {
	var err error
	if p.search.Simulations, err = p.budget.simulations(p.network.MACs); err != nil {
		return nil, err
	}
	return p.make, nil
}

// make makes a player, whose evaluator is made when it is needed and may be shared with
// the same player in other games.
func (p *networkPlayer) make() (Player, error) {
	evaluator := sync.OnceValue(p.network.Evaluator)
	s, err := newTimedSearcher(p.name, p.game, p.search, TimeLimit{p.budget, p.clock}, func(*rand.Rand) mcts.Evaluator { return evaluator() })
	if err != nil {
		return nil, err
	}
	s.network, s.temperature, s.shareable = p.network, p.temperature, true
	return s, nil
}

// NetworkSearch makes players that search with a network, and draw their actions by a
// temperature unless that is 0.
func NetworkSearch(name string, game env.Game, c mcts.Config, temperature float64, n Network) PlayerFactory {
	p := &networkPlayer{game: game, name: name, search: c, network: n, temperature: temperature}
	return p.make
}
