package cluster

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"sync"

	"tiro/arena"
	"tiro/env"
	"tiro/internal/faults"
	"tiro/mcts"
	"tiro/net"
	"tiro/net/kernel"
	players "tiro/player"
	"tiro/rundir"
)

// maxMatches bounds the matches in an announcement.
const maxMatches = 64

// matchBatch is the number of positions that a network evaluates at a time.
const matchBatch = 64

// announcedMatches describes matches. Their games are numbered one match after the other.
type announcedMatches []announcedMatch

// announcedMatch describes the games of a match.
type announcedMatch struct {
	Players      []players.Spec     `json:"players"`
	Games        int                `json:"games"`
	Seed         uint64             `json:"seed"`
	Opening      int                `json:"opening"`
	Starts       []arena.Start      `json:"starts,omitempty"`
	Adjudication arena.Adjudication `json:"adjudication"`
}

// matches is the games of matches.
type matches struct {
	announcedMatches
	game  env.Game
	find  env.Lookup
	all   []arena.Match
	first []int          // number of the first game of each match, and after the last game
	want  []arena.Wanted // by match; nil for a worker
}

var _ work = (*matches)(nil)

// PlayGames lets workers play games of matches, and passes each to its Wanted.Take as it arrives.
// They are the games that arena.Play plays. PlayGames returns when no more are wanted, or
// with ctx's error, or with an error such as a player that other machines cannot make. All
// matches must be of one game.
func (t *Trainer) PlayGames(ctx context.Context, games []arena.Wanted) error {
	k, err := t.newMatches(games)
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	_, err = t.perform(ctx, k)
	return err
}

// newMatches returns the task of games.
func (t *Trainer) newMatches(games []arena.Wanted) (*task, error) {
	backend := cmp.Or[net.Backend](t.o.Backend, kernel.Best())
	game := games[0].Match.Game
	k := &task{announcement: t.announce(game, backend.Bits()), networks: map[string][]byte{}}
	for i := range games {
		match := &games[i].Match
		next := announcedMatch{Games: match.Games, Seed: match.Seed, Opening: match.Opening, Adjudication: match.Adjudication}
		next.Starts = match.Starts[:min(len(match.Starts), (match.Games+match.Group()-1)/match.Group())] // the others are not played
		for _, p := range match.Players {
			s, write, err := p.Remote()
			if name := objectOf(s.Weights); err == nil && name != "" && k.networks[name] == nil {
				var file bytes.Buffer
				err = write(&file)
				k.networks[name] = file.Bytes()
			}
			if err != nil {
				return nil, err
			}
			next.Players = append(next.Players, s)
		}
		k.announcement.Matches = append(k.announcement.Matches, next)
	}
	m, err := k.announcement.Matches.matches(game, t.o.Find)
	if err != nil {
		return nil, err
	}
	k.work, m.want = m, games
	for i, w := range games {
		for n := range w.Match.Games {
			if _, wanted := slices.BinarySearch(w.Games, n); !wanted {
				k.existing = append(k.existing, m.first[i]+n)
			}
		}
	}
	return k, nil
}

// matches checks the announcement, and returns the matches without their players.
func (a announcedMatches) matches(game env.Game, find env.Lookup) (*matches, error) {
	m := &matches{announcedMatches: a, game: game, find: find, first: []int{0}}
	var f faults.List
	faults.Within(&f, "matches", len(a), 1, maxMatches)
	for i, next := range a {
		match := arena.Match{
			Game: game, Games: next.Games, Seed: next.Seed, Opening: next.Opening, Starts: next.Starts, Adjudication: next.Adjudication, Workers: 1,
			Players: slices.Repeat([]players.Factory{players.Must(game, players.Random)}, len(next.Players)),
		}
		at := fmt.Sprintf("matches[%d]", i)
		f.Section(at, match.Validate())
		for seat, s := range next.Players {
			at := fmt.Sprintf("%s.players[%d]", at, seat)
			f.Section(at, cmp.Or(s.Local(), s.Validate()))
		}
		if err := f.Err(); err != nil {
			return nil, err // before the sum overflows
		}
		m.all = append(m.all, match)
		m.first = append(m.first, m.first[i]+next.Games)
	}
	return m, f.Err()
}

