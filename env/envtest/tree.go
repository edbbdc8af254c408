package envtest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tiro/env"
)

// Tree returns the game tree written in text, for 2 to 4 players.
//
//	node  = leaf | [ seat ] "(" node { node } ")"
//	seat  = "a" | "b" | "c" | "d"                the player on turn
//	leaf  = "A" | "B" | "C" | "D"                the winner, with the payoffs of env.WinFor
//	      | "="                                  a draw, 0 for each seat
//	      | "[" number { "," number } "]"        a payoff for each seat, summing to 0
//
// Lower-case letters move, capitals win. Without a seat, the root belongs to a and every
// other node to the seat after its parent's. A seat allows other orders and several actions
// in a row: in "a(a(AB) B)" player a makes two decisions. White space is ignored.
//
// Action i leads to child i and has the name i. Positions are paths from the root: "/" is
// the root, "/1/0" is child 0 of its child 1. The grid has one row, as wide as the widest
// node. Plane 0 marks the legal actions; plane 1 is, everywhere, the fraction of the tree's
// nodes that precede this one in the text.
func Tree(players int, text string) (env.Game, error) {
	if players < 2 || players > env.MaxPlayers {
		return nil, fmt.Errorf("envtest: tree of %d players, not 2 to %d", players, env.MaxPlayers)
	}
	p := parser{text: text, game: &tree{players: players}}
	if err := p.node(0, 0); err != nil {
		return nil, fmt.Errorf("envtest: tree %q at %d: %w", text, p.at, err)
	}
	if c := p.next(); c != end {
		return nil, fmt.Errorf("envtest: tree %q at %d: %q after the tree", text, p.at, c)
	}
	return p.game, nil
}

// MustTree is Tree for constant texts; it panics on errors.
func MustTree(players int, text string) env.Game {
	game, err := Tree(players, text)
	if err != nil {
		panic(err)
	}
	return game
}

// tree is a Game. Nodes are numbered in the order of the text.
type tree struct {
	players int
	nodes   []treeNode
	width   int // maximum number of children
	depth   int // plies of the longest game
}

type treeNode struct {
	turn     env.Player
	children []int     // none for a leaf
	value    env.Value // of a leaf
	path     string
}

func (t *tree) Spec() env.Spec {
	return env.Spec{
		Name: "tree", Players: t.players,
		Planes: 2, Height: 1, Width: max(1, t.width), PolicyPlanes: 1,
		MaxPlies: max(1, t.depth), Version: 1,
	}
}

func (t *tree) New() env.State { return &treeState{tree: t} }

// treeState is a node of a tree.
type treeState struct {
	tree *tree // never changed
	node int
}

var (
	_ env.Positioner = (*treeState)(nil)
	_ env.Ender      = (*treeState)(nil)
)

func (s *treeState) at() *treeNode          { return &s.tree.nodes[s.node] }
func (s *treeState) Turn() env.Player       { return s.at().turn }
func (s *treeState) Play(a env.Action)      { s.node = s.at().children[a] }
func (s *treeState) Hash() uint64           { return env.Mix(uint64(s.node)) }
func (s *treeState) Position() string       { return s.at().path }
func (s *treeState) String() string         { return s.at().path }
func (s *treeState) CopyFrom(src env.State) { *s = *src.(*treeState) }

func (s *treeState) Legal(dst []env.Action) []env.Action {
	for i := range s.at().children {
		dst = append(dst, env.Action(i))
	}
	return dst
}

func (s *treeState) Result() (v env.Value, over bool) {
	return s.at().value, len(s.at().children) == 0
}

func (s *treeState) Observe(dst []float32) {
	clear(dst)
	width := len(dst) / 2
	for i := range s.at().children {
		dst[i] = 1
	}
	for i := range width {
		dst[width+i] = float32(s.node) / float32(len(s.tree.nodes))
	}
}

func (s *treeState) ActionString(a env.Action) string { return strconv.Itoa(int(a)) }

