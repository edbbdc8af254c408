package player

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tiro/configs"
	"tiro/internal/suggest"
	"tiro/mcts"
	"tiro/player/clock"
)

// ErrUnknown is wrapped by the error of Parse for an unknown kind of player.
var ErrUnknown = errors.New("unknown player")

// usages lists the forms of players, for error messages.
const usages = "random, greedy, alphabeta:DEPTH, stubborn:DEPTH, mcts:SIMULATIONS, net:RUN_OR_FILE, bundled, ugi:COMMAND, gtp:COMMAND"

// unknownKind returns the error for a kind that does not exist.
func unknownKind(kind string) error { return fmt.Errorf("%w %.100q (%s)", ErrUnknown, kind, usages) }

// Bundled names the network of the bundled model for the game. Bundled:GAME names the one for
// another game string.
const Bundled = "bundled"

// Parse parses the description of a player:
//
//	random, greedy
//	alphabeta:DEPTH, stubborn:DEPTH
//	mcts:SIMULATIONS
//	net:RUN_OR_FILE[,SETTING…], bundled[:GAME][,SETTING…]
//	ugi:COMMAND[,nodes=N|time=T][,timeout=T][,option.NAME=VALUE…]
//	gtp:COMMAND[,time=T][,timeout=T]
//
// DEPTH or SIMULATIONS may also be time=T or cpu=T. The settings of a network are a budget
// (sims=N, macs=N, time=T or cpu=T), temperature=T, level=N, and KEY=VALUE for the keys of
// mcts.Config. All players take the settings of a time control: tc=CONTROL or st=SECONDS, and
// timemargin=MILLISECONDS. The budget is then optional. Settings are parsed from the end while their keys are known; everything before
// them is the path or the command, which may contain commas. The default budget of networks
// and UGI programs is simulations.
func Parse(text string, simulations int) (Spec, error) {
	return Defaults{Simulations: simulations}.Parse(text)
}

// Defaults complete the descriptions of players.
type Defaults struct {
	Simulations int           // of networks and UGI programs without another limit; 0 for none under a clock
	Clock       clock.Control // of players without a time control or a budget of time
	Path        bool          // whether text of an unknown kind is the path of a network
}

