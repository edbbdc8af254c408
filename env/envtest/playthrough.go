package envtest

import (
	"cmp"
	"fmt"
	"strings"

	"tiro/env"
)

// Playthrough plays a game of random legal actions, always the same, and describes it for
// comparison with the rules: the first positions in full, then one every few plies, the
// turns between them, and the end. The argument planes names the observation planes.
func Playthrough(game env.Game, planes []string) (text string, err error) {
	defer recoverAs(&err)
	p := playthrough{game: game, spec: game.Spec(), planes: planes}
	if len(planes) != p.spec.Planes {
		return "", fmt.Errorf("%d names of planes, but the game has %d", len(planes), p.spec.Planes)
	}
	actions := randomLine(game, game.New(), env.NewRand(1), p.spec.MaxPlies)
	p.head()
	const first, later = 3, 8 // positions described in full
	every := max(1, (len(actions)+later-1)/later)
	s := game.New()
	for ply, a := range actions {
		if ply < first || ply%every == 0 {
			p.flush()
			p.position(s, ply)
			p.action(s, a)
		} else {
			p.brief(s, ply, a)
		}
		s.Play(a)
	}
	p.flush()
	p.end(s, len(actions))
	return p.String(), nil
}

// playthrough is the text in progress.
type playthrough struct {
	strings.Builder
	game   env.Game
	spec   env.Spec
	planes []string
	turns  []string // turns since the last position described in full
}

func (p *playthrough) line(key, format string, args ...any) {
	fmt.Fprintf(p, "%-11s %s\n", key, fmt.Sprintf(format, args...))
}

// words writes words in at most the given number of lines.
func (p *playthrough) words(words []string, lines int) {
	const width = 100
	column := 0
	for i, word := range words {
		if column > 0 && column+1+len(word) > width {
			column = 0
			if lines--; lines == 0 {
				fmt.Fprintf(p, "\n  … and %d more", len(words)-i)
				break
			}
			p.WriteByte('\n')
		}
		column += 1 + len(word)
		p.WriteString(" " + word)
	}
	p.WriteByte('\n')
}

func (p *playthrough) head() {
	p.line("game", "%s, version %d", p.spec.Name, p.spec.Version)
	p.line("seats", "%s", strings.Join(env.SeatNames(p.game), ", "))
	p.line("grid", "%d rows of %d columns", p.spec.Height, p.spec.Width)
	p.line("planes", "%d of observations, %d of actions: %d actions", p.spec.Planes, p.spec.PolicyPlanes, p.spec.Actions())
	if symmetric, ok := p.game.(env.Symmetric); ok {
		p.line("symmetries", "%d", len(symmetric.Symmetries()))
	}
	p.line("length", "at most %d plies", p.spec.MaxPlies)
}

// position describes a position in full.
func (p *playthrough) position(s env.State, ply int) {
	fmt.Fprintf(p, "\n=== ply %d: %s to move\n\n", ply, env.SeatName(p.game, s.Turn()))
	p.describe(s)
	names := env.Names(s)
	fmt.Fprintf(p, "\n%d legal actions:\n", len(names))
	p.words(names, 4)
	p.observation(s)
}

// describe describes a position, finished or not.
func (p *playthrough) describe(s env.State) {
	p.line("position", "%s", s)
	p.line("hash", "%016x", s.Hash())
	if scorer, ok := s.(env.Scorer); ok {
		p.line("estimate", "%s", p.payoffs(scorer.Score()))
	}
	if drawer, ok := s.(env.Drawer); ok {
		fmt.Fprintf(p, "\n%s", drawer.Draw(env.Screen{}))
	}
}

func (p *playthrough) payoffs(v env.Value) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprintf("%+.2f", v[:p.spec.Players]), "[]"), "-0.00", "+0.00")
}

// observation summarises the planes, omitting those that are zero everywhere.
func (p *playthrough) observation(s env.State) {
	x, cells := make([]float32, p.spec.Inputs()), p.spec.Cells()
	s.Observe(x)
	fmt.Fprintf(p, "\nobservation planes that are not zero:\n")
	for i, name := range p.planes {
		plane, sum, n, same := x[i*cells:(i+1)*cells], float32(0), 0, true
		for _, v := range plane {
			sum += v
			same = same && v == plane[0]
			if v != 0 {
				n++
			}
		}
		switch {
		case n == 0:
		case same:
			fmt.Fprintf(p, " %3d  %-60s all %.4g\n", i, name, plane[0])
		case sum == float32(n):
			fmt.Fprintf(p, " %3d  %-60s cells %d, each 1\n", i, name, n)
		default:
			fmt.Fprintf(p, " %3d  %-60s cells %d, sum %.4g\n", i, name, n, sum)
		}
	}
}

// action describes an action played in a position described in full.
func (p *playthrough) action(s env.State, a env.Action) {
	cells := p.spec.Cells()
	cell := int(a) % cells
	fmt.Fprintln(p)
	p.line("played", "%s, action %d: plane %d, row %d, column %d", s.ActionString(a), a, int(a)/cells, cell/p.spec.Width, cell%p.spec.Width)
	next := env.After(p.game, s, a)
	if turner, ok := next.(env.Turner); ok {
		p.line("turn", "%s", cmp.Or(turner.LastTurn(), "goes on"))
	}
	if announcer, ok := next.(env.Narrator); ok && announcer.Announcement() != "" {
		p.line("announced", "%s", announcer.Announcement())
	}
}

// brief records an action for flush, or the turn that it completes if the game has a
// notation for turns.
func (p *playthrough) brief(s env.State, ply int, a env.Action) {
	name := s.ActionString(a)
	if turner, ok := env.After(p.game, s, a).(env.Turner); ok {
		if name = turner.LastTurn(); name == "" {
			return
		}
	}
	p.turns = append(p.turns, fmt.Sprintf("%d:%s", ply, name))
}

// flush writes the recorded turns.
func (p *playthrough) flush() {
	if len(p.turns) > 0 {
		fmt.Fprintf(p, "\nthen, by ply:\n")
		p.words(p.turns, len(p.turns))
		p.turns = nil
	}
}

// end describes the final position.
func (p *playthrough) end(s env.State, plies int) {
	fmt.Fprintf(p, "\n=== the end, after %d plies\n\n", plies)
	p.describe(s)
	v, _ := s.Result()
	fmt.Fprintln(p)
	p.line("result", "%s", env.FormatResult(s, p.spec.Players))
	p.line("payoffs", "%s", p.payoffs(v))
	if ender, ok := s.(env.Ender); ok {
		p.line("ended by", "%s", ender.Ending())
	}
	if owner, ok := s.(env.OwnershipScorer); ok {
		classes, counts := make([]int8, p.spec.Cells()), make([]int, p.spec.OwnershipClasses)
		p.line("score", "%s", p.payoffs(owner.Ownership(classes, p.game.New())))
		for _, class := range classes {
			if class != env.NoOwnership {
				counts[class]++
			}
		}
		p.line("ownership", "%d cells by class, as seen from the start", counts)
	}
}
