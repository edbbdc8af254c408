package ladder

import (
	"context"
	"fmt"
	"hash/fnv"

	"tiro/arena"
	"tiro/env"
)

// batchGames is about how many games are played between two fits, a multiple of 2, 3
// and 4, the games of a group.
const batchGames = 12

// Progress is called when a batch of games begins. It returns what to call after
// each game, and what to call when the batch has ended or was interrupted.
type Progress func(Upcoming) (game func(arena.Progress), end func())

// Upcoming is a batch of games that begins.
type Upcoming struct {
	Title string // such as "mcts:400 against greedy"
	Done  int    // games of the same player, or of the same ladder, before it
	Most  int    // games that there will be at most
	Games int    // of this batch
}

// table plays batches of games under the same conditions.
type table struct {
	game     env.Game
	opening  int
	seed     uint64
	workers  int
	progress Progress // may be nil
}

// side is a player at a table.
type side struct {
	key  string // says who plays, for the seed
	name string
	make arena.PlayerFactory
}

// match returns a batch of a, on one seat, against b. The games depend on who plays and
// on the number of the batch alone, so that no two batches share openings.
func (t *table) match(a, b side, number int) arena.Match {
	m := arena.Match{
		Game: t.game, Players: []arena.PlayerFactory{a.make, b.make},
		Seed: seed(t.seed, a.key, b.key, number), Workers: t.workers, Opening: t.opening,
	}
	m.Games = m.RoundUp(batchGames)
	return m
}

// play plays a batch.
func (t *table) play(ctx context.Context, a, b side, number int, u Upcoming) (Games, error) {
	m := t.match(a, b, number)
	u.Games = m.Games
	if t.progress != nil {
		game, end := t.progress(u)
		defer end()
		m.Progress = game
	}
	report, err := arena.Play(ctx, m)
	if err != nil {
		return "", fmt.Errorf("%s against %s: %w", a.name, b.name, err)
	}
	return gamesOf(report), nil
}

// batchesAtOnce is how many batches of a round are played at once, elsewhere.
const batchesAtOnce = 32

// playElsewhere plays several batches at once.
func (t *table) playElsewhere(ctx context.Context, by arena.Gameplayer, batches []upcoming) ([]Games, error) {
	u := batches[0].shown
	if len(batches) > 1 {
		u = Upcoming{Title: fmt.Sprintf("%d pairs", len(batches))}
	}
	matches, done := make([]arena.Match, len(batches)), make([]int, len(batches))
	for i, b := range batches {
		matches[i] = t.match(b.a, b.b, b.number)
		if u.Games += matches[i].Games; len(batches) > 1 {
			u.Most = u.Games
		}
	}
	if t.progress != nil {
		game, end := t.progress(u)
		defer end()
		for i := range matches {
			matches[i].Progress = func(p arena.Progress) {
				done[i] = p.Done
				if len(matches) > 1 {
					p = arena.Progress{}
				}
				p.Done, p.Games = 0, u.Games
				for _, n := range done {
					p.Done += n
				}
				game(p)
			}
		}
	}
	reports, err := arena.PlayElsewhere(ctx, by, matches)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", u.Title, err)
	}
	games := make([]Games, len(reports))
	for i, report := range reports {
		games[i] = gamesOf(report)
	}
	return games, nil
}

// seed returns the seed of a batch.
func seed(of uint64, a, b string, number int) uint64 {
	digest := fnv.New64a()
	fmt.Fprintf(digest, "%d\n%s\n%s\n%d", of, a, b, number) // a hash never returns an error
	return digest.Sum64()
}
