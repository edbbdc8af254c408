package envtest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"tiro/env"
)

// CheckRules returns the faults in the rules of an Explainer: lines that are too wide, or a
// shown move that is not legal in its position. Run calls it; games whose rules depend on
// many options can check each of them.
func CheckRules(game env.Game) error {
	explainer, ok := game.(env.Explainer)
	if !ok {
		return nil
	}
	rules := explainer.Rules()
	if err := readable(rules.Format(env.RulesWidth)); err != nil {
		return err
	}
	var shown []string
	for _, quote := range quoted.FindAllStringSubmatch(rules.Text, -1) {
		shown = append(shown, quote[1])
	}
	if n := strings.Count(rules.Text, "`"); n != 2*len(shown) {
		return fmt.Errorf("%d backquotes around %d moves", n, len(shown))
	}
	if len(shown) == 0 {
		return fmt.Errorf("no move is shown in backquotes")
	}
	for _, m := range rules.Moves {
		if !slices.Contains(shown, m.Move) {
			return fmt.Errorf("move %q is not in the text", m.Move)
		}
		if err := legalAt(game, m); err != nil {
			return fmt.Errorf("move %q at %q: %w", m.Move, m.Position, err)
		}
	}
	for _, move := range shown {
		if !slices.ContainsFunc(rules.Moves, func(m env.ShownMove) bool { return m.Move == move }) {
			return fmt.Errorf("move %q in the text is not among the moves", move)
		}
	}
	return nil
}

// quoted matches a move in backquotes.
var quoted = regexp.MustCompile("`([^`\n]+)`")

// readable reports lines that are too long and characters that a terminal cannot show.
func readable(text string) error {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if n := utf8.RuneCountInString(line); n > env.RulesWidth {
			return fmt.Errorf("line of %d columns, more than %d: %q", n, env.RulesWidth, line)
		}
		if i := strings.IndexFunc(line, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }); i >= 0 {
			return fmt.Errorf("line %q contains characters that cannot be printed", line)
		}
		if strings.ContainsAny(line, "{}") {
			return fmt.Errorf("line %q has an unfilled placeholder", line)
		}
	}
	return nil
}

// legalAt reports why a move shown in the rules is not legal.
func legalAt(game env.Game, m env.ShownMove) error {
	s := game.New()
	if m.Position != "" {
		p, ok := s.(env.Positioner)
		if !ok {
			return fmt.Errorf("the game has no position strings")
		}
		if err := p.SetPosition(m.Position); err != nil {
			return err
		}
	}
	_, err := env.ParseTurn(s, m.Move)
	return err
}
