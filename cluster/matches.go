package cluster

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"sort"
	"strings"

	"tiro/arena"
	"tiro/env"
	"tiro/format"
	"tiro/internal/faults"
	"tiro/mcts"
	"tiro/net"
	"tiro/net/kernel"
	players "tiro/player" // the package has a type player
)

// MaxMatchGames is how many games a match has at most that is played by workers.
const MaxMatchGames = 1 << 20

// maxMatches bounds an announcement.
const maxMatches = 64

// matchBatch is how many positions a network evaluates at a time.
const matchBatch = 64

// announcedMatches says which matches are to be played. Their games are numbered one match
// after the other.
type announcedMatches struct {
	announced
	Players []players.Spec   `json:"players"` // of all matches
	Matches []announcedMatch `json:"matches"`
}

// announcedMatch is a match: all that its games depend on.
type announcedMatch struct {
	Players      []int              `json:"players"` // indices
	Games        int                `json:"games"`
	Seed         uint64             `json:"seed"`
	Opening      int                `json:"opening"`
	Adjudication arena.Adjudication `json:"adjudication"`
}

// matches are the games of matches.
type matches struct {
	announcedMatches
	game  env.Game
	find  env.Lookup
	all   []arena.Match
	first []int          // number of the first game of each match, then that of all games
	want  []arena.Wanted // by match; nil for a worker

	weights map[string]func(io.Writer) error // write weights files, by checksum; nil for a worker
}

var _ work = (*matches)(nil)

// PlayGames has games of matches played, and passes each to its Wanted.Take in the order in
// which they arrive. Whoever plays a game, it is the one that arena.Play plays. PlayGames
// returns when no more are wanted, or with the error of ctx, or of what went wrong, such as
// a player that other machines cannot make. All matches are of one game.
func (t *Trainer) PlayGames(ctx context.Context, games []arena.Wanted) error {
	m, err := t.newMatches(games)
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	if _, err := t.perform(ctx, m); err != nil {
		return fmt.Errorf("cluster: %s: %w", m, err)
	}
	return nil
}

// newMatches returns the order of games.
func (t *Trainer) newMatches(games []arena.Wanted) (*matches, error) {
	if t.o.Backend == "" || t.o.Find == nil {
		return nil, errors.New("no backend, or nothing that finds games; want both for matches")
	}
	game := games[0].Match.Game
	m := &matches{game: game, find: t.o.Find, want: games, weights: map[string]func(io.Writer) error{}}
	m.announced = newAnnounced(matchesKind, game, t.o.Version, t.o.Backend)
	for i := range games {
		match := &games[i].Match
		a := announcedMatch{Games: match.Games, Seed: match.Seed, Opening: match.Opening, Adjudication: match.Adjudication}
		for _, p := range match.Players {
			s, weights, err := p.Remote()
			if err != nil {
				return nil, err
			}
			a.Players = append(a.Players, m.player(s, weights))
		}
		m.Matches = append(m.Matches, a)
	}
	return m, m.number()
}

// player returns the index of a player, which is added if it is new. Weights writes the
// weights file of its network, if it has one.
func (m *matches) player(s players.Spec, weights func(io.Writer) error) int {
	same := func(o players.Spec) bool { return o.Key() == s.Key() }
	if i := slices.IndexFunc(m.Players, same); i >= 0 {
		return i
	}
	if s.Weights != "" {
		m.weights[s.Weights] = weights
	}
	m.Players = append(m.Players, s)
	return len(m.Players) - 1
}

// readMatches reads an announcement of which all that it has in common with others was
// checked.
func readMatches(data []byte, game env.Game, find env.Lookup) (work, error) {
	m := &matches{game: game, find: find}
	if err := format.DecodeStrict(data, &m.announcedMatches); err != nil {
		return nil, fmt.Errorf("the announcement: %w", err)
	}
	return m, m.number()
}

// checksumPattern is what the SHA-256 of a network looks like.
var checksumPattern = regexp.MustCompile(`^[0-9a-f]{64}$`)

// number checks what is announced, makes the matches, without players, and numbers their
// games.
func (m *matches) number() error {
	var f faults.List
	f.Check(len(m.Matches) >= 1 && len(m.Matches) <= maxMatches, "matches", len(m.Matches), fmt.Sprintf("1 to %d", maxMatches))
	for i, s := range m.Players {
		at := fmt.Sprintf("players[%d]", i)
		f.Section(at, cmp.Or(s.Local(), s.Validate()))
		f.Check(s.Kind != players.Net || s.Network == "" && checksumPattern.MatchString(s.Weights), at+".weights", fmt.Sprintf("%.40q", s.Network+s.Weights), "the SHA-256 of a network")
	}
	m.first = []int{0}
	for i, a := range m.Matches {
		match := arena.Match{
			Game: m.game, Games: a.Games, Seed: a.Seed, Opening: a.Opening, Adjudication: a.Adjudication, Workers: 1,
			Players: slices.Repeat([]players.Factory{players.Must(m.game, players.Random)}, len(a.Players)),
		}
		at := fmt.Sprintf("matches[%d]", i)
		f.Section(at, match.Validate())
		f.Check(a.Games <= MaxMatchGames, at+".games", a.Games, fmt.Sprintf("at most %d", MaxMatchGames))
		for _, p := range a.Players {
			f.Check(p >= 0 && p < len(m.Players), at+".players", p, "the index of a player")
		}
		m.all = append(m.all, match)
		m.first = append(m.first, m.first[i]+a.Games)
		if err := f.Err(); err != nil {
			return err // before sums overflow
		}
	}
	return f.Err()
}