func (m *matches) size() int { return m.first[len(m.all)] }

func (m *matches) String() string { return fmt.Sprintf("matches (%d)", len(m.all)) }

// match returns the index of a game's match.
func (m *matches) match(number int) int { return sort.SearchInts(m.first, number+1) - 1 }

func (m *matches) prepare(ctx context.Context, f *fetcher, backend net.Backend, _ int) (n needs, err error) {
	var evaluators int64 // of the current match
	open := func(s players.Spec) (opened players.Network, err error) {
		trained, err := m.find(s.TrainedFor)
		if err == nil {
			err = m.game.Spec().CheckNetwork(trained.Spec())
		}
		if err != nil {
			return opened, fmt.Errorf("network %.16s: %w", s.Weights, err)
		}
		k, err := f.network(ctx, s.Weights, trained.Spec(), backend)
		if err != nil {
			return opened, err
		}
		evaluators += k.config.EvaluatorBytes(trained.Spec(), matchBatch)
		batch := net.Batch(backend)
		evaluator := func() mcts.Evaluator { return f.count(k.model.NewEvaluator(m.game, max(matchBatch, batch), 1)) }
		return players.Network{Evaluator: evaluator, SHA256: s.Weights, TrainedFor: s.TrainedFor, Batch: batch}, nil
	}
	for i := range m.all {
		match := &m.all[i]
		for seat, s := range m.announcedMatches[i].Players {
			if match.Players[seat], err = s.Factory(m.game, players.Resources{Open: open}); err != nil {
				return n, err
			}
		}
		n.goroutine, evaluators = max(n.goroutine, evaluators), 0
		n.game, n.atOnce = max(n.game, match.TreeBytes()), max(n.atOnce, match.AtOnce())
	}
	return n, nil
}

// play plays games in the order in which their numbers arrive.
func (m *matches) play(ctx context.Context, h *hand) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wait sync.WaitGroup
	for range h.workers {
		wait.Go(func() {
			if err := m.playSome(ctx, h); err != nil {
				cancel(err)
			}
		})
	}
	wait.Wait()
	return context.Cause(ctx)
}

// playSome plays games on this goroutine, at most its part of the games in the hand. When
// the number of a game of another match arrives, it first finishes the games of this one.
func (m *matches) playSome(ctx context.Context, h *hand) error {
	next := arena.NoneNow // number that has arrived
	for {
		if next == arena.NoneNow {
			select {
			case next = <-h.numbers:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		i, playing := m.match(next), 0
		take := func(wait bool) (number int, more bool) {
			if next == arena.NoneNow && playing*h.workers < h.inHand() {
				select {
				case next = <-h.numbers:
				default:
				}
			}
			if next == arena.NoneNow {
				return next, !wait
			} else if m.match(next) != i {
				return 0, false
			}
			number, next = next-m.first[i], arena.NoneNow
			playing++
			return number, true
		}
		err := m.all[i].PlayNumbers(ctx, h.atOnce, take, func(r arena.GameRecord) error {
			playing--
			message, err := json.Marshal(gameMessage{i, r})
			h.finished(m.first[i]+r.Number, message)
			return err
		})
		if err != nil {
			return err
		}
	}
}

// gameMessage is the message of a game of a match.
type gameMessage struct {
	Match int              `json:"match"` // index in the announcement
	Game  arena.GameRecord `json:"game"`
}

func (m *matches) read(data []byte) (r received, err error) {
	var g gameMessage
	if err := decodeMessage(data, &g); err != nil {
		return r, err
	}
	if g.Match < 0 || g.Match >= len(m.all) {
		return r, fmt.Errorf("match %d must be 0 to %d", g.Match, len(m.all)-1)
	}
	if err := m.all[g.Match].Check(&g.Game); err != nil {
		return r, err
	}
	text, err := json.Marshal(g.Game)
	return received{m.first[g.Match] + g.Game.Number, rundir.Checksum(text), func() (unwanted []int, err error) {
		if !m.want[g.Match].Take(g.Game) {
			for n := m.first[g.Match]; n < m.first[g.Match+1]; n++ {
				unwanted = append(unwanted, n)
			}
		}
		return unwanted, nil
	}}, err
}