// Parse is like the function Parse.
func (d Defaults) Parse(text string) (s Spec, err error) {
	kind, args, _ := strings.Cut(text, ":")
	switch {
	case isBundled(text):
		kind, args = Net, text
	case !slices.Contains(kinds, kind):
		if !d.Path {
			if strings.ContainsAny(text, `/\`) {
				return s, fmt.Errorf("%w; did you mean net:%.100s?", unknownKind(text), text)
			}
			return s, unknownKind(text)
		}
		kind, args = Net, text
	}
	s.Kind = kind
	var settings []string
	switch {
	case kind == Net:
		s.Search = NetworkConfig(0)
		s.Network, settings = cutSettings(args, isNetworkSetting)
		if name, _, found := strings.Cut(s.Network, ","); found && name == Bundled {
			unknown := s.Network[strings.LastIndexByte(s.Network, ',')+1:]
			key, _, _ := strings.Cut(unknown, "=")
			err = fmt.Errorf("unknown setting %.100q%s", unknown, hint(key))
		}
	case s.isProgram():
		s.Command, settings = cutSettings(args, isProgramSetting)
	case args != "":
		settings = strings.Split(args, ",")
	}
	if err == nil {
		err = s.setAll(settings)
	}
	if err == nil {
		err = d.complete(&s)
	}
	if err != nil {
		return Spec{}, fmt.Errorf("player %.200q: %w", text, err)
	}
	return s, nil
}

// complete sets the default limits of s, and validates it.
func (d Defaults) complete(s *Spec) error {
	if s.Clock == (clock.Control{}) && !s.Budget.Timed() {
		s.Clock = d.Clock
	}
	if (s.Kind == UGI || s.Kind == Net && s.Level == 0) && s.Budget == (Budget{}) && !s.Clock.Limits() {
		s.Budget.Simulations = d.Simulations
	}
	if s.Kind == Net {
		s.Search.Simulations = s.Budget.Simulations
	}
	return s.Validate()
}

// bareKeys are the keys of budgets that players take without their key.
var bareKeys = map[string]string{AlphaBeta: "depth", Stubborn: "depth", MCTS: "sims"}

// kinds are all kinds of players.
var kinds = []string{Random, Greedy, AlphaBeta, Stubborn, MCTS, Net, UGI, GTP}

// isBundled reports whether text names a bundled network, perhaps with settings.
func isBundled(text string) bool {
	rest, ok := strings.CutPrefix(text, Bundled)
	return ok && (rest == "" || rest[0] == ',' || rest[0] == ':')
}

// Begins reports whether text begins like the description of a player.
func Begins(text string) bool {
	kind, _, colon := strings.Cut(text, ":")
	return isBundled(text) || slices.Contains(kinds, kind) && (colon || kind == Random || kind == Greedy)
}

// cutSettings cuts settings off the end of text while known accepts them.
func cutSettings(text string, known func(key, value string) bool) (rest string, settings []string) {
	for {
		i := strings.LastIndexByte(text, ',')
		if i < 0 {
			break
		}
		key, value, ok := strings.Cut(text[i+1:], "=")
		if !ok || !known(key, value) {
			break
		}
		text, settings = text[:i], append(settings, text[i+1:])
	}
	slices.Reverse(settings)
	return text, settings
}

// Settings of network players, in addition to budgets and the keys of mcts.Config.
const (
	levelKey       = "level"
	temperatureKey = "temperature"
)

func isNetworkSetting(key, value string) bool {
	if strings.ContainsAny(value, `/\`) { // a part of a path, unless it is a clock such as 40/60
		return clock.IsKey(key) && new(clock.Control).Set(key, value) == nil
	}
	return isBudgetKey(key) || clock.IsKey(key) || key == levelKey || key == temperatureKey || configs.HasKey[mcts.Config](key)
}

// setAll applies settings, each of which must set something else.
func (s *Spec) setAll(settings []string) error {
	const budget = "the budget"
	set := map[string]string{} // the text of each setting, by its key or budget
	for _, text := range settings {
		target, value, _ := strings.Cut(text, "=")
		key := target
		if bare := bareKeys[s.Kind]; isBudgetKey(key) || bare != "" && (key == bare || key == text) {
			target = budget
		}
		if earlier, twice := set[target]; twice {
			return fmt.Errorf("%s and %s both set %s", earlier, text, target)
		}
		set[target] = text
		if err := s.set(key, value, text); err != nil {
			return err
		}
	}
	if s.Level > 0 && (set[budget] != "" || s.Temperature > 0) {
		return fmt.Errorf("%s sets both a budget and a temperature; remove %s", set[levelKey], strings.TrimSpace(set[budget]+" "+set[temperatureKey]))
	}
	return nil
}

// set applies a setting, whose text is usually KEY=VALUE.
func (s *Spec) set(key, value, text string) (err error) {
	option, isOption := strings.CutPrefix(key, optionPrefix)
	switch {
	case clock.IsKey(key):
		return s.Clock.Set(key, value)
	case bareKeys[s.Kind] != "":
		s.Budget, err = parseBare(bareKeys[s.Kind], text)
	case s.Kind == Random, s.Kind == Greedy:
		return fmt.Errorf("unexpected %q after the colon", text)
	case isBudgetKey(key):
		s.Budget, err = parseBudget(key, value)
	case s.isProgram() && isOption:
		s.Options = append(s.Options, Option{option, value})
	case s.isProgram():
		s.Timeout, err = parseTime(key, value)
	case key == levelKey:
		if s.Level, err = strconv.Atoi(value); err != nil || s.Level < 1 {
			return fmt.Errorf("level %.40q is not a whole number from 1", value)
		}
	case key == temperatureKey:
		s.Temperature, err = strconv.ParseFloat(value, 64)
		if err != nil || !(s.Temperature >= minTemperature && s.Temperature <= maxTemperature) {
			return fmt.Errorf("temperature %.40q is not a number from %v to %v", value, minTemperature, maxTemperature)
		}
	default:
		return configs.Set(&s.Search, text)
	}
	return err
}

// hint suggests the setting of a network that is closest to key.
func hint(key string) string {
	near, ok := suggest.Closest(key, []string{"sims", "macs", "time", "cpu", "tc", levelKey, temperatureKey, "root"})
	if !ok {
		return ""
	}
	return "; did you mean " + near + "?"
}

// optionPrefix begins a setting that sets another program's option.
const optionPrefix = "option."

func isProgramSetting(key, _ string) bool {
	return slices.Contains([]string{"nodes", "sims", "time", "timeout"}, key) || clock.IsKey(key) || strings.HasPrefix(key, optionPrefix)
}

// Words splits the command of another program at blanks outside single or double quotation
// marks.
func (s Spec) Words() (words []string, err error) {
	var quote rune
	var word strings.Builder
	begun := false
	for _, r := range s.Command {
		switch {
		case r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, begun = r, true
		case r == ' ' || r == '\t':
			if begun {
				words = append(words, word.String())
				word.Reset()
			}
			begun = false
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if begun {
		words = append(words, word.String())
	}
	switch {
	case quote != 0:
		return nil, fmt.Errorf("command %.100q has an open quotation mark %c", s.Command, quote)
	case len(words) == 0:
		return nil, errors.New("no command")
	}
	return words, nil
}