func (s *treeState) Ending() string {
	if _, over := s.Result(); over {
		return "leaf"
	}
	return ""
}

func (s *treeState) SetPosition(pos string) error {
	i := slices.IndexFunc(s.tree.nodes, func(n treeNode) bool { return n.path == pos })
	if i < 0 {
		return fmt.Errorf("tree has no node %q (paths from the root are / or /1/0)", pos)
	}
	s.node = i
	return nil
}

// end marks the end of the text.
const end = 0

// parser reads a tree by recursive descent.
type parser struct {
	text string
	at   int
	path []string // from the root to the node being parsed
	game *tree
}

// next returns the next character that is not white space, without consuming it.
func (p *parser) next() byte {
	for ; p.at < len(p.text); p.at++ {
		if c := p.text[p.at]; !strings.ContainsRune(" \t\r\n", rune(c)) {
			return c
		}
	}
	return end
}

// node parses a node at depth. An inner node without a seat belongs to turn.
func (p *parser) node(turn env.Player, depth int) error {
	p.game.depth = max(p.game.depth, depth)
	n := len(p.game.nodes)
	p.game.nodes = append(p.game.nodes, treeNode{turn: turn, path: "/" + strings.Join(p.path, "/")})
	c := p.next()
	if c >= 'a' && c <= 'd' {
		turn = env.Player(c - 'a')
		if int(turn) >= p.game.players {
			return fmt.Errorf("seat %q of %d players", c, p.game.players)
		}
		p.game.nodes[n].turn = turn
		p.at++
		if c = p.next(); c != '(' {
			return fmt.Errorf("%q instead of ( after a lower-case letter", c)
		}
	}
	if c != '(' {
		return p.leaf(n, c)
	}
	p.at++
	return p.children(n, turn, depth)
}

func (p *parser) children(n int, turn env.Player, depth int) error {
	following := (turn + 1) % env.Player(p.game.players)
	var children []int
	for p.next() != ')' {
		if p.next() == end {
			return fmt.Errorf("unclosed (")
		}
		p.path = append(p.path, strconv.Itoa(len(children)))
		children = append(children, len(p.game.nodes))
		if err := p.node(following, depth+1); err != nil {
			return err
		}
		p.path = p.path[:len(p.path)-1]
	}
	if len(children) == 0 {
		return fmt.Errorf("() contains no node")
	}
	p.at++
	p.game.nodes[n].children = children
	p.game.width = max(p.game.width, len(children))
	return nil
}

func (p *parser) leaf(n int, c byte) (err error) {
	node := &p.game.nodes[n]
	switch {
	case c >= 'A' && int(c-'A') < p.game.players:
		node.value = env.WinFor(env.Player(c-'A'), p.game.players)
	case c == '=':
	case c == '[':
		node.value, err = p.payoffs()
	case c == end:
		return fmt.Errorf("the text ends before a node")
	default:
		return fmt.Errorf("%q does not begin a node of %d players", c, p.game.players)
	}
	p.at++
	return err
}

// payoffs parses from [ up to ].
func (p *parser) payoffs() (v env.Value, err error) {
	length := strings.IndexByte(p.text[p.at:], ']')
	if length < 0 {
		return v, fmt.Errorf("unclosed [")
	}
	numbers := strings.Split(p.text[p.at+1:p.at+length], ",")
	if len(numbers) != p.game.players {
		return v, fmt.Errorf("%d payoffs for %d players", len(numbers), p.game.players)
	}
	var sum float64
	for i, text := range numbers {
		x, err := strconv.ParseFloat(strings.TrimSpace(text), 32)
		if err != nil || !(x >= -1 && x <= 1) {
			return v, fmt.Errorf("payoff %q is not a number from -1 to 1", text)
		}
		v[i] = float32(x)
		sum += x
	}
	if sum > 1e-6 || sum < -1e-6 {
		return v, fmt.Errorf("payoffs %v sum to %v, not 0", numbers, sum)
	}
	p.at += length
	return v, nil
}
