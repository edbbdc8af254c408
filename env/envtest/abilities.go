package envtest

import (
	"encoding/xml"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"tiro/env"
)

// checkPositions: a Positioner restores positions from their strings and handles invalid
// strings.
func checkPositions(game env.Game) error {
	used := game.New()
	return eachAble(walk{game, 20, 100, 600}, func(p *stop, s env.Positioner) error {
		pos := s.Position()
		if text := p.state.String(); text != pos {
			return fmt.Errorf("String is %q, but Position is %q", text, pos)
		}
		if err := readBack(game, p, used, pos); err != nil {
			return err
		}
		for range 12 {
			if err := tryPosition(game, used, mutate(p.rng, pos), p.rng); err != nil {
				return err
			}
		}
		used.CopyFrom(p.state)
		return nil
	})
}

// readBack restores p from pos, the string written for it, on the state used and on a new
// state.
func readBack(game env.Game, p *stop, used env.State, pos string) error {
	spec := game.Spec()
	fresh := game.New()
	for _, s := range []env.State{fresh, used} {
		if err := s.(env.Positioner).SetPosition(pos); err != nil {
			return fmt.Errorf("the position's own string: %w", err)
		}
	}
	was, is := look(spec, p.state), look(spec, fresh)
	if err := look(spec, used).differs(is); err != nil {
		return fmt.Errorf("position %q set on a used state differs from the one set on a new state: %w", pos, err)
	}
	switch {
	case is.text != pos:
		return fmt.Errorf("position %q is read back as %q", pos, is.text)
	case was.hash == is.hash:
		if err := is.playsLike(was); err != nil {
			return fmt.Errorf("position %q is read back with the same hash %#x, but differs: %w", pos, is.hash, err)
		}
		return nil
	case was.over: // by a clock or a repetition that the string omits
		return nil
	case was.turn != is.turn:
		return fmt.Errorf("position %q: turn of seat %d is read back as seat %d's", pos, was.turn, is.turn)
	}
	// Earlier positions may have allowed more actions, such as claiming a repetition.
	allowed := env.Names(p.state)
	for _, name := range env.Names(fresh) {
		if !slices.Contains(allowed, name) {
			return fmt.Errorf("position %q read back allows %s, which is not legal", pos, name)
		}
	}
	return nil
}

// tryPosition sets a string that may be invalid. If it is rejected, the state must not
// change; if accepted, the position must be unchanged after formatting and parsing, and
// playable. s itself is not changed.
func tryPosition(game env.Game, s env.State, pos string, rng *rand.Rand) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic on position %q: %v", pos, r)
		}
	}()
	spec := game.Spec()
	before := look(spec, s)
	t := env.After(game, s)
	if err := t.(env.Positioner).SetPosition(pos); err != nil {
		if err := look(spec, t).differs(before); err != nil {
			return fmt.Errorf("position %q is rejected, but changes the state: %w", pos, err)
		}
		return nil
	}
	again := game.New()
	written := t.(env.Positioner).Position()
	if err := again.(env.Positioner).SetPosition(written); err != nil {
		return fmt.Errorf("position %q is accepted and written as %q, which is rejected: %w", pos, written, err)
	}
	if err := look(spec, again).differs(look(spec, t)); err != nil {
		return fmt.Errorf("position %q, written as %q, differs when read back: %w", pos, written, err)
	}
	for range 10 {
		legal := t.Legal(nil)
		if err := sound(spec, t, legal); err != nil {
			return fmt.Errorf("after position %q: %w", pos, err)
		}
		if len(legal) == 0 {
			break
		}
		t.Play(pick(rng, legal))
	}
	return nil
}

// mutate returns a string close to pos, with something deleted, duplicated, swapped or
// overwritten, or an unrelated string.
func mutate(rng *rand.Rand, pos string) string {
	if len(pos) < 2 || rng.IntN(10) == 0 {
		return []string{"", " ", "/", "?", "\x00", "é", strings.Repeat(pos+"1", 50)}[rng.IntN(7)]
	}
	const foreign = "0123456789-+*/ .,:;xoABwbé\xff"
	i, j := rng.IntN(len(pos)), rng.IntN(len(pos))
	i, j = min(i, j), max(i, j)
	switch rng.IntN(7) {
	case 0:
		return pos[:i] + pos[i+1:]
	case 1:
		return pos[:i] + pos[j:]
	case 2:
		return pos[:j] + pos[i:]
	case 3:
		return pos[:i]
	case 4:
		return pos[:i] + string(foreign[rng.IntN(len(foreign))]) + pos[i:]
	case 5:
		return pos[:i] + string(pos[j]) + pos[i+1:]
	default:
		b := []byte(pos)
		b[i], b[j] = b[j], b[i]
		return string(b)
	}
}

// checkEndings: an Ender names the rule when the game is over, not before.
func checkEndings(game env.Game) error {
	return eachAble(walk{game, 21, 300, 5000}, func(p *stop, s env.Ender) error {
		ending := s.Ending()
		if _, over := p.state.Result(); over != (ending != "") {
			return fmt.Errorf("over is %t, but the ending is %q", over, ending)
		}
		if strings.ContainsFunc(ending, unicode.IsSpace) {
			return fmt.Errorf("ending %q must be a word", ending)
		}
		return nil
	})
}

