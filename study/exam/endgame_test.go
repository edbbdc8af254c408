package exam

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/internal/effort"
)

var remake = flag.Bool("remake", false, "make the endgame set of Coerceo, which takes minutes")

// endgame is an endgame for two players: all positions that follow a first one, solved by
// retrograde analysis without clocks and earlier positions. If a player can win at once, the
// player's other actions are left out.
type endgame struct {
	index map[string]int32 // by position
	nodes []endNode
}

type endNode struct {
	position string
	turn     env.Player
	winner   int     // seat with a forced win, or -1
	plies    int     // length of the shortest forced win
	open     int     // number of actions not known to lose
	before   []int32 // positions that lead here, once for each action
}

// solveEndgame solves the endgame that begins with s. It returns nil if the endgame has more
// than most positions.
func solveEndgame(game env.Game, s env.State, most int) *endgame {
	e := &endgame{index: map[string]int32{}}
	e.add(s)
	state, next := game.New(), game.New()
	var queue []int32 // decided positions, shortest wins first
	for i := 0; i < len(e.nodes); i++ {
		if len(e.nodes) > most {
			return nil
		}
		if err := state.(env.Positioner).SetPosition(e.nodes[i].position); err != nil {
			panic(err)
		}
		e.nodes[i].turn = state.Turn()
		if v, over := state.Result(); over {
			if e.nodes[i].winner = slices.Index(v[:2], 1); e.nodes[i].winner >= 0 {
				queue = append(queue, int32(i))
			}
			continue
		}
		legal := winOr(state, next, state.Legal(nil))
		e.nodes[i].open = len(legal)
		for _, a := range legal {
			next.CopyFrom(state)
			next.Play(a)
			after := e.add(next)
			e.nodes[after].before = append(e.nodes[after].before, int32(i))
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		won := &e.nodes[queue[0]]
		for _, i := range won.before {
			n := &e.nodes[i]
			n.open--
			if n.winner < 0 && (int(n.turn) == won.winner || n.open == 0) {
				n.winner, n.plies = won.winner, won.plies+1
				queue = append(queue, i)
			}
		}
	}
	return e
}

// winOr returns an action that wins at once, or all legal actions if there is none.
func winOr(s, next env.State, legal []env.Action) []env.Action {
	for _, a := range s.(env.Finisher).Finishing(nil, legal) {
		next.CopyFrom(s)
		next.Play(a)
		if v, _ := next.Result(); v[s.Turn()] == 1 {
			return []env.Action{a}
		}
	}
	return legal
}

// add returns the index of the position of s.
func (e *endgame) add(s env.State) int32 {
	position := s.(env.Positioner).Position()
	i, known := e.index[position]
	if !known {
		i = int32(len(e.nodes))
		e.index[position] = i
		e.nodes = append(e.nodes, endNode{position: position, winner: -1})
	}
	return i
}

// at returns the node of s, or nil if the endgame does not contain it.
func (e *endgame) at(s env.State) *endNode {
	if e == nil {
		return nil
	}
	if i, known := e.index[s.(env.Positioner).Position()]; known {
		return &e.nodes[i]
	}
	return nil
}

// wins returns the actions that keep the win of the player on turn, the ones among them that
// begin a shortest win, and the length of the longest win.
func (e *endgame) wins(game env.Game, s env.State) (wins, shortest []env.Action, longest int) {
	n := e.at(s)
	for _, a := range s.Legal(nil) {
		after := e.at(env.After(game, s, a))
		if after == nil || after.winner != n.winner {
			continue // nil: there is a win at once
		}
		wins = append(wins, a)
		if longest = max(longest, after.plies+1); after.plies < n.plies {
			shortest = append(shortest, a)
		}
	}
	return wins, shortest, longest
}

// question returns the wins of s as fields of a line, or "" if s is not suitable. The player on
// turn must win in 15 plies or more, and must have a choice between shortest wins, longer
// wins, and actions that do not win.
//
// Repetition and limits must not spoil the wins. All positions of a shortest win differ, so none
// occurs for the third time unless it has occurred twice since the last progress, which the
// caller excludes. The limits must be farther away than the longest win.
func (e *endgame) question(game env.Game, s env.State, ply int) string {
	n := e.at(s)
	if n == nil || n.winner != int(s.Turn()) || n.plies < 15 {
		return ""
	}
	wins, shortest, longest := e.wins(game, s)
	if len(wins) == len(s.Legal(nil)) || len(shortest) == len(wins) ||
		s.(env.Repeater).Quiet()+longest > 150 || ply+longest > game.Spec().MaxPlies {
		return ""
	}
	return fmt.Sprintf(`"wins":%q,"shortest":%q`, names(s, wins), names(s, shortest))
}

func names(s env.State, actions []env.Action) string {
	var names []string
	for _, a := range actions {
		names = append(names, s.ActionString(a))
	}
	return strings.Join(names, " ")
}

// questions plays a game of Coerceo between weak players and returns at most four questions
// about its endgame, as lines of a set.
func questions(game env.Game, seed uint64) (lines []string) {
	s, rng := game.New(), env.NewRand(seed)
	var moves []string
	var e *endgame
	twice := false // whether a position has occurred twice since the last progress
	tried, next := 0, 0
	for len(lines) < 4 {
		if _, over := s.Result(); over {
			break
		}
		if here := size(s); e == nil && here < 400 && here != tried {
			tried, e = here, solveEndgame(game, s, 100_000)
		}
		if e != nil && e.at(s) == nil {
			break
		}
		r := s.(env.Repeater)
		twice = r.Quiet() > 0 && twice || r.LastOccurrence() > 0
		if answer := e.question(game, s, len(moves)); answer != "" && !twice && len(moves) >= next {
			lines = append(lines, fmt.Sprintf(`{"moves":%q,%s}`, strings.Join(moves, " "), answer))
			next = len(moves) + 15
		}
		a := weak(game, s, e, rng)
		moves = append(moves, s.ActionString(a))
		s.Play(a)
	}
	return lines
}

// weak returns the best of some random actions in the opinion of a weak player, who prefers
// small boards and avoids the end of the game. In an endgame, the player avoids repetition,
// keeps a win without a plan to shorten it, and else prefers the longest loss.
func weak(game env.Game, s env.State, e *endgame, rng *rand.Rand) (choice env.Action) {
	legal, best, samples, n := s.Legal(nil), math.MinInt, 8, e.at(s)
	if n != nil {
		samples = 4
	}
	for range samples {
		a := legal[rng.IntN(len(legal))]
		next := env.After(game, s, a)
		worth := -size(next)
		if after := e.at(next); n == nil {
			if _, over := next.Result(); over {
				worth -= 1 << 20
			}
		} else if after != nil && next.(env.Repeater).LastOccurrence() == 0 {
			switch {
			case n.winner != int(n.turn):
				worth = after.plies
			case after.winner == n.winner:
				worth = 0
			}
		}
		if worth > best {
			choice, best = a, worth
		}
	}
	return choice
}

// size returns the number of pieces of a position of Coerceo plus 100 for each tile.
func size(s env.State) (n int) {
	tiles, _, _ := strings.Cut(s.(env.Positioner).Position(), " ")
	for tile := range strings.SplitSeq(tiles, ".") {
		if mask, err := strconv.ParseUint(tile, 16, 8); err == nil {
			n += 100 + bits.OnesCount64(mask)
		}
	}
	return n
}

// TestEndgameSet: the set is made by the games of seeds 0, 1 and so on, of which the test plays
// the first ones again. With -remake it writes the set.
func TestEndgameSet(t *testing.T) {
	game := newGame(t, "coerceo")
	need := effort.Of(2, 6, 100)
	if *remake {
		need = 100
	}
	var lines []string
	for seed := uint64(0); len(lines) < need; seed++ {
		lines = append(lines, questions(game, seed)...)
	}
	path := Path(game, Endgame)
	if *remake {
		var packed bytes.Buffer
		z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		require.NoError(t, err)
		fmt.Fprintf(z, `{"format":1,"what":"tiro exam set","game":"coerceo","version":%d,"kind":"endgame","made":"go test ./study/exam -run TestEndgameSet -remake"}`+"\n", game.Spec().Version)
		fmt.Fprintln(z, strings.Join(lines, "\n"))
		require.NoError(t, z.Close())
		require.NoError(t, os.WriteFile(path, packed.Bytes(), 0o644))
	}
	packed, err := os.Open(path)
	require.NoError(t, err)
	defer packed.Close()
	z, err := gzip.NewReader(packed)
	require.NoError(t, err)
	text, err := io.ReadAll(z)
	require.NoError(t, err)
	require.Equal(t, lines, strings.Split(string(text), "\n")[1:len(lines)+1])
}

// TestEndgames solves questions of the set alone, without the endgame of the game from which
// they come, and plays the shortest win with the history and the clocks of the game. Where seven
// plies are left, an exhaustive search finds the shortest wins and no others.
func TestEndgames(t *testing.T) {
	game := newGame(t, "coerceo")
	set := bundledSet(t, game, Endgame)
	for i := 3; i < len(set.Questions); i += effort.Of(50, 20, 1) {
		q := &set.Questions[i]
		e := solveEndgame(game, q.State, math.MaxInt)
		require.Equal(t, fmt.Sprintf(`"wins":%q,"shortest":%q`, names(q.State, q.Right), names(q.State, q.Shortest)),
			e.question(game, q.State, len(q.History)), "line %d", i+2)
		s, winner := env.After(game, q.State), q.State.Turn()
		for n := e.at(s); n.plies > 0; n = e.at(s) {
			_, shortest, _ := e.wins(game, s)
			if n.plies == 7 {
				require.False(t, forced(game, s, winner, 5))
				for _, a := range s.Legal(nil) {
					require.Equal(t, slices.Contains(shortest, a), forced(game, env.After(game, s, a), winner, 6), "%s in %s", s.ActionString(a), s)
				}
			}
			if s.Turn() != winner { // all are losses; the longest is one ply shorter
				shortest = slices.DeleteFunc(s.Legal(nil), func(a env.Action) bool { return e.at(env.After(game, s, a)).plies != n.plies-1 })
			}
			s.Play(shortest[0])
			require.Equal(t, n.plies-1, e.at(s).plies)
		}
		v, over := s.Result()
		require.True(t, over)
		require.Equal(t, float32(1), v[winner], "line %d", i+2)
	}
}

// forced reports whether a player can force a win within the given number of plies.
func forced(game env.Game, s env.State, winner env.Player, plies int) bool {
	if v, over := s.Result(); over || plies == 0 {
		return v[winner] == 1
	}
	wins := func(a env.Action) bool { return forced(game, env.After(game, s, a), winner, plies-1) }
	if s.Turn() == winner {
		return slices.ContainsFunc(s.Legal(nil), wins)
	}
	return !slices.ContainsFunc(s.Legal(nil), func(a env.Action) bool { return !wins(a) })
}
