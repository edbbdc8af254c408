package play

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"tiro/arena"
	"tiro/env"
	"tiro/player"
)

// valueText formats the chances of a seat after the best move of an analysis. Draw
// probabilities come from the network.
func (s *session) valueText(a player.Analysis, seat env.Player) string {
	value, players := a.BestValue(), len(s.Seats)
	shares := value.Shares(players)
	chances, text, draws := shares[:], "win chance", s.Outcome != nil && !a.Proven
	won := winners(value, players)
	switch {
	case a.Proven && shares[seat] == 1:
		return "a certain win"
	case a.Proven && shares[seat] == 0:
		return "a certain loss"
	case a.Proven && len(won) == players:
		return "a certain draw"
	case a.Proven && slices.Contains(won, seat):
		var others []string
		for _, p := range won {
			if p != seat {
				others = append(others, env.SeatName(s.Game, p))
			}
		}
		return "a certain win shared with " + env.Enumerate(others)
	case draws:
		chances, text = outcomeOf(s.State(), a, s.Outcome, players), "win"
	}
	text += fmt.Sprintf(" %.0f%%", 100*chances[seat])
	for i := 1; i < players && players > 2; i++ {
		other := (int(seat) + i) % players
		text += fmt.Sprintf(", %s %.0f%%", env.SeatName(s.Game, env.Player(other)), 100*chances[other])
	}
	if draws {
		text += fmt.Sprintf(", draw %.0f%%", 100*chances[players])
	}
	if draws && players == 2 {
		text += fmt.Sprintf(", loss %.0f%%", 100*chances[1-seat])
	}
	return text
}

// outcomeOf returns the outcome probabilities of s. The wins come from the analysis a, and
// the draw probability from network, which may be nil.
func outcomeOf(s env.State, a player.Analysis, network func(env.State) []float64, players int) []float64 {
	draw := 0.0
	switch {
	case a.Proven:
		draw = 1 // a proven value shared by all seats is a draw
	case network != nil:
		draw = network(s)[players]
	}
	return arena.Outcome(a.BestValue(), draw, players)
}

// showChances shows the chances once, or switches them on or off below every board.
func (s *session) showChances(_ context.Context, args string) error {
	switch {
	case args == "" && s.Over():
		s.say("The game is over.")
	case args == "":
		s.out.printf("%s", s.chanceBars())
	case strings.EqualFold(args, "on"), strings.EqualFold(args, "off"):
		s.withChances = strings.EqualFold(args, "on")
		s.show()
	default:
		s.say(fmt.Sprintf("Type chances, chances on or chances off, not chances %q.", clip(args)))
	}
	return nil
}

// Escape sequences. All seats have one colour, because some games name their seats after colours.
const (
	winColour  = "\x1b[36m"
	drawColour = "\x1b[90m"
	noColour   = "\x1b[0m"
	barWidth   = 40
)

// chanceBars draws the network's probability of every result, one per line.
func (s *session) chanceBars() string {
	outcome, players := s.Outcome(s.State()), len(s.Seats)
	names := make([]string, players+1)
	width := 0
	for i := range names {
		names[i] = "draw"
		if i < players {
			names[i] = env.SeatName(s.Game, env.Player(i))
		}
		width = max(width, len([]rune(names[i])))
	}
	columns, _ := s.Size()
	most := max(5, min(barWidth, columns-width-9))
	var b strings.Builder
	for i, p := range outcome {
		bar := strings.Repeat("█", int(float64(p*float64(most))+0.5))
		if s.Colour && bar != "" {
			colour := drawColour
			if i < players {
				colour = winColour
			}
			bar = colour + bar + noColour
		}
		fmt.Fprintf(&b, "%s\n", strings.TrimRight(fmt.Sprintf("  %-*s %3.0f%% %s", width, names[i], 100*p, bar), " "))
	}
	return b.String()
}