// checkSamples: a Sampler draws the action that Legal's list would give, takes nothing else
// from the generator and does not allocate.
func checkSamples(game env.Game) error {
	listed, drawn := env.NewRand(25), env.NewRand(25)
	source := rand.NewPCG(25, 0)
	again := rand.New(source)
	return eachAble(walk{game, 25, 300, 3000}, func(p *stop, s env.Sampler) error {
		if len(p.legal) == 0 {
			return nil
		}
		for range 4 {
			if got, want := s.Sample(drawn), pick(listed, p.legal); got != want {
				return fmt.Errorf("action %d was drawn, but from the list it would be %d", got, want)
			}
			if listed.Uint64() != drawn.Uint64() {
				return errors.New("it uses the generator differently from one call of IntN")
			}
		}
		seed := drawn.Uint64()
		listed.Uint64()
		draw := func() { source.Seed(25, seed); s.Sample(again) }
		// An allocation of the sampler comes again with the same draw, one of the runtime does not.
		if n := min(testing.AllocsPerRun(1, draw), testing.AllocsPerRun(1, draw)); n != 0 {
			return fmt.Errorf("%v allocations", n)
		}
		return nil
	})
}

// checkScores: a Scorer's estimates are inside (-1, 1), and balance in a game for two.
func checkScores(game env.Game) error {
	players := game.Spec().Players
	return eachAble(walk{game, 22, 100, 1500}, func(_ *stop, s env.Scorer) error {
		score := s.Score()
		for seat, x := range score {
			if !(x > -1 && x < 1) { // NaN as well
				return fmt.Errorf("score %v of seat %d is not between -1 and 1", x, seat)
			}
			if seat >= players && x != 0 {
				return fmt.Errorf("score %v of seat %d, but the game has %d seats", x, seat, players)
			}
		}
		if players == 2 && score[0] != -score[1] {
			return fmt.Errorf("scores %v and %v do not balance", score[0], score[1])
		}
		return nil
	})
}

// checkRepetitions: the start has not occurred before, and a position that a Repeater finds again
// among its quiet plies was the same one.
func checkRepetitions(game env.Game) error {
	if s, ok := game.New().(env.Repeater); ok && (s.LastOccurrence() != 0 || s.Quiet() != 0) {
		return fmt.Errorf("start: last occurred %d plies ago, %d quiet plies, instead of 0 and 0", s.LastOccurrence(), s.Quiet())
	}
	return eachAble(walk{game, 26, 100, 1500}, func(p *stop, s env.Repeater) error {
		back, quiet := s.LastOccurrence(), s.Quiet()
		if back < 0 || quiet < back || quiet > len(p.history) {
			return fmt.Errorf("last occurred %d plies ago, %d quiet plies of %d", back, quiet, len(p.history))
		}
		if now, ok := s.(env.Positioner); ok && back > 0 {
			earlier := game.New()
			for _, a := range p.history[:len(p.history)-back] {
				earlier.Play(a)
			}
			if then := earlier.(env.Positioner).Position(); then != now.Position() {
				return fmt.Errorf("%d plies ago, the position was %s, not %s", back, then, now.Position())
			}
		}
		return nil
	})
}

// checkDrawing: a Drawer draws lines, stays within the size of a screen, and uses escape
// sequences only in colour, where they do not change the text.
func checkDrawing(game env.Game) error {
	return eachAble(walk{game, 23, 10, 100}, func(_ *stop, d env.Drawer) error {
		for _, colour := range []bool{false, true} {
			text := d.Draw(env.Screen{Colour: colour})
			if !strings.HasSuffix(text, "\n") {
				return fmt.Errorf("the drawing (colour: %t) does not end in a newline: %q", colour, text)
			}
			if !colour && strings.Contains(text, "\x1b") {
				return errors.New("a drawing without colour contains an escape sequence")
			}
		}
		for _, since := range []env.State{nil, game.New()} {
			screen := env.Screen{Columns: 80, Lines: 21, Since: since}
			plain := d.Draw(screen)
			for line := range strings.Lines(plain) {
				if n := utf8.RuneCountInString(line) - 1; n > screen.Columns {
					return fmt.Errorf("a line of %d columns on a screen of %d: %q", n, screen.Columns, line)
				}
			}
			if n := strings.Count(plain, "\n"); n > screen.Lines {
				return fmt.Errorf("%d lines on a screen of %d", n, screen.Lines)
			}
			screen.Colour = true
			if escapes.ReplaceAllString(d.Draw(screen), "") != plain {
				return errors.New("colours change the text")
			}
		}
		return nil
	})
}

// checkPictures: an SVGDrawer draws well-formed XML.
func checkPictures(game env.Game) error {
	start := game.New()
	return eachAble(walk{game, 31, 10, 100}, func(_ *stop, d env.SVGDrawer) error {
		for _, since := range []env.State{nil, start} {
			if err := xml.Unmarshal([]byte(d.DrawSVG(since)), new(struct{})); err != nil {
				return fmt.Errorf("the picture is not well-formed XML: %w", err)
			}
		}
		return nil
	})
}

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// checkSeats: a SeatNamer's names are words, different for each seat.
func checkSeats(game env.Game) error {
	namer, ok := game.(env.SeatNamer)
	if !ok {
		return nil
	}
	taken := map[string]int{}
	for seat := range game.Spec().Players {
		name := namer.SeatName(env.Player(seat))
		if name == "" || strings.ContainsFunc(name, unicode.IsSpace) {
			return fmt.Errorf("seat %d is named %q, which is not a word", seat, name)
		}
		if other, twice := taken[name]; twice {
			return fmt.Errorf("seats %d and %d are both named %q", other, seat, name)
		}
		taken[name] = seat
	}
	return nil
}
