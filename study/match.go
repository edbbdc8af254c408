package study

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"tiro/arena"
	"tiro/env"
	"tiro/mcts"
	"tiro/models/card"
	"tiro/net"
	"tiro/net/kernel"
)

// Progress is called when a match begins. It returns what to call when a game has
// ended, and what to call when the match has ended or was interrupted.
type Progress func(Upcoming) (game func(arena.Progress), end func())

// Upcoming is a match that begins.
type Upcoming struct {
	Title string // such as "match 3 of 9, generation 10 against mcts:200"
	Games int
	Work  float64 // roughly how much it is, in simulations a ply
	Left  float64 // the same of this match and all that follow it
}

// Player is a player of matches.
type Player struct {
	Name string // such as "mcts:200"
	Make arena.PlayerFactory
	key  string // in a Pairing; the name if empty

	simulations int // a move, of networks; 0: the player's name says it
}

// work returns roughly how much a player thinks about a move, in simulations. A
// random playout takes about as long as an evaluation by a small network.
func (p *Player) work() float64 {
	kind, number, _ := strings.Cut(p.Name, ":")
	if n, err := strconv.Atoi(number); err == nil && kind == "mcts" {
		return float64(n)
	}
	return float64(1 + p.simulations)
}

// work returns roughly how much a match of at least so many games is.
func (m *matches) work(a, b Player, games int) float64 {
	match := m.match(a, b, games)
	return float64(match.Games) * (a.work() + b.work())
}

// ParsePlayers returns the players of package arena that names stand for. It
// refuses a name that comes twice.
func ParsePlayers(game env.Game, names []string) ([]Player, error) {
	var players []Player
	seen := map[string]bool{}
	for _, name := range names {
		factory, err := arena.ParsePlayer(game, name)
		if err != nil {
			return nil, err
		}
		if seen[name] {
			return nil, fmt.Errorf("%q is named twice", name)
		}
		seen[name] = true
		players = append(players, Player{Name: name, Make: factory})
	}
	return players, nil
}

// batch is the number of positions that a network evaluates at a time.
const batch = 64

// networkPlayer returns a player that searches with a network, whose file has the
// given checksum.
func networkPlayer(game env.Game, w *net.Weights, backend kernel.Backend, simulations int, name, checksum string) Player {
	model := net.Compile(backend, w)
	evaluator := func() mcts.Evaluator { return net.NewEvaluator(game, model, batch) }
	return Player{Name: name, Make: arena.Search(name, game, arena.NetworkConfig(simulations), evaluator), key: checksum, simulations: simulations}
}

// matches plays matches under the same conditions, and logs them.
type matches struct {
	game     env.Game
	rated    card.Conditions
	workers  int
	log      *MatchLog
	progress Progress // may be nil
	left     float64  // work of the matches that have not ended
}

// match returns the match of two players, in at least so many games.
func (m *matches) match(a, b Player, games int) arena.Match {
	match := arena.Match{
		Game: m.game, Players: []arena.PlayerFactory{a.Make, b.Make}, Seed: m.rated.Seed, Workers: m.workers, Opening: m.rated.Opening,
	}
	match.Games = match.RoundUp(games)
	return match
}

// meet returns how network a does against b in at least so many games: from the
// log, or from a match that is played and logged.
func (m *matches) meet(ctx context.Context, title string, a, b Player, games int) (card.Rating, error) {
	match, work := m.match(a, b, games), m.work(a, b, games)
	defer func() { m.left -= work }()
	p := pairing(m.rated, a.key, cmp.Or(b.key, b.Name), match.Games)
	rating, ok := m.log.Find(p)
	rating.Opponent = b.Name // networks of the same weights may have other names
	if ok {
		return rating, nil
	}
	if m.progress != nil {
		game, end := m.progress(Upcoming{title, match.Games, work, m.left})
		defer end()
		match.Progress = game
	}
	report, err := arena.Play(ctx, match)
	if err != nil {
		return rating, err
	}
	rating = newRating(b.Name, report)
	m.log.Add(p, rating)
	return rating, m.log.Save()
}

// newRating returns the result of the first of two players against the other.
func newRating(opponent string, report arena.Report) card.Rating {
	p := report.Players[0]
	elo := p.Elo[1]
	return card.Rating{
		Opponent: opponent, Games: report.Games, Distinct: report.Distinct, Wins: p.Wins, Draws: p.Draws, Losses: p.Losses,
		Score:      card.Interval(p.Score),
		EqualScore: p.EqualScore,
		Elo:        card.Elo{Value: finite(elo.Value), Low: finite(elo.Low), High: finite(elo.High)},
	}
}

// finite returns x, or nil if it is infinite or unknown.
func finite(x float64) *float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	return &x
}
