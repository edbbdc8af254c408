package cluster

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"tiro/mcts"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/rundir"
	"tiro/selfplay"
	"tiro/train"
)

// generation is the games of a generation that are being played. Its methods are
// called with the lock of the Trainer.
type generation struct {
	games    train.Games
	offer    offer
	data     []byte // the announcement
	ledger   *ledger
	episodes []selfplay.Episode
	players  map[string]*rundir.Player
	workers  map[string]int  // goroutines by process
	silent   map[string]bool // players whose silence is known
	disputes int             // games of which it is not known yet which version is right
	disputed chan *claim     // these
	ended    chan struct{}   // closed when it is over, one way or the other
	over     bool
	err      error // why, unless all games are there
}

// newGeneration returns games of which none is leased.
func (t *Trainer) newGeneration(games train.Games) (*generation, error) {
	a, err := newAnnouncement(&games, t.o.Version, RulesDigest(games.Job.Game), t.o.Lease.Milliseconds())
	if err != nil {
		return nil, err
	}
	data, id, err := a.encode()
	if err != nil {
		return nil, err
	}
	games.Weights = games.Weights.Clone() // they are still being sent when learning begins to change them
	done := make([]int, len(games.Job.Done))
	for i := range games.Job.Done {
		done[i] = games.Job.Done[i].Game
	}
	return &generation{
		games: games, data: data, offer: offer{announcement: a, id: id, game: games.Job.Game, job: games.Job},
		ledger:   newLedger(games.Job.Games, t.o.Lease, done, t.playedTwice(id)),
		episodes: slices.Clone(games.Job.Done),
		players:  map[string]*rundir.Player{},
		workers:  map[string]int{},
		silent:   map[string]bool{},
		disputed: make(chan *claim, maxDisputes),
		ended:    make(chan struct{}),
	}, nil
}

// end ends the generation.
func (g *generation) end(err error) {
	if !g.over {
		g.over, g.err = true, err
		close(g.ended)
	}
}

// endIfComplete ends the generation if nothing is to come any more.
func (g *generation) endIfComplete(now time.Time) {
	if g.disputes == 0 && g.ledger.complete(now) {
		g.end(nil)
	}
}

// player returns what is known of a player.
func (g *generation) player(name string) *rundir.Player {
	p := g.players[name]
	if p == nil {
		p = &rundir.Player{Name: name}
		g.players[name] = p
	}
	return p
}

// accept gives a new game to the run.
func (g *generation) accept(name string, e *selfplay.Episode) error {
	job := &g.games.Job
	if job.Played != nil {
		if err := job.Played(len(e.Actions), e.Bytes()); err != nil {
			return err
		}
	}
	if job.Finished != nil {
		if err := job.Finished(*e); err != nil {
			return err
		}
	}
	g.episodes = append(g.episodes, *e)
	g.player(name).Games++
	return nil
}

// result returns what Play returns.
func (g *generation) result(stats selfplay.Stats) ([]selfplay.Episode, selfplay.Stats, []rundir.Player, error) {
	slices.SortFunc(g.episodes, func(x, y selfplay.Episode) int { return cmp.Compare(x.Game, y.Game) })
	var players []rundir.Player
	stats.Games, stats.Plies, stats.Evaluations, stats.Leaves = 0, 0, 0, 0
	for _, p := range g.players {
		players = append(players, *p)
		stats.Games += p.Games
		stats.Evaluations += p.Evaluations
	}
	slices.SortFunc(players, func(x, y rundir.Player) int { return cmp.Compare(x.Name, y.Name) })
	return g.episodes, stats, players, g.err
}

// digest returns a digest of a game.
func (g *generation) digest(e *selfplay.Episode) (string, error) {
	d := selfplay.NewDigest(g.offer.game)
	err := d.Add(e)
	return d.Sum(), err
}

// read reads the message of a game and checks all of it that can be checked without
// playing it again.
func (g *generation) read(data []byte) (selfplay.Episode, error) {
	h, episodes, err := selfplay.Read(bytes.NewReader(data), g.offer.game)
	switch {
	case err != nil:
		return selfplay.Episode{}, err
	case h != g.games.Header:
		return selfplay.Episode{}, fmt.Errorf("its header is %+v; want %+v", h, g.games.Header)
	case len(episodes) != 1:
		return selfplay.Episode{}, fmt.Errorf("%d games; want 1", len(episodes))
	}
	return episodes[0], g.games.Job.Check(&episodes[0])
}

// replay plays one game here, on the backend of that name, and returns its digest.
// It is called without the lock.
func (g *generation) replay(ctx context.Context, game int, backend string) (string, error) {
	b, err := kernel.Named(backend)
	if err != nil {
		return "", err
	}
	model := net.Compile(b, g.games.Weights)
	job := g.games.Job
	numbers := make(chan int, 1)
	numbers <- game
	close(numbers)
	var found selfplay.Episode
	job.Games, job.Workers, job.Numbers, job.Done, job.Played = 1, 1, numbers, nil, nil
	job.Evaluator = func() mcts.Evaluator {
		return net.NewEvaluator(job.Game, model, train.EvaluatorRows(&job.Config))
	}
	job.Finished = func(e selfplay.Episode) error { found = e; return nil }
	if _, _, err := selfplay.Play(ctx, job); err != nil {
		return "", err
	}
	return g.digest(&found)
}
