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
	"tiro/format"
	"tiro/mcts"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/rundir"
	"tiro/selfplay"
	"tiro/train"
)

// announcedGeneration says what is to be played: all that the games of a generation
// depend on. The same generation of a run has the same announcement, whoever announces it.
type announcedGeneration struct {
	announced
	Seed       uint64  `json:"seed"`        // of the run
	Generation int     `json:"generation"`  //
	Games      int     `json:"games"`       // of the generation
	Threshold  float64 `json:"threshold"`   // of resignation
	Selfplay   string  `json:"selfplay"`    // selfplay.Config as YAML
	Net        string  `json:"net"`         // fingerprint of the weights, which names their object
	TrainedFor string  `json:"trained_for"` // canonical game string of the weights, of whose game the generation may play a variant
}

// generation is the games of a generation of a run.
type generation struct {
	announcedGeneration
	job    selfplay.Job
	header selfplay.Header

	trained  env.Spec           // of the weights
	weights  *net.Weights       // nil for a worker
	episodes []selfplay.Episode // that are kept
}

var _ work = (*generation)(nil)

// newGeneration returns the work of games.
func newGeneration(games *train.Games, version string) (*generation, error) {
	text, err := yaml.Marshal(games.Job.Config)
	if err != nil {
		return nil, err
	}
	g := &generation{job: games.Job, header: games.Header, episodes: slices.Clone(games.Job.Done)}
	if games.Weights != nil {
		g.weights = games.Weights.Clone() // they are still being sent when learning begins to change them
	}
	g.trained = games.Job.Game.Spec()
	if g.weights != nil {
		g.trained = g.weights.Spec
	}
	g.announcedGeneration = announcedGeneration{
		announced: newAnnounced(generationKind, games.Job.Game, version, games.Backend),
		Seed:      games.Job.Seed, Generation: games.Job.Generation, Games: games.Job.Games,
		Threshold: games.Job.ResignThreshold, Selfplay: string(text), Net: games.Header.Net, TrainedFor: g.trained.Name,
	}
	return g, nil
}

// readGeneration reads an announcement of which all that it has in common with others was
// checked.
func readGeneration(data []byte, game env.Game, find env.Lookup) (work, error) {
	g := &generation{}
	a := &g.announcedGeneration
	if err := format.DecodeStrict(data, a); err != nil {
		return nil, fmt.Errorf("the announcement: %w", err)
	}
	doc, err := configs.Parse("selfplay", []byte(a.Selfplay))
	config := selfplay.Default()
	if err == nil {
		err = doc.Decode(&config)
	}
	if err != nil {
		return nil, err
	}
	g.job = selfplay.Job{Game: game, Config: config, Seed: a.Seed, Generation: a.Generation, Games: a.Games, Workers: 1, ResignThreshold: a.Threshold}
	if err := g.job.Validate(); err != nil {
		return nil, err
	}
	trained, err := env.Variants(game, find)(a.TrainedFor)
	if err != nil {
		return nil, fmt.Errorf("trained_for: %w", err)
	}
	g.trained = trained.Spec()
	g.header = selfplay.NewHeader(game.Spec(), a.Seed, a.Generation, a.Net)
	return g, nil
}

func (g *generation) String() string          { return fmt.Sprintf("generation %d", g.Generation) }
func (g *generation) common() *announced      { return &g.announced }
func (g *generation) encode() ([]byte, error) { return encodeAnnouncement(&g.announcedGeneration) }
func (g *generation) size() int               { return g.job.Games }

func (g *generation) done() (numbers []int) {
	for i := range g.job.Done {
		numbers = append(numbers, g.job.Done[i].Game)
	}
	return numbers
}

func (g *generation) networks() map[string]func() ([]byte, error) {
	return map[string]func() ([]byte, error){
		objectOf(g.Net): func() ([]byte, error) {
			var data bytes.Buffer
			err := g.weights.Write(&data)
			return data.Bytes(), err
		},
	}
}

func (g *generation) prepare(ctx context.Context, f *fetcher, backend kernel.Backend, goroutines int) (atOnce int, err error) {
	c := &g.job.Config
	tree, cache := train.SearchBytes(g.job.Game, c, 1, 1)
	if _, err := fitting(f.memory, goroutines, c.ConcurrentGames, cache, tree, 0); err != nil {
		return 0, err // before anything is fetched
	}
	k, err := f.network(ctx, g.Net, g.trained, backend)
	if err != nil {
		return 0, err
	}
	rows := train.EvaluatorRows(c)
	g.job.Evaluator = func() mcts.Evaluator { return f.counted.count(net.NewEvaluator(g.job.Game, k.model, rows)) }
	return fitting(f.memory, goroutines, c.ConcurrentGames, cache+k.config.EvaluatorBytes(g.trained, rows), tree, f.bytes())
}

func (g *generation) play(ctx context.Context, h *hand) error {
	job := g.job
	job.Workers, job.Numbers, job.InHand, job.Unwanted, job.Done, job.Played = h.workers, h.numbers, h.inHand, h.unwanted, nil, nil
	const some = 32 // games for which an appender is used: it keeps them, and takes a while to make
	var head, file bytes.Buffer
	if err := selfplay.Write(&head, g.header, nil); err != nil {
		return err
	}
	var appender *selfplay.Appender
	job.Finished = func(e selfplay.Episode) (err error) {
		if h.played%some == 0 || appender == nil {
			if appender, err = selfplay.NewAppender(&file); err != nil {
				return err
			}
		}
		file.Reset()
		file.Write(head.Bytes())
		err = appender.Append(e)
		h.finished(e.Game, bytes.Clone(file.Bytes())) // an episode file that holds nothing else
		return err
	}
	_, _, err := selfplay.Play(ctx, job)
	return err
}

func (g *generation) read(data []byte) (r received, err error) {
	h, episodes, err := selfplay.Read(bytes.NewReader(data), env.Variants(g.job.Game, nil))
	switch {
	case err != nil:
		return r, err
	case h != g.header:
		return r, fmt.Errorf("its header is %+v; want %+v", h, g.header)
	case len(episodes) != 1:
		return r, fmt.Errorf("%d games; want 1", len(episodes))
	}
	e := episodes[0]
	if err := g.job.Check(&e); err != nil {
		return r, err
	}
	d := selfplay.NewDigest()
	err = d.Add(&e)
	return received{e.Game, d.Sum(), func() ([]int, error) { return nil, g.keep(e) }}, err
}

// keep gives a game to the training.
func (g *generation) keep(e selfplay.Episode) error {
	if g.job.Played != nil {
		g.job.Played(len(e.Actions))
	}
	if g.job.Finished != nil {
		if err := g.job.Finished(e); err != nil {
			return err
		}
	}
	g.episodes = append(g.episodes, e)
	return nil
}

// result returns what Trainer.Play returns.
func (g *generation) result(players []rundir.Player) (episodes []selfplay.Episode, stats selfplay.Stats) {
	slices.SortFunc(g.episodes, func(x, y selfplay.Episode) int { return cmp.Compare(x.Game, y.Game) })
	for _, p := range players {
		stats.Games += p.Games
		stats.Evaluations = min(stats.Evaluations+p.Evaluations, maxEvaluations)
	}
	return g.episodes, stats
}
