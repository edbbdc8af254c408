package selfplay

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tiro/env"
	"tiro/format"
)

// parser converts a line to an Episode by replaying the game.
type parser struct {
	line
	rules   env.Game
	players int
	state   env.State
	legal   []env.Action
	names   []string // [legal]
	episode Episode
}

// parseEpisode parses the line of a game and replays it. On error, the Episode ends before
// the fault.
func parseEpisode(game env.Game, data []byte) (Episode, error) {
	if n := bytes.Count(data, []byte(",")); n > maxCommas {
		return Episode{}, fmt.Errorf("%d commas, more than the limit of %d", n, maxCommas)
	}
	p := parser{rules: game, players: game.Spec().Players, state: game.New()}
	if err := format.DecodeStrict(data, &p.line); err != nil {
		return Episode{}, err
	}
	err := p.parse()
	return p.episode, err
}

func (p *parser) parse() error {
	switch {
	case p.Game < 0:
		return fmt.Errorf("game is %d but must be 0 or more", p.Game)
	case p.Plies != len(p.Actions):
		return fmt.Errorf("plies is %d, but there are %d actions", p.Plies, len(p.Actions))
	case p.Opening < 0 || p.Opening > p.Plies:
		return fmt.Errorf("opening is %d but must be 0 to %d", p.Opening, p.Plies)
	}
	p.episode = Episode{Game: p.Game, Rules: p.rules, Opening: p.Opening, Ending: p.Ending}
	for ply, name := range p.Actions {
		if _, over := p.state.Result(); over {
			return fmt.Errorf("actions[%d]: the game is over", ply)
		}
		p.legal, p.names = p.state.Legal(p.legal[:0]), p.names[:0]
		for _, a := range p.legal {
			p.names = append(p.names, p.state.ActionString(a))
		}
		at := slices.Index(p.names, name)
		if at < 0 {
			return fmt.Errorf("actions[%d]: %w %q in %s", ply, env.ErrIllegal, name, p.state)
		}
		i := len(p.episode.Samples)
		if i < len(p.Samples) && p.Samples[i].Ply == ply && ply >= p.Opening {
			if err := p.sample(&p.Samples[i]); err != nil {
				return fmt.Errorf("samples[%d].%w", i, err)
			}
		}
		p.episode.Actions = append(p.episode.Actions, p.legal[at])
		p.state.Play(p.legal[at])
	}
	if n := len(p.episode.Samples); n < len(p.Samples) {
		return fmt.Errorf("samples[%d].ply is %d but must be above the previous ply, from %d to %d", n, p.Samples[n].Ply, p.Opening, p.Plies-1)
	}
	return p.result()
}

// sample parses a sample at the current position.
func (p *parser) sample(l *sampleLine) error {
	policy, err := p.policy(l.Policy)
	if err != nil {
		return fmt.Errorf("policy: %w", err)
	}
	value, err := p.value(l.Value)
	if err != nil {
		return fmt.Errorf("value: %w", err)
	}
	if !(l.KL >= 0) {
		return fmt.Errorf("kl is %v but must be 0 or more", l.KL)
	}
	p.episode.Samples = append(p.episode.Samples, Sample{l.Ply, policy, value, l.KL})
	return nil
}

// policy parses ACTION:PROBABILITY pairs, ascending by action.
func (p *parser) policy(text string) ([]PolicyEntry, error) {
	var entries []PolicyEntry
	sum, next := 0, 0
	for item := range strings.SplitSeq(text, " ") {
		colon := strings.LastIndexByte(item, ':')
		if colon < 0 {
			return nil, fmt.Errorf("%q does not have the form ACTION:PROBABILITY", item)
		}
		at := slices.Index(p.names[next:], item[:colon])
		if at < 0 {
			return nil, fmt.Errorf("%q is not legal or out of order", item[:colon])
		}
		probability, err := strconv.ParseFloat(item[colon+1:], 64)
		weight := math.Round(probability * Scale)
		if err != nil || !(weight >= 1 && weight <= Scale) || math.Abs(weight-float64(probability*Scale)) > 1e-6 {
			return nil, fmt.Errorf("probability %q is not a multiple of 0.0001 from 0.0001 to 1", item[colon+1:])
		}
		entries = append(entries, PolicyEntry{Action: uint16(p.legal[next+at]), Weight: uint16(weight)})
		sum += int(weight)
		next += at + 1
	}
	if sum != Scale {
		return nil, fmt.Errorf("the probabilities sum to %v, not 1", float64(sum)/Scale)
	}
	return slices.Clip(entries), nil
}

// value parses a payoff by seat, which may be rounded.
func (p *parser) value(numbers []float32) (env.Value, error) {
	var v env.Value
	if len(numbers) != p.players {
		return v, fmt.Errorf("%d numbers for %d seats", len(numbers), p.players)
	}
	sum := 0.0
	for _, x := range numbers {
		if !(x >= -1 && x <= 1) {
			return v, fmt.Errorf("%v is outside -1 to 1", x)
		}
		sum += float64(x)
	}
	if math.Abs(sum)*Scale > float64(p.players) {
		return v, fmt.Errorf("%v sum to %v, not 0", numbers, sum)
	}
	copy(v[:], numbers)
	return v, nil
}

// result compares the result and ending of the line with the game's.
func (p *parser) result() error {
	claimed, err := p.value(p.Result)
	if err != nil {
		return fmt.Errorf("result: %w", err)
	}
	p.episode.Result = claimed
	v, over := p.state.Result()
	if p.Ending == Resignation {
		return p.resigned(over)
	}
	ending := env.Ending(p.state)
	switch {
	case !over:
		return fmt.Errorf("actions: the game is not over after %d", p.Plies)
	case v != claimed:
		return fmt.Errorf("result is %v, but by the rules it is %v", claimed[:p.players], v[:p.players])
	case ending != p.Ending:
		return fmt.Errorf("ending is %q, but by the rules it is %q", p.Ending, ending)
	}
	return nil
}

// resigned checks the result of a resigned game, which must be a win of one seat.
func (p *parser) resigned(over bool) error {
	if over {
		return fmt.Errorf("ending is %q, but by the rules the game is over", Resignation)
	}
	for seat := range p.players {
		if p.episode.Result == env.WinFor(env.Player(seat), p.players) {
			return nil
		}
	}
	return fmt.Errorf("result is %v, but a resigned game must have 1 for one seat and equal losses for the others", p.Result)
}
