package play

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tiro/env"
	"tiro/player/clock"
)

// gtpPlayer is another program that speaks the Go Text Protocol.
type gtpPlayer struct {
	program
	setup  []string      // commands that begin a game
	played []env.Action  // moves that the program knows, unless a game begins
	clock  clock.Control // of the player
	kata   bool          // whether the program knows KataGo's commands for clocks
}

// gtpSetting returns the argument of a command that sets a game up by GTP, "" if the game
// does without the command.
func gtpSetting(game env.Game, command string) string {
	g, ok := game.(env.GTPGame)
	if !ok {
		return ""
	}
	for _, text := range g.GTPSetup() {
		if value, ok := strings.CutPrefix(text, command+" "); ok {
			return value
		}
	}
	return ""
}

func (p *gtpPlayer) ask(ctx context.Context, s env.State, history []env.Action) ([]env.Action, error) {
	if err := p.follow(ctx, s, history); err != nil {
		return nil, err
	}
	if legal := s.Legal(nil); len(legal) == 1 {
		p.think() // the clock does not count the commands so far
		return legal, nil
	}
	if p.clocks != nil {
		if _, err := p.command(ctx, p.timeout, "time_left "+p.colour(s)+" "+p.timeLeft()); err != nil {
			return nil, err
		}
	}
	answer, err := p.command(ctx, p.think(), "genmove "+p.colour(s))
	if err != nil {
		return nil, err
	}
	if strings.EqualFold(answer, "resign") {
		return nil, errors.New("it resigned")
	}
	a, err := env.ParseAction(s, strings.ToLower(answer))
	if err != nil {
		return nil, fmt.Errorf("illegal move %q", clip(answer))
	}
	p.played = append(p.played, a)
	return []env.Action{a}, nil
}

// follow makes the program play the moves that lead to s. history must lead to s.
func (p *gtpPlayer) follow(ctx context.Context, s env.State, history []env.Action) error {
	if p.begins || len(p.played) > len(history) || !slices.Equal(p.played, history[:len(p.played)]) {
		for _, text := range p.setup {
			if _, err := p.command(ctx, p.timeout, text); err != nil {
				return err
			}
		}
		if p.clock.Limits() {
			if _, err := p.command(ctx, p.timeout, p.timeSettings()); err != nil {
				return err
			}
		}
		p.played, p.begins = p.played[:0], false
	}
	at, err := p.after(history, func(at env.State, i int) error {
		if i < len(p.played) {
			return nil
		}
		_, err := p.command(ctx, p.timeout, "play "+p.colour(at)+" "+at.ActionString(history[i]))
		var refused *gtpError
		if forced := len(at.Legal(nil)) == 1; err != nil && !(forced && errors.As(err, &refused)) { // programs for Othello may reject a forced pass
			return err
		}
		p.played = append(p.played, history[i])
		return nil
	})
	if err != nil {
		return err
	}
	if at.Hash() != s.Hash() {
		return errors.New("GTP supports only games from the start position")
	}
	return nil
}

// colour returns the name of the player on turn.
func (p *gtpPlayer) colour(s env.State) string {
	return strings.ToLower(env.SeatName(p.game, s.Turn()))
}

// greet sets the time of a move, and asks for KataGo's commands if there is a clock.
func (p *gtpPlayer) greet(ctx context.Context) error {
	first := "protocol_version"
	if p.move > 0 {
		first = fmt.Sprintf("time_settings 0 %d 1", max(1, int(p.move/time.Second)))
	}
	if _, err := p.command(ctx, p.timeout, first); err != nil {
		return fmt.Errorf("%w; is it a program that speaks GTP?", err)
	}
	if !p.clock.Limits() {
		return nil
	}
	answer, err := p.command(ctx, p.timeout, "known_command kata-time_settings")
	p.kata = answer == "true"
	return err
}

// timeSettings returns the command that sets the time control. GTP counts whole seconds and
// has no increments; programs without KataGo's commands learn of both from time_left.
func (p *gtpPlayer) timeSettings() string {
	c := p.clock
	switch {
	case c.Move > 0:
		return "time_settings 0 " + p.seconds(max(c.Move, time.Second)) + " 1"
	case c.Moves > 0:
		return fmt.Sprintf("time_settings 0 %s %d", p.seconds(c.Main), c.Moves)
	case p.kata && c.Increment > 0:
		return "kata-time_settings fischer " + p.seconds(c.Main) + " " + p.seconds(c.Increment)
	}
	return "time_settings " + p.seconds(c.Main) + " 0 0"
}

// timeLeft returns the time on the player's clock and the moves in it.
func (p *gtpPlayer) timeLeft() string {
	t := p.clocks.Seats()[p.clocks.Turn()].Time()
	return p.seconds(t.Left) + " " + strconv.Itoa(t.Moves)
}

// seconds formats a time: whole seconds, unless the program knows KataGo's commands.
func (p *gtpPlayer) seconds(d time.Duration) string {
	if p.kata {
		return strconv.FormatFloat(d.Seconds(), 'f', 3, 64)
	}
	return strconv.Itoa(int(d / time.Second))
}

// command sends a GTP command and returns the answer. An answer begins with =, or with a
// question mark if the command has failed, and ends with an empty line.
func (p *gtpPlayer) command(ctx context.Context, timeout time.Duration, text string) (answer string, err error) {
	var lines []string
	err = p.process.converse(ctx, timeout, text, "answer to "+strings.Fields(text)[0], func(words []string) bool {
		if len(words) == 0 {
			return len(lines) > 0
		}
		if line := strings.Join(words, " "); len(lines) > 0 || line[0] == '=' || line[0] == '?' {
			lines = append(lines, line)
		}
		return false
	})
	if err != nil {
		return "", err
	}
	if answer = strings.TrimSpace(strings.Join(lines, "\n")[1:]); lines[0][0] == '?' {
		return "", &gtpError{text, answer}
	}
	return answer, nil
}

// gtpError is the error of a command that the program has rejected.
type gtpError struct{ command, answer string }

func (r *gtpError) Error() string {
	return fmt.Sprintf("it refuses %q: %s", clip(r.command), clip(r.answer))
}
