package play

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tiro/arena"
)

// DefaultTimeout is how long another program may take to answer, besides the time of its
// move.
const DefaultTimeout = 30 * time.Second

// ugiUsage is how players of UGIKind are written.
const ugiUsage = "ugi:COMMAND[,nodes=N|time=T][,timeout=T][,option.NAME=VALUE…]"

// program is a program that plays, and how it is asked to.
type program struct {
	name    string // of its players
	words   []string
	limit   string        // of go
	move    time.Duration // that the limit takes; 0: not known
	timeout time.Duration
	options [][2]string // name, value
}

// parseProgram reads what follows "ugi:".
func parseProgram(args string, nodes int) (p program, err error) {
	command, settings := cutProgram(args)
	p = program{limit: "nodes " + strconv.Itoa(nodes), timeout: DefaultTimeout}
	budget := ",nodes=" + strconv.Itoa(nodes)
	limited := false
	p.name = "ugi:" + command
	for _, text := range settings {
		key, value, _ := strings.Cut(text, "=")
		switch key {
		case "nodes", "sims", "time":
			if limited {
				return p, fmt.Errorf("%s is a second budget; want one", text)
			}
			limited, budget = true, ""
			err = p.setLimit(key, value)
		case "timeout":
			p.timeout, err = parseDuration(key, value)
		default:
			p.options = append(p.options, [2]string{strings.TrimPrefix(key, "option."), value})
		}
		if err != nil {
			return p, err
		}
		p.name += "," + text
	}
	p.name += budget
	if p.words, err = splitWords(command); err == nil && len(p.words) == 0 {
		err = errors.New("no command")
	}
	return p, err
}

// setLimit sets what a turn may take.
func (p *program) setLimit(key, value string) (err error) {
	if key == "time" {
		p.move, err = parseDuration(key, value)
		p.limit = fmt.Sprintf("movetime %d", p.move.Milliseconds())
		return err
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > arena.MaxSimulations {
		return fmt.Errorf("%s %q; want 1 to %d", key, clip(value), arena.MaxSimulations)
	}
	p.limit = "nodes " + strconv.Itoa(n)
	return nil
}

func parseDuration(key, value string) (time.Duration, error) {
	d, err := time.ParseDuration(value)
	if err != nil || d < arena.MinTime || d > arena.MaxTime {
		return 0, fmt.Errorf("%s %q is not a duration from %s to %s, such as 100ms or 2s", key, clip(value), arena.MinTime, arena.MaxTime)
	}
	return d, nil
}

// cutProgram cuts the settings off the end of a command.
func cutProgram(args string) (command string, settings []string) {
	for {
		i := strings.LastIndexByte(args, ',')
		key, _, ok := strings.Cut(args[i+1:], "=")
		known := slices.Contains([]string{"nodes", "sims", "time", "timeout"}, key) || strings.HasPrefix(key, "option.")
		if i < 0 || !ok || !known {
			return args, settings
		}
		args, settings = args[:i], append([]string{args[i+1:]}, settings...)
	}
}

// splitWords splits a command at blanks that are not within quotation marks, single or
// double.
func splitWords(command string) (words []string, err error) {
	var quote rune
	var word strings.Builder
	begun := false
	for _, r := range command {
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
	if quote != 0 {
		return nil, fmt.Errorf("command %q has an open quotation mark %c", clip(command), quote)
	}
	if begun {
		words = append(words, word.String())
	}
	return words, nil
}
