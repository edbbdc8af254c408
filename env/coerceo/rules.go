package coerceo

import "tiro/env"

// Version is raised when rules, observation or action layout change.
const Version = 3

// Winning rules (6).
const (
	base        = iota // take the opponent's last piece
	casual             // the same, but dead positions are drawn
	short              // remove twelve pieces; dead positions are drawn
	competitive        // remove twelve pieces; threefold repetition may be claimed
)

// Results for a player without a legal turn (6.2).
const (
	noMoveAuto = iota // a draw in casual and short, where the position is dead; otherwise a loss
	noMoveDraw
	noMoveLoss
)

// historyLen is the number of positions remembered for repetitions, and therefore the
// maximum no-progress limit.
const historyLen = 256

// claimable is the number of occurrences required for a claim (6.3).
const claimable = 3

// rules are the options of a game; see Options for each.
type rules struct {
	win            uint8
	noMoveLoses    bool
	exchangeCounts bool   // exchanged pieces count among the twelve (R12)
	repetition     uint8  // number of occurrences that draws automatically, 0 = off
	noProgress     uint16 // number of plies without progress that draws, 0 = off
	maxPlies       uint16
}

// twelve reports whether removing twelve pieces wins.
func (r *rules) twelve() bool { return r.win == short || r.win == competitive }

// dead reports whether dead positions are drawn.
func (r *rules) dead() bool { return r.win == casual || r.win == short }

// remembers reports whether earlier positions matter.
func (r *rules) remembers() bool { return r.win == competitive || r.repetition > 0 }

// recurrence returns the number of occurrences that draws or allows a claim.
func (r *rules) recurrence() uint8 {
	if r.win == competitive {
		return claimable
	}
	return r.repetition
}

// Game is Coerceo with fixed options.
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

// Options returns the options of the game, in the order of canonical game strings.
func Options() []env.Option {
	return []env.Option{winRule, price, withoutTurn, exchangeCounts, repetition, noProgress, maxPlies}
}

var (
	winRule = env.Option{
		Name: "win", Words: []string{"casual", "base", "short", "competitive"},
		Help: "how to win: casual and base take the last piece, short and competitive remove twelve; casual and short draw dead positions, in which no piece can ever be removed; in competitive a player may claim a draw when a position has occurred three times",
	}
	price = env.Option{
		Name: "price", Words: []string{"2", "1"},
		Help: "price of an exchange in tiles",
	}
	withoutTurn = env.Option{
		Name: "nomove", Words: []string{"auto", "draw", "loss"},
		Help: "result for a player without a turn; auto is a draw in casual and short, where the position is dead, and a loss in base and competitive",
	}
	exchangeCounts = env.Option{
		Name: "exchangecounts", Words: []string{"true", "false"},
		Help: "whether pieces taken by exchange count among the twelve; only with win=short and win=competitive",
	}
	repetition = env.Option{
		Name: "repetition", Words: []string{"3", "0", "2", "4", "5"},
		Help: "number of occurrences of a position that draws automatically, 0 for never; not with win=competitive, which has claims",
	}
	noProgress = env.Option{
		Name: "noprogress", Default: 150, Max: historyLen,
		Help: "number of plies without a piece or tile leaving the board that draws, 0 for never",
	}
	maxPlies = env.Option{
		Name: "maxplies", Default: 1000, Min: 1, Max: 60000,
		Help: "number of plies after which a game is drawn",
	}
)

// New returns the game with options o.
func New(o *env.Options) (env.Game, error) {
	r := rules{exchangeCounts: true}
	r.win = [...]uint8{casual, base, short, competitive}[o.Choice(winRule)]
	tiles := [...]int{2, 1}[o.Choice(price)]
	switch o.Choice(withoutTurn) {
	case noMoveAuto:
		r.noMoveLoses = !r.dead()
	case noMoveLoss:
		r.noMoveLoses = true
	}
	if r.twelve() {
		r.exchangeCounts = o.Choice(exchangeCounts) == 0
	}
	if r.win != competitive {
		r.repetition = [...]uint8{3, 0, 2, 4, 5}[o.Choice(repetition)]
	}
	r.noProgress = uint16(o.Int(noProgress))
	r.maxPlies = uint16(o.Int(maxPlies))
	if err := o.Err(); err != nil {
		return nil, err
	}
	g := &Game{spec: env.Spec{
		Name: o.String(), Players: 2,
		Planes: planes, Height: side, Width: side, PolicyPlanes: policyPlanes,
		MaxPlies: int(r.maxPlies), OwnershipClasses: ownershipClasses, Version: Version, RulesVersion: 1,
	}, symmetries: newSymmetries()}
	g.start.rules = r
	g.start.begin(Start(tiles))
	return g, nil
}

// Spec returns the specification of the game.
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
