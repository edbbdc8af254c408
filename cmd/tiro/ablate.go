package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"tiro/arena"
	"tiro/configs"
	"tiro/disk"
	"tiro/env"
	"tiro/models"
	"tiro/net/kernel"
	"tiro/train"
)

// ablateOptions are the flags of tiro ablate.
type ablateOptions struct {
	config      string
	dir         string
	set         []string
	variants    []string
	seeds       int
	hours       float64
	generations int
	workers     int
	backend     kernel.Backend

	games   int
	sims    int
	opening int
}

// baseName is the name of the variant that the others are compared with.
const baseName = "base"

// turnsOfTime is in how many parts the time of each training is spent: all trainings
// take turns, so that whatever else the machine does meets all of them.
const turnsOfTime = 4

func ablateCommand() *cobra.Command {
	var o ablateOptions
	cmd := &cobra.Command{
		Use:   "ablate GAME|--config FILE --variant 'NAME KEY=VALUE…' (--hours H|--generations N)",
		Short: "Train variants of a configuration alike and let them meet",
		Long: `Ablate says what changes of a configuration are worth. It trains the base
configuration and every variant of it, with several seeds each, for the same
time, then lets each variant's network meet the base's of the same seed. The
interval over seeds says what further trainings would bring; the one of a single
match only speaks of the two networks that met.

Each training is an ordinary run, DIR/NAME-SEED. With --generations N the networks
that meet are those of generation N, also where a run has gone on; with --hours
they are the newest, and the table says what each has had.

Each match is kept in DIR/matches.json when it is finished. Stopped and called
again, all goes on but the match under way, which begins anew; with more seeds,
hours or variants what is missing is added. A match of other networks, settings
or backend, or by another version of tiro, is another match. A run of other
settings in one of these folders is refused.`,
		Example: `  tiro ablate connect4 --variant 'wide net.channels=96' --hours 0.5
  tiro ablate coerceo --seeds 5 --generations 20 --set games_per_generation=64 \
    --variant 'slow learner.rate=1e-3' --variant 'plain learner.value_share=0 learner.discount=1' \
    --variant 'growing selfplay.simulation_schedule=[{generation: 10, simulations: 64}]'`,
		Args:              args("[GAME]"),
		ValidArgsFunction: completeGame,
		RunE: func(cmd *cobra.Command, args []string) error {
			name := ""
			if len(args) > 0 {
				name = args[0]
			}
			return runAblate(cmd, name, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.config, "config", "", "base configuration instead of the game's")
	f.StringVar(&o.dir, "dir", "", "folder for the runs and report.json (default runs/ablate-GAME)")
	f.StringArrayVar(&o.set, "set", nil, "change a key of the base configuration, KEY=VALUE; may be given several times")
	f.StringArrayVar(&o.variants, "variant", nil, "name and changes of a variant, separated by spaces; may be given several times")
	f.IntVar(&o.seeds, "seeds", 3, "trainings of each variant, with the seeds 1, 2, … instead of the configuration's")
	f.Float64Var(&o.hours, "hours", 0, "time of each training")
	f.IntVar(&o.generations, "generations", 0, "generations of each training, instead of a time")
	f.IntVar(&o.workers, "workers", runtime.NumCPU(), "goroutines that play")
	f.IntVar(&o.games, "games", 200, "games of each match")
	f.IntVar(&o.sims, "sims", matchSimulations, "simulations a move in the matches")
	f.IntVar(&o.opening, "opening", 4, "random actions at the start of each game of a match")
	backendVar(cmd, &o.backend)
	return cmd
}

// ablation is a comparison of trainings.
type ablation struct {
	*ablateOptions
	cmd      *cobra.Command
	game     env.Game
	variants []variant // the base first
	finished matches
}

// variant is a configuration to be compared.
type variant struct {
	Name    string   `json:"name"`
	Changes []string `json:"changes"` // of the base, KEY=VALUE
	config  train.Config
}

func runAblate(cmd *cobra.Command, name string, o ablateOptions) error {
	a := &ablation{ablateOptions: &o, cmd: cmd}
	if err := a.check(name); err != nil {
		return err
	}
	if err := a.configure(name); err != nil {
		return err
	}
	if _, err := a.match(0); err != nil {
		return err
	}
	if err := a.checkRuns(); err != nil {
		return err
	}
	if err := a.finished.read(a.matchesFile()); err != nil { // before hours of training
		return err
	}
	if err := a.train(cmd.Context()); err != nil {
		return err
	}
	report, err := a.compare(cmd.Context())
	if err != nil {
		return err
	}
	fmt.Fprint(cmd.OutOrStdout(), report)
	return saveJSON(filepath.Join(o.dir, "report.json"), report)
}

// splitWords splits text at white space, but not inside the lists and maps of YAML.
func splitWords(text string) []string {
	depth := 0
	return strings.FieldsFunc(text, func(r rune) bool {
		switch r {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		return unicode.IsSpace(r) && depth <= 0
	})
}

// check reports flags that make no sense.
func (a *ablation) check(name string) error {
	hours, generations := a.cmd.Flags().Changed("hours"), a.cmd.Flags().Changed("generations")
	switch {
	case (name == "") == (a.config == ""):
		return usage(errors.New("want either a game or --config FILE"))
	case hours == generations:
		return usage(errors.New("want either --hours or --generations: how long each training is"))
	case hours && !(a.hours > 0 && a.hours <= maxHours):
		return usage(fmt.Errorf("--hours %v; want more than 0, at most %d", a.hours, maxHours))
	case generations && a.generations < 1:
		return usage(fmt.Errorf("--generations %d; want 1 or more", a.generations))
	case a.seeds < 1 || a.seeds > maxSeeds:
		return usage(fmt.Errorf("--seeds %d; want 1 to %d", a.seeds, maxSeeds))
	case a.workers < 1 || a.workers > maxThreads:
		return usage(fmt.Errorf("--workers %d; want 1 to %d", a.workers, maxThreads))
	case a.sims < 1 || a.sims > arena.MaxSimulations:
		return usage(fmt.Errorf("--sims %d; want 1 to %d", a.sims, arena.MaxSimulations))
	case len(a.ablateOptions.variants) == 0:
		return usage(errors.New("no --variant; want at least one, such as --variant 'wide net.channels=96'"))
	}
	return nil
}

// maxSeeds bounds the trainings of a variant.
const maxSeeds = 1000

// configure works out the configurations of all variants.
func (a *ablation) configure(name string) error {
	base, err := a.base(name)
	if err != nil {
		return err
	}
	if a.game, err = newGame(base.Game); err != nil {
		return err
	}
	if a.dir == "" {
		run := defaultRun(a.game)
		a.dir = filepath.Join(filepath.Dir(run), "ablate-"+filepath.Base(run))
	}
	a.variants = []variant{{Name: baseName, Changes: a.set, config: base}}
	seen := map[string]bool{baseName: true}
	for _, text := range a.ablateOptions.variants {
		words := splitWords(text)
		if len(words) < 2 {
			return usage(fmt.Errorf("--variant %q; want a name and changes, as in 'wide net.channels=96'", text))
		}
		v := variant{Name: words[0], Changes: words[1:], config: base}
		if strings.ContainsAny(v.Name, `/\=:`) || seen[v.Name] {
			return usage(fmt.Errorf("--variant %q: the name %q is taken or no name for a folder", text, v.Name))
		}
		seen[v.Name] = true
		if err := setAll(&v.config, v.Changes); err != nil {
			return usage(fmt.Errorf("--variant %q: %w", v.Name, err))
		}
		switch {
		case v.config.Game != base.Game:
			return usage(fmt.Errorf("--variant %q: another game cannot be compared", v.Name))
		case len(configs.Changes(&base, &v.config)) == 0:
			return usage(fmt.Errorf("--variant %q changes nothing: the base has the same settings", v.Name))
		}
		a.variants = append(a.variants, v)
	}
	return a.checkSettings()
}

// checkSettings returns an error if a training would be refused when it begins,
// which may be hours after the first.
func (a *ablation) checkSettings() error {
	for i := range a.variants {
		v := &a.variants[i]
		o := train.Options{Game: a.game, Config: a.settings(v, 1), Workers: a.workers, Backend: a.backend, Generations: a.generations}
		if err := o.Validate(); err != nil {
			return usage(fmt.Errorf("variant %s: %w", v.Name, err))
		}
	}
	return nil
}

// setAll changes keys of a configuration, but not the seed, which ablate sets.
func setAll(c *train.Config, assignments []string) error {
	for _, assignment := range assignments {
		if key, _, _ := strings.Cut(assignment, "="); key == "seed" {
			return fmt.Errorf("%s: every variant is trained with the seeds 1, 2, …; want --seeds, how many", assignment)
		}
		if err := configs.Set(c, assignment); err != nil {
			return err
		}
	}
	return nil
}

// base returns the base configuration.
func (a *ablation) base(name string) (c train.Config, err error) {
	if a.config != "" {
		c = train.Default("")
		err = c.Load(a.config)
	} else {
		c, err = shippedConfig(name)
	}
	if err != nil {
		return c, err
	}
	return c, usage(setAll(&c, a.set))
}

// run returns the run folder of a variant with a seed.
func (a *ablation) run(v *variant, seed int) string {
	return filepath.Join(a.dir, fmt.Sprintf("%s-%d", v.Name, seed))
}

// store returns the checkpoints of a run.
func (a *ablation) store(run string) *models.Store {
	return models.NewStore(disk.OS{}, filepath.Join(run, checkpointsDir), a.game.Spec())
}

// settings returns the configuration of a variant with a seed.
func (a *ablation) settings(v *variant, seed int) train.Config {
	c := v.config
	c.Game, c.Seed = a.game.Spec().Name, uint64(seed)
	return c
}

// checkRuns returns an error if a run that is there already is not the one that
// its name now stands for, or has left behind the generation that is to play.
func (a *ablation) checkRuns() error {
	for i := range a.variants {
		for seed := 1; seed <= a.seeds; seed++ {
			dir, c := a.run(&a.variants[i], seed), a.settings(&a.variants[i], seed)
			old, err := train.LoadConfig(dir)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			if changes := configs.Changes(&old, &c); len(changes) > 0 {
				return usage(fmt.Errorf("%s is another training: %s; want another name, another --dir, or the folder moved elsewhere", dir, strings.Join(changes, ", ")))
			}
			if err := a.checkGeneration(dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkGeneration returns an error if a run has more generations than asked for,
// but no checkpoint of the last of those.
func (a *ablation) checkGeneration(dir string) error {
	all, err := a.store(dir).List()
	if err != nil || a.generations == 0 || len(all) == 0 || all[len(all)-1] < a.generations || slices.Contains(all, a.generations) {
		return err
	}
	return usage(fmt.Errorf("%s has gone on and kept no checkpoint of generation %d, only of %s; want one of these as --generations, or another --dir",
		dir, a.generations, train.Ranges(all)))
}

// train trains all variants with all seeds, turn by turn.
func (a *ablation) train(ctx context.Context) error {
	turns := turnsOfTime
	if a.generations > 0 {
		turns = 1
	}
	for turn := 1; turn <= turns; turn++ {
		for seed := 1; seed <= a.seeds; seed++ {
			for i := range a.variants {
				hours := a.hours * float64(turn) / float64(turns)
				if err := a.trainOne(ctx, &a.variants[i], seed, hours); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// trainOne trains a variant until it has had so many hours, or its generations.
func (a *ablation) trainOne(ctx context.Context, v *variant, seed int, hours float64) error {
	dir := a.run(v, seed)
	spent, err := a.spentIn(dir)
	if err != nil {
		return err
	}
	left := hours - spent.Hours
	if a.generations > 0 && spent.Generations >= a.generations || a.generations == 0 && left <= 0 {
		return nil
	}
	o := trainOptions{run: dir, workers: a.workers, backend: a.backend, generations: a.generations, hours: max(0, left)}
	return o.train(a.cmd, a.game, a.settings(v, seed))
}

// spent is what a training took.
type spent struct {
	Hours       float64 `json:"hours"`
	Generations int     `json:"generations"`
	Games       int     `json:"games"`
	Evaluations int     `json:"evaluations"` // of the network in self-play
	Steps       int     `json:"steps"`
}

// spentIn returns what the run in a folder took so far, or for the generations
// asked for.
func (a *ablation) spentIn(dir string) (s spent, err error) {
	lines, err := train.ReadMetrics(dir)
	for _, m := range lines {
		if a.generations > 0 && m.Generation > a.generations {
			break
		}
		s.Generations, s.Steps = m.Generation, m.TotalSteps
		s.Games += m.Games
		if m.Machine != nil {
			s.Hours += m.Machine.Seconds / time.Hour.Seconds()
			s.Evaluations += m.Machine.Evaluations
		}
	}
	return s, err
}
