package pacru

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
)

// drawn returns a state of the game at a position drawn in the style of State.Draw, with
// one word per field: "." for neutral, "g" for Green's marker, "G↑" for Green's chevron on
// a neutral field and "[G↑]" for one on Green's marker. Missing ranks are empty. The seat
// with the letter mover is on turn.
func drawn(t testing.TB, game, mover, picture string) *State {
	t.Helper()
	s := newGameOf(t, game).New().(*State)
	require.NoError(t, s.SetPosition(positionOf(t, s, mover, picture)))
	return s
}

// positionOf returns the position string of a drawing.
func positionOf(t testing.TB, s *State, mover, picture string) string {
	t.Helper()
	seat := func(letter string) string {
		p := slices.IndexFunc(colours[s.players-2], func(c colour) bool { return string(c.letter) == strings.ToUpper(letter) })
		require.GreaterOrEqual(t, p, 0, "no seat %s", letter)
		return fmt.Sprint(p)
	}
	marks := []byte(strings.Repeat(".", fields))
	chevrons := map[uint8]string{}
	for line := range strings.Lines(picture) {
		words := strings.Fields(strings.ReplaceAll(line, "│", " "))
		if len(words) == 0 {
			continue
		}
		require.Len(t, words, 1+side, line)
		for file, word := range words[1:] {
			f := uint8(file) + side*(words[0][0]-'1')
			inner := strings.Trim(word, "[]")
			if len(inner) > 1 {
				facing := slices.Index(arrows[:], inner[1:])
				require.GreaterOrEqual(t, facing, 0, word)
				chevrons[f] = fmt.Sprintf("%s:%s%s", fieldName(f), seat(inner[:1]), facingNames[facing])
			}
			if word != "." && (inner != word || len(inner) == 1) {
				marks[f] = seat(inner[:1])[0]
			}
		}
	}
	var list []string
	for f := range uint8(fields) {
		if c, ok := chevrons[f]; ok {
			list = append(list, c)
		}
	}
	return fmt.Sprintf("%d;%s;%s;%s;-", s.players, seat(mover), marks, strings.Join(list, ","))
}

// moves returns the complete turns that begin with a prefix, sorted, on one line.
func moves(s *State, prefix string) string {
	var names []string
	for _, turn := range s.Turns() {
		if strings.HasPrefix(turn.Move, prefix) {
			names = append(names, turn.Move)
		}
	}
	return strings.Join(names, " ")
}

// play returns the position after complete turns.
func play(t testing.TB, s *State, turns ...string) *State {
	t.Helper()
	for _, turn := range turns {
		s = after(t, s, turn)
	}
	return s
}

// marked returns the fields with p's marker.
func marked(s *State, p uint8) string {
	var names []string
	for marks := s.marks[p]; !marks.empty(); {
		names = append(names, fieldName(marks.pop()))
	}
	return strings.Join(names, " ")
}

// TestDrawn parses a drawing of State.Draw.
func TestDrawn(t *testing.T) {
	for _, r := range golden(t) {
		s := r.state(t)
		var ranks []string
		for line := range strings.Lines(s.Draw(env.Screen{})) {
			if begin, _, ok := strings.Cut(line, "│ "+line[:1]); ok {
				ranks = append(ranks, strings.NewReplacer("·", ".", "[", " [", "]", "] ").Replace(begin))
			}
		}
		require.Len(t, ranks, side)
		pos := positionOf(t, s, string(colours[s.players-2][s.turn].letter), strings.Join(ranks, "\n"))
		require.Equal(t, strings.TrimRight(r.Pos, "0123-"), strings.TrimRight(pos, "-"))
	}
}