func (m *matches) String() string {
	var names []string
	for i, s := range m.Players {
		if i == env.MaxPlayers {
			names = append(names, "…")
			break
		}
		name := s.String()
		if s.Weights != "" {
			name = "network " + objectOf(s.Weights)
		}
		names = append(names, name)
	}
	who := strings.Join(names, ", ")
	if len(m.Matches) == 1 {
		return "the match of " + who
	}
	return fmt.Sprintf("%d matches of %s", len(m.Matches), who)
}

func (m *matches) common() *announced      { return &m.announced }
func (m *matches) encode() ([]byte, error) { return encodeAnnouncement(&m.announcedMatches) }
func (m *matches) size() int               { return m.first[len(m.all)] }

// match returns the match of a game.
func (m *matches) match(number int) int { return sort.SearchInts(m.first, number+1) - 1 }

func (m *matches) done() (numbers []int) {
	for i, w := range m.want {
		wanted := map[int]bool{}
		for _, n := range w.Games {
			wanted[n] = true
		}
		for n := range m.all[i].Games {
			if !wanted[n] {
				numbers = append(numbers, m.first[i]+n)
			}
		}
	}
	return numbers
}

func (m *matches) networks() map[string]func() ([]byte, error) {
	all := map[string]func() ([]byte, error){}
	for _, s := range m.Players {
		if s.Weights != "" {
			all[objectOf(s.Weights)] = func() ([]byte, error) { return m.weightsFile(s.Weights) }
		}
	}
	return all
}

// weightsFile returns the weights file with a checksum.
func (m *matches) weightsFile(sum string) ([]byte, error) {
	var data bytes.Buffer
	err := m.weights[sum](&data)
	return data.Bytes(), err
}

func (m *matches) prepare(ctx context.Context, f *fetcher, backend kernel.Backend, goroutines int) (atOnce int, err error) {
	evaluators := int64(0)
	err = m.build(f.counted, func(s players.Spec, spec env.Spec) (*net.Model, error) {
		k, err := f.network(ctx, s.Weights, spec, backend)
		if err != nil {
			return nil, err
		}
		evaluators += k.config.EvaluatorBytes(spec, matchBatch)
		return k.model, nil
	})
	if err != nil {
		return 0, err
	}
	trees := int64(0) // of a game of the match whose games take most
	for i := range m.all {
		trees = max(trees, m.all[i].TreeBytes())
	}
	return fitting(f.memory, goroutines, m.atOnce(), evaluators, trees, f.bytes())
}

// atOnce returns how many games a goroutine plays at once.
func (m *matches) atOnce() (most int) {
	for i := range m.all {
		most = max(most, m.all[i].AtOnce())
	}
	return most
}

// build makes the players. Open returns the network of one, which was trained for the game
// of a spec.
func (m *matches) build(c *counter, open func(players.Spec, env.Spec) (*net.Model, error)) error {
	models := map[string]*net.Model{} // by checksum
	network := func(s players.Spec) (n players.Network, err error) {
		trained, err := m.find(s.TrainedFor)
		if err == nil {
			err = m.game.Spec().CheckNetwork(trained.Spec())
		}
		if err != nil {
			return n, fmt.Errorf("%w: network %.16s: %w", errRefused, s.Weights, err)
		}
		model := models[s.Weights]
		if model == nil {
			if model, err = open(s, trained.Spec()); err != nil {
				return n, err
			}
			models[s.Weights] = model
		}
		n.SHA256, n.TrainedFor = s.Weights, s.TrainedFor
		n.Evaluator = func() mcts.Evaluator { return c.count(net.NewEvaluator(m.game, model, matchBatch)) }
		return n, nil
	}
	var factories []players.Factory
	for _, s := range m.Players {
		factory, err := s.Factory(m.game, players.Resources{Open: network})
		if err != nil {
			return err
		}
		factories = append(factories, factory)
	}
	for i := range m.all {
		match := &m.all[i]
		match.Players = nil
		for _, p := range m.Matches[i].Players {
			match.Players = append(match.Players, factories[p])
		}
	}
	return nil
}
