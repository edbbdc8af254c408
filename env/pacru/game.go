package pacru

import (
	"fmt"
	"slices"

	"tiro/env"
)

// kind is one of the three games.
type kind uint8

const (
	shacru kind = iota
	azacru
	pacru
)

// versions are raised when the rules, observation or action layout of a game change.
var versions = [...]int{shacru: 2, azacru: 2, pacru: 1}

// rules are the game and its options; see Options for each.
type rules struct {
	kind     kind
	players  uint8
	meeting  uint8  // markers that another seat needs for a meeting to count (4.1)
	still    uint16 // turns in a row without a change of markers that end the game, 0 = no limit
	maxTurns uint16
}

// long reports whether power of movement depends on markers.
func (r *rules) long() bool { return r.kind != shacru }

// distances returns the number of distances per direction in the action planes.
func (r *rules) distances() int {
	if r.kind == shacru {
		return 1
	}
	return farthest
}

// twists returns the number of twists per distance in the action planes.
func (r *rules) twists() int {
	if r.kind == pacru {
		return 1
	}
	return 3
}

// slidePlanes returns the number of action planes for slides, which come first.
func (r *rules) slidePlanes() int { return directions * r.distances() * r.twists() }

// policyPlanes returns the number of all action planes.
func (r *rules) policyPlanes() int {
	if r.kind == pacru {
		return r.slidePlanes() + pacruPlanes
	}
	return r.slidePlanes() + 1
}

// target returns the number of markers that wins in Pacru (4).
func (r *rules) target() int { return [...]int{42, 28, 24}[r.players-2] }

// eachStarts returns the initial number of chevrons per seat.
func (r *rules) eachStarts() int { return [...]int{4, 3, 3}[r.players-2] }

// Game is Shacru, Azacru or Pacru with fixed options.
type Game struct {
	spec       env.Spec
	start      State
	symmetries []env.Symmetry
}

var (
	_ env.Game      = (*Game)(nil)
	_ env.Symmetric = (*Game)(nil)
	_ env.SeatNamer = (*Game)(nil)
)

var (
	seats = env.Option{Name: "players", Default: 2, Min: 2, Max: env.MaxPlayers, Help: "number of players"}
	meets = env.Option{
		Name: "meeting", Words: []string{"0", "9"},
		Help: "number of markers that another player must have for a meeting to count; 9 is the publisher's rule since March 2011",
	}
	noProgressTurns = env.Option{
		Name: "noprogress", Default: 40, Max: 1000,
		Help: "number of turns in a row without a change of markers, per player, that ends the game, 0 for no limit",
	}
	maxTurns = env.Option{
		Name: "maxturns", Default: 250, Min: 1, Max: 5000,
		Help: "number of turns per player that ends the game",
	}
)

// Options returns the options of Shacru and Azacru, in the order of canonical game
// strings.
func Options() []env.Option { return []env.Option{seats, noProgressTurns, maxTurns} }

// PacruOptions returns the options of Pacru.
func PacruOptions() []env.Option { return slices.Insert(Options(), 1, meets) }

// NewShacru returns Shacru with options o.
func NewShacru(o *env.Options) (env.Game, error) { return newGame(shacru, o) }

// NewAzacru returns Azacru with options o.
func NewAzacru(o *env.Options) (env.Game, error) { return newGame(azacru, o) }

// NewPacru returns Pacru with options o.
func NewPacru(o *env.Options) (env.Game, error) { return newGame(pacru, o) }

func newGame(k kind, o *env.Options) (env.Game, error) {
	r := rules{kind: k, players: uint8(o.Int(seats))}
	if k == pacru && o.Choice(meets) == 1 {
		r.meeting = 9
	}
	r.still = uint16(o.Int(noProgressTurns)) * uint16(r.players)
	r.maxTurns = uint16(o.Int(maxTurns)) * uint16(r.players)
	if err := o.Err(); err != nil {
		return nil, err
	}
	g := &Game{
		spec: env.Spec{
			Name: o.String(), Players: int(r.players),
			Planes: r.planes(), Height: side, Width: side, PolicyPlanes: r.policyPlanes(),
			MaxPlies: int(r.maxTurns), OwnershipClasses: int(r.players) + 1, Version: versions[k], RulesVersion: 1,
		},
		symmetries: newSymmetries(&r),
	}
	if k == pacru {
		g.spec.MaxPlies *= longestTurn
	}
	g.start.rules = r
	if err := g.start.SetPosition(startPosition(int(r.players))); err != nil {
		return nil, fmt.Errorf("start position: %w", err)
	}
	return g, nil
}

// Spec returns the specification of the game.
func (g *Game) Spec() env.Spec { return g.spec }

// New returns the start position.
func (g *Game) New() env.State {
	s := g.start
	return &s
}

// SeatName returns the colour of the seat's side in the booklet (1.1).
func (g *Game) SeatName(p env.Player) string { return colours[g.spec.Players-2][p].name }

// Symmetries returns the eight symmetries of the square: rotations by 0, 90, 180 and 270
// degrees clockwise, alone and after a reflection from west to east. They preserve the
// rules but not the start position; State.SetImage creates images of positions.
func (g *Game) Symmetries() []env.Symmetry { return g.symmetries }

// startPosition returns the start position of all three games (1.1).
func startPosition(players int) string {
	const unmarked = "................................................................................."
	return fmt.Sprintf("%d;0;%s;%s;-", players, unmarked, [...]string{
		"a1:1NE,e1:0N,a3:0E,i3:0W,a7:1E,i7:1W,e9:1S,i9:0SW",
		"c1:2N,g1:1N,a5:2E,i5:1W,a7:0E,i7:0W,c9:2S,e9:0S,g9:1S",
		"c1:3N,e1:2N,g1:1N,a3:2E,i3:2W,a5:3E,i5:1W,a7:0E,i7:0W,c9:3S,e9:0S,g9:1S",
	}[players-2])
}
