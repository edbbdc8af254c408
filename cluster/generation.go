package cluster

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/goccy/go-yaml"

	"tiro/configs"
	"tiro/env"
	"tiro/mcts"
	"tiro/net"
	"tiro/rundir"
	"tiro/selfplay"
	"tiro/train"
)

// announcedGeneration describes the games of a generation.
type announcedGeneration struct {
	Seed       uint64 `json:"seed"`        // of the run
	Generation int    `json:"generation"`  //
	Games      int    `json:"games"`       // of the generation
	Selfplay   string `json:"selfplay"`    // selfplay.Config as YAML
	Net        string `json:"net"`         // fingerprint of the weights
	TrainedFor string `json:"trained_for"` // canonical game string of the weights, of which Game may be a variant
}

// generation is the games of a generation of a run.
type generation struct {
	job     selfplay.Job
	header  selfplay.Header
	trained env.Spec               // of the weights
	keep    func(selfplay.Episode) // collects games; nil for a worker
}

var _ work = (*generation)(nil)

// Play lets workers play the games of a generation, and returns them sorted by number. It waits
// for an unreachable server and for workers, unless this process plays itself
// (Options.Workers). It must not be called while Play or PlayGames is running.
func (t *Trainer) Play(ctx context.Context, games train.Games) ([]selfplay.Episode, selfplay.Stats, []rundir.Contribution, error) {
	episodes, stats := slices.Clone(games.Job.Done), selfplay.Stats{}
	t.trees = max(1, games.Trees)
	k, err := t.newGeneration(&games, func(e selfplay.Episode) { episodes = append(episodes, e) })
	if err != nil {
		return nil, stats, nil, fmt.Errorf("cluster: %w", err)
	}
	players, err := t.perform(ctx, k)
	slices.SortFunc(episodes, func(x, y selfplay.Episode) int { return cmp.Compare(x.Game, y.Game) })
	for _, p := range players {
		stats.Games += p.Games
		stats.Evaluations += p.Evaluations
	}
	return episodes, stats, players, err
}

// newGeneration returns a task whose games are passed to keep.
func (t *Trainer) newGeneration(games *train.Games, keep func(selfplay.Episode)) (*task, error) {
	job, trained := games.Job, games.Weights.Spec
	text, err := yaml.Marshal(job.Config)
	if err != nil {
		return nil, err
	}
	var file bytes.Buffer // learning may change the weights while they are still being sent
	if err := games.Weights.Write(&file); err != nil {
		return nil, err
	}
	k := &task{
		work:         &generation{job: job, header: games.Header, trained: trained, keep: keep},
		announcement: t.announce(job.Game, games.Backend),
		networks:     map[string][]byte{objectOf(games.Header.Net): file.Bytes()},
	}
	k.announcement.Generation = &announcedGeneration{
		Seed: job.Seed, Generation: job.Generation, Games: job.Games,
		Selfplay: string(text), Net: games.Header.Net, TrainedFor: trained.Name,
	}
	for i := range job.Done {
		k.existing = append(k.existing, job.Done[i].Game)
	}
	return k, nil
}

// work returns the games for a worker.
func (a *announcedGeneration) work(game env.Game, find env.Lookup) (work, error) {
	config := selfplay.Default()
	doc, err := configs.Parse("selfplay", []byte(a.Selfplay))
	if err == nil {
		err = doc.Decode(&config)
	}
	if err != nil {
		return nil, err
	}
	trained, err := env.Variants(game, find)(a.TrainedFor)
	if err != nil {
		return nil, fmt.Errorf("trained_for: %w", err)
	}
	g := &generation{
		job:    selfplay.Job{Game: game, Config: config, Seed: a.Seed, Generation: a.Generation, Games: a.Games, Workers: 1},
		header: selfplay.NewHeader(game.Spec(), a.Seed, a.Generation, a.Net), trained: trained.Spec(),
	}
	return g, g.job.Validate()
}

func (g *generation) size() int { return g.job.Games }

func (g *generation) String() string { return fmt.Sprintf("generation %d", g.job.Generation) }

func (g *generation) prepare(ctx context.Context, f *fetcher, backend net.Backend, goroutines int) (n needs, err error) {
	c, batch := &g.job.Config, net.Batch(backend)
	if batch > 0 {
		*c, _ = c.OnDevice(g.job.Game, goroutines/selfplay.DeviceWorkers, batch, f.trees)
	}
	n.game, n.goroutine = train.SearchBytes(g.job.Game, c, 1, 1)
	n.atOnce = c.ConcurrentGames
	if _, err := fitting(f.memory, 0, goroutines, n); err != nil {
		return n, err // before anything is fetched
	}
	k, err := f.network(ctx, g.header.Net, g.trained, backend)
	if err != nil {
		return n, err
	}
	rows := train.EvaluatorRows(c)
	g.job.Evaluator = func() mcts.Evaluator { return f.count(k.model.NewEvaluator(g.job.Game, max(rows, batch), 1)) }
	n.goroutine += k.config.EvaluatorBytes(g.trained, rows)
	return n, nil
}

func (g *generation) play(ctx context.Context, h *hand) error {
	job := g.job
	job.Workers, job.Numbers, job.InHand, job.Unwanted = h.workers, h.numbers, h.inHand, h.unwanted
	job.Config.ConcurrentGames = min(job.Config.ConcurrentGames, h.atOnce) // the hand has one more, which waits
	job.Finished = func(e selfplay.Episode, encoded selfplay.Encoded) error {
		var file bytes.Buffer // an episode file with only this game
		err := selfplay.Write(&file, g.header, []selfplay.Encoded{encoded})
		h.finished(e.Game, file.Bytes())
		return err
	}
	if _, _, err := selfplay.Play(ctx, job); err != nil {
		return fmt.Errorf("generation %d: %w", job.Generation, err)
	}
	return nil
}

func (g *generation) read(data []byte) (r received, err error) {
	h, episodes, err := selfplay.Read(bytes.NewReader(data), env.Variants(g.job.Game, nil))
	switch {
	case err != nil:
		return r, err
	case h != g.header:
		return r, fmt.Errorf("its header is %+v, not %+v", h, g.header)
	case len(episodes) != 1:
		return r, fmt.Errorf("it has %d games, not 1", len(episodes))
	}
	e := episodes[0]
	if err := g.job.Check(&e); err != nil {
		return r, err
	}
	encoded, err := selfplay.Encode(&e)
	return received{e.Game, encoded.Sum(), func() (unwanted []int, err error) {
		if g.job.Played != nil {
			g.job.Played(len(e.Actions))
		}
		if g.job.Finished != nil {
			err = g.job.Finished(e, encoded)
		}
		if err == nil {
			g.keep(e)
		}
		return nil, err
	}}, err
}
