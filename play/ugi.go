package play

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tiro/env"
	"tiro/player"
)

// ugiPlayer is another program that speaks the Universal Game Interface.
type ugiPlayer struct {
	program
	limit   string // argument of go, in addition to the clocks
	options []player.Option
}

var _ player.Counter = (*ugiPlayer)(nil)

// Nodes implements player.Counter. It returns the nodes that the program reported for its last
// turn.
func (p *ugiPlayer) Nodes() int { return p.nodes }

func (p *ugiPlayer) ask(ctx context.Context, s env.State, history []env.Action) ([]env.Action, error) {
	position, err := p.position(s, history)
	if err != nil {
		return nil, err
	}
	if p.begins {
		position = "uginewgame\n" + position
		p.begins = false
	}
	// Skip the output since the last move until readyok.
	if err := p.process.command(ctx, p.timeout, position+"\nisready", "readyok", nil); err != nil {
		return nil, err
	}
	var turn []env.Action
	illegal, last := error(nil), "" // last info string
	err = p.process.command(ctx, p.think(), "go"+p.limits()+p.limit, "bestmove", func(words []string) {
		switch {
		case words[0] == "info" && len(words) > 1 && words[1] == "string":
			last = fmt.Sprintf(" after %q", clipAt(200, strings.Join(words, " ")))
		case words[0] == "info":
			if i := slices.Index(words, "nodes"); i >= 0 && i+1 < len(words) {
				if n, err := strconv.Atoi(words[i+1]); err == nil && n >= 0 {
					p.nodes = n
				}
			}
		case words[0] == "bestmove" && len(words) > 1:
			if turn, illegal = env.ParseTurn(s, words[1]); illegal != nil {
				illegal = fmt.Errorf("illegal move %q%s", clip(words[1]), last)
			}
		case words[0] == "bestmove":
			illegal = errors.New("bestmove without a move")
		}
	})
	return turn, cmp.Or(err, illegal)
}

// limits returns the clocks as arguments of go.
func (p *ugiPlayer) limits() (args string) {
	if p.clocks == nil {
		return ""
	}
	own := p.clocks.Seats()[p.clocks.Turn()]
	if own.Move > 0 {
		return fmt.Sprintf(" movetime %d", own.Move.Milliseconds())
	}
	for i, s := range p.clocks.Seats() {
		if s.Limits() {
			t := s.Time()
			args += fmt.Sprintf(" p%dtime %d p%dinc %d", i+1, t.Left.Milliseconds(), i+1, t.Increment.Milliseconds())
		}
	}
	if n := own.Time().Moves; n > 0 {
		args += fmt.Sprintf(" movestogo %d", n)
	}
	return args
}

// position returns the command that sets up s. It uses the moves from the start if these lead
// to s with a complete last turn, and otherwise the position string.
func (p *ugiPlayer) position(s env.State, history []env.Action) (string, error) {
	start := p.game.New()
	at, _ := p.after(history, func(env.State, int) error { return nil })
	if at.Hash() == s.Hash() && (len(history) == 0 || !env.MidTurn(s)) {
		return strings.TrimSpace("position startpos moves " + strings.Join(notation(p.game, start, history), " ")), nil
	}
	if q, ok := s.(env.Positioner); ok {
		return "position fen " + q.Position(), nil
	}
	return "", fmt.Errorf("%s has no notation for positions, which this position requires", p.game.Spec().Name)
}

// greet asks the program for its options and sets them.
func (p *ugiPlayer) greet(ctx context.Context) error {
	var known []string
	err := p.process.command(ctx, p.timeout, "ugi", "ugiok", func(words []string) {
		if len(words) > 2 && words[0] == "option" && words[1] == "name" {
			name := words[2:]
			if i := slices.Index(name, "type"); i >= 0 {
				name = name[:i]
			}
			known = append(known, strings.Join(name, " "))
		}
	})
	if err != nil {
		return fmt.Errorf("%w; is it a program that speaks UGI (not UCI)?", err)
	}
	var set strings.Builder
	for _, o := range p.options {
		if !slices.ContainsFunc(known, func(name string) bool { return strings.EqualFold(name, o.Name) }) {
			return fmt.Errorf("unknown option %q (%s)", clip(o.Name), clip(cmp.Or(strings.Join(known, ", "), "the program has none")))
		}
		fmt.Fprintf(&set, "setoption name %s value %s\n", o.Name, o.Value)
	}
	return p.process.command(ctx, p.timeout, set.String()+"isready", "readyok", nil)
}
