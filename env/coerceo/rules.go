package coerceo

import "tiro/env"

// Version is raised when rules, observation or action layout change.
const Version = 1

// Winning rules (6).
const (
	base        = iota // take the last piece
	casual             // the same; dead positions are drawn
	short              // remove twelve pieces; dead positions are drawn
	competitive        // remove twelve pieces; threefold repetition may be claimed
)

// What becomes of a player without a legal turn (6.2).
const (
	noMoveAuto = iota // drawn in casual and short, where it is a dead position, lost otherwise
	noMoveDraw
	noMoveLoss
)

// historyLen is how far back positions are remembered for repetitions, and
// therefore the largest no-progress limit.
const historyLen = 256

// claimable is how often a position must have occurred for a claim (6.3).
const claimable = 3

// rules are the options of a game; see the package comment for each.
type rules struct {
	win            uint8
	noMoveLoses    bool
	exchangeCounts bool   // exchanged pieces count among the twelve (R12)
	repetition     uint8  // occurrences that draw by themselves, 0 = off
	noProgress     uint16 // plies without progress that draw, 0 = off
	maxPlies       uint16
}

// twelve reports whether removing twelve pieces wins.
func (r *rules) twelve() bool { return r.win == short || r.win == competitive }

// dead reports whether dead positions are drawn.
func (r *rules) dead() bool { return r.win == casual || r.win == short }

// remembers reports whether earlier positions matter.
func (r *rules) remembers() bool { return r.win == competitive || r.repetition > 0 }

// recurrence is the number of occurrences that means something.
func (r *rules) recurrence() uint8 {
	if r.win == competitive {
		return claimable
	}
	return r.repetition
}

// Game is Coerceo with its options fixed.
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

// New returns the game with options o, which the package comment lists.
func New(o *env.Options) (env.Game, error) {
	r := rules{exchangeCounts: true}
	r.win = [4]uint8{casual, base, short, competitive}[o.Choice("win", "casual", "base", "short", "competitive")]
	price := [2]int{2, 1}[o.Choice("price", "2", "1")]
	switch o.Choice("nomove", "auto", "draw", "loss") {
	case noMoveAuto:
		r.noMoveLoses = !r.dead()
	case noMoveLoss:
		r.noMoveLoses = true
	}
	if r.twelve() {
		r.exchangeCounts = o.Choice("exchangecounts", "true", "false") == 0
	}
	if r.win != competitive {
		r.repetition = [5]uint8{3, 0, 2, 4, 5}[o.Choice("repetition", "3", "0", "2", "4", "5")]
	}
	r.noProgress = uint16(o.Int("noprogress", 150, 0, historyLen))
	r.maxPlies = uint16(o.Int("maxplies", 1000, 1, 60000))
	if err := o.Err(); err != nil {
		return nil, err
	}
	g := &Game{spec: env.Spec{
		Name: o.String(), Players: 2,
		Planes: planes, Height: side, Width: side, PolicyPlanes: policyPlanes,
		MaxPlies: int(r.maxPlies), OwnershipClasses: ownershipClasses, Version: Version,
	}, symmetries: newSymmetries()}
	g.start.rules = r
	g.start.begin(Start(price))
	return g, nil
}

// Spec returns the game's measures.
func (g *Game) Spec() env.Spec { return g.spec }

// SeatName returns White or Black.
func (g *Game) SeatName(p env.Player) string { return playerNames[p] }

// New returns the start position.
func (g *Game) New() env.State {
	s := new(State)
	s.CopyFrom(&g.start)
	return s
}

// Symmetries returns the six symmetries that keep the colours (1.6).
func (g *Game) Symmetries() []env.Symmetry { return g.symmetries }
