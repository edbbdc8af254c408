package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tiro/configs"
	"tiro/disk"
	"tiro/env"
	"tiro/internal/machine"
	"tiro/net"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/train"
)

// trainOptions are the flags of tiro train.
type trainOptions struct {
	catalog
	config      string
	run         string
	generations int
	hours       float64
	cpuHours    float64
	finish      bool
	workers     int
	seed        uint64
	set         []string
	backend     net.Backend
	disk        disk.FS // holds the run folder
	plain       bool    // print lines only, even on a terminal
	lowered     bool    // the shipped memory limit exceeded the machine's memory and was lowered
	tensorBoard string  // folder of the event file; "" for none
	cluster     clusterOptions
	part        string // title of this training if it is one of several, otherwise ""
}

func trainCommand(games catalog, fsys disk.FS) *cobra.Command {
	o := trainOptions{catalog: games, disk: fsys}
	cmd := &cobra.Command{
		Use:   "train GAME|--config FILE",
		Short: "Train a network by self-play, or resume a run",
		Long: `Train teaches a network a game by self-play, starting from random weights. Everything
is kept in a run folder. Ctrl-C saves all finished work and stops; run the same command,
or tiro train --run FOLDER, to resume.

Without --config the configuration shipped for the game applies (configs/ in the
sources). --set changes single settings, even when a run resumes. Only tiro fork, which
starts a new run, can change the game's options, the seed and the network.

A run stops after --generations, --hours or --cpu-hours. --cpu-hours counts the CPU time
of all cores since the run began, so that the result depends neither on --workers nor on
other work on the machine; the run ends after the generation whose end is closest to this
time. A new run with the configuration shipped for the game adapts to this time: the
learning rate falls to 0 at the end, and a long run has a wider network (docs/LEARNING.md).
--finish ends a run of any length in this way: the learning rate falls to 0 in
--generations more generations. A finished run can be trained further.

On a terminal the bottom rows show the progress, the rating, the losses and the last
game's board; --plain prints lines only. If standard error is closed, the run continues
and logs to log.jsonl. SIGTERM and SIGHUP stop the run like Ctrl-C; a second Ctrl-C ends
it at once, and it can be resumed as well. The exit code is 0 at the end of the run, 130
after an interruption, 1 after an error, and 2 for a wrong command line: a scheduler that
starts the same command again after 130 continues the run.

With --listen, tiro worker plays games too, on this or other machines. With --workers 0
this process plays no self-play games. The run stays the same, bit for bit, as long as all
use backends of the same kind (avx512, avx2 and neon, or go). Other machines need
credentials (docs/CLUSTER.md). --nats uses an external NATS server instead.`,
		Example: `  tiro train coerceo
  tiro train coerceo --cpu-hours 8
  tiro train coerceo:price=1 --run runs/cheap --hours 8
  tiro train mnk --set net.channels=32 --set selfplay.search.simulations=64
  tiro train coerceo --finish
  tiro train --config my.yaml --run runs/mine --generations 100
  tiro train coerceo --tensorboard tb/first
  tiro train coerceo --listen :4222 --credentials keys --workers 0`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: games.completeGame,
		RunE:              func(cmd *cobra.Command, args []string) error { return runTrain(cmd, cmd.Flags().Arg(0), o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.config, "config", "", "use the configuration in `FILE` instead of the one shipped for the game")
	f.StringVar(&o.run, "run", "", "keep the run in `FOLDER` (default runs/GAME, as in runs/pacru-players=3)")
	intVar(cmd, &o.generations, "generations", 0, 1, math.MaxInt, "stop at this generation; with --finish, the number of generations in which the learning rate falls")
	floatVar(cmd, &o.hours, "hours", 0, maxHours, "start no new generation after this much wall time of this command, in hours")
	floatVar(cmd, &o.cpuHours, "cpu-hours", 0, maxHours, "train a network for about this much CPU time of all cores, in hours, counted from the start of the run")
	cmd.MarkFlagsMutuallyExclusive("generations", "hours")
	f.BoolVar(&o.finish, "finish", false, "finish the run: let the learning rate fall to 0 in --generations more generations (default 15% of those so far)")
	workersVar(cmd, &o.workers, 0)
	f.Lookup("workers").Usage = "goroutines that play; 0: only workers (tiro worker) play. Learning uses all cores; GOMAXPROCS and a container's CPU quota limit both"
	f.Uint64Var(&o.seed, "seed", 0, "random seed (default the configuration's)")
	setVar(cmd, &o.set)
	f.BoolVar(&o.plain, "plain", false, "print lines only, even on a terminal")
	f.StringVar(&o.tensorBoard, "tensorboard", "", "write an event file for TensorBoard to `FOLDER`")
	clusterVar(cmd, &o.cluster)
	backendVar(cmd, &o.backend)
	for _, other := range []string{"hours", "cpu-hours"} {
		cmd.MarkFlagsMutuallyExclusive("finish", other)
	}
	return cmd
}

// setVar adds the flag --set, which changes a configuration.
func setVar(cmd *cobra.Command, set *[]string) {
	cmd.Flags().StringArrayVar(set, "set", nil, "apply the setting `KEY=VALUE` (repeatable)")
}

func runTrain(cmd *cobra.Command, name string, o trainOptions) error {
	if err := o.check(cmd, name); err != nil {
		return err
	}
	var err error
	if o.run, err = disk.Path(o.run); err != nil {
		return err
	}
	if o.tensorBoard, err = disk.Path(o.tensorBoard); err != nil {
		return err
	}
	config, game, err := o.configuration(cmd, name)
	if err == nil && o.finish {
		err = o.planFinish(&config)
	}
	if err := cmp.Or(err, checkCPUTime(config.CPUHours)); err != nil {
		return err
	}
	err = o.train(cmd, game, config)
	if err == nil || errors.Is(err, train.ErrInterrupted) {
		o.whatNext(cmd, game, err != nil)
	}
	return err
}

// flagsToKeep returns the flags of cmd to give again when it resumes, except limits of the run.
func flagsToKeep(cmd *cobra.Command) (flags []string) {
	for _, name := range append([]string{"workers", "tensorboard"}, clusterFlags...) {
		if f := cmd.Flags().Lookup(name); f.Changed {
			flags = append(flags, "--"+name, f.Value.String())
		}
	}
	return flags
}

// whatNext prints commands that use the run. After an interruption, the first one continues to
// the same end, and otherwise beyond it; after the run's CPU time, for as long again.
func (o *trainOptions) whatNext(cmd *cobra.Command, game env.Game, interrupted bool) {
	purpose, resume := "resume", append([]string{calledAs(), "train", "--run", o.run}, flagsToKeep(cmd)...)
	switch {
	case !interrupted:
		purpose = "train longer"
		if hours := o.spent(); hours > 0 {
			resume = append(resume, "--cpu-hours", fmt.Sprint(min(2*hours, maxHours)))
		}
	case o.finish:
		resume = append(resume, "--finish") // the length of the cool-down is in the configuration
	case o.generations > 0:
		resume = append(resume, "--generations", strconv.Itoa(o.generations))
	}
	if cmd.Flags().Changed("backend") {
		name, _, _ := strings.Cut(o.backend.Name(), " ") // without the description of a device
		resume = append(resume, "--backend", name)
	}
	next := [][2]string{{purpose, recipe.HereLine(resume...)}}
	if all, err := rundir.At(disk.OS{}, o.run).Store(game.Spec()).List(); err == nil && len(all) > 1 {
		next = append(next,
			[2]string{"play against it", recipe.HereLine(calledAs(), "play", game.Spec().Name, "--model", o.run)},
			[2]string{"rate it", recipe.HereLine(calledAs(), "rate", o.run)},
		)
	}
	for _, n := range next {
		fmt.Fprintf(cmd.ErrOrStderr(), "to %s:\n  %s\n", n[0], n[1])
	}
}

// spent returns the CPU time of the run in hours, or 0 if it has not been used.
func (o *trainOptions) spent() float64 {
	folder := rundir.At(disk.OS{}, o.run)
	c, err := recipe.Read(folder)
	lines, _ := folder.Metrics()
	if err != nil || len(lines) == 0 || !c.Spent(lines[len(lines)-1].Generation, rundir.CostOf(lines)) {
		return 0
	}
	return c.CPUHours
}

// calledAs returns the command with which this program was called if that is a relative path
// to tiro, and "tiro" otherwise.
func calledAs() string {
	const name = "tiro"
	if called := filepath.ToSlash(os.Args[0]); strings.HasSuffix(called, "/"+name) && !filepath.IsAbs(called) {
		return called
	}
	return name
}

// train starts or resumes the run.
func (o *trainOptions) train(cmd *cobra.Command, game env.Game, config recipe.Config) error {
	console := newConsole(cmd.ErrOrStderr(), game, config, o)
	defer console.close()
	if cores := runtime.GOMAXPROCS(0); o.workers > cores {
		console.meter.log.Warn("more workers than cores: no faster, and uses more memory", "workers", o.workers, "cores", cores)
	}
	switch most := configs.Bytes(machine.Memory()); {
	case o.lowered:
		console.both.Info("memory limit lowered to fit this machine or container", "memory", config.Memory)
	case config.Memory > most:
		console.meter.log.Warn("the memory limit exceeds what this machine or container may have; the system may kill the run", "memory", config.Memory, "available", most)
	}
	if free := configs.Bytes(machine.Free(o.run)); free > 0 && config.Disk > free && !isRun(o.run) {
		console.meter.log.Warn("the disk limit exceeds the free space; the run stops when the disk is full", "disk", config.Disk, "free", free.About())
	}
	if !cmd.Flags().Changed("backend") {
		if card, err := compareDevice(cmd.Context(), game, config.Net); err == nil && card != "" {
			console.both.Info(card)
		}
	}
	defer debug.SetMemoryLimit(limitMemory(config.Memory))
	selfplayer, closeCluster, err := o.cluster.connect(o.backend, console.both)
	if err != nil {
		return err
	}
	defer closeCluster()
	err = train.Run(cmd.Context(), train.Options{ // with --workers 0, this process plays the duels
		Dir: o.run, Game: game, Find: o.Table.New, Config: config, Workers: cmp.Or(o.workers, runtime.GOMAXPROCS(0)), Selfplayer: selfplayer, Backend: o.backend, Disk: o.disk,
		Generations: o.generations, Time: hours(o.hours),
		Note:    fmt.Sprintf("tiro %s, %s, backend %s", build(), runtime.Version(), o.backend.Name()),
		Version: build(),
		Events:  console.event, Clock: time.Now, CPU: machine.CPU, Usage: func() rundir.Usage { return rundir.Usage(machine.Used()) },
	})
	console.end()
	console.ended(err)
	return err
}

// check validates the combination of flags.
func (o *trainOptions) check(cmd *cobra.Command, name string) error {
	return cmp.Or(
		unless(name == "" || o.config == "", "GAME and --config cannot be used together"),
		unless(name != "" || o.config != "" || o.run != "", "nothing to train: give GAME, --config FILE, or --run FOLDER of a run to resume"),
		o.cluster.check(cmd, o.Table.New, o.workers),
	)
}

// limitMemory sets the memory limit of the garbage collector to b without the memory of the
// program's code, and returns the former limit. A lower GOMEMLIMIT remains in force.
func limitMemory(b configs.Bytes) (old int64) {
	if old = debug.SetMemoryLimit(-1); b > 0 {
		debug.SetMemoryLimit(min(old, int64(max(0, b-train.CodeMemory))))
	}
	return old
}

// limits returns the limits that the machine, the container or the scheduler sets for this
// process, for a log: cores, memory, and the free space for the folder dir unless it is "".
func limits(dir string) []any {
	all := []any{"cores", runtime.GOMAXPROCS(0)}
	if n := configs.Bytes(machine.MemoryLimit(os.DirFS("/"))); n > 0 {
		all = append(all, "memory", n.About())
	}
	if dir == "" {
		return all
	}
	if n := configs.Bytes(machine.Free(dir)); n > 0 {
		all = append(all, "disk", n.About())
	}
	return all
}

// isRun reports whether a folder has a run already.
func isRun(dir string) bool {
	_, err := recipe.Read(rundir.At(disk.OS{}, dir))
	return !errors.Is(err, fs.ErrNotExist)
}

// hours returns n hours.
func hours(n float64) time.Duration { return time.Duration(n * float64(time.Hour)) }

// configuration returns the configuration from the flags and the run folder. If the flags
// name no run folder, it sets o.run to the default.
func (o *trainOptions) configuration(cmd *cobra.Command, name string) (c recipe.Config, game env.Game, err error) {
	switch {
	case o.config != "":
		c = recipe.Default("")
		err = c.Load(o.config)
	case name != "":
		c, err = o.gameConfiguration(name)
	default:
		if c, err = recipe.Read(rundir.At(disk.OS{}, o.run)); errors.Is(err, fs.ErrNotExist) {
			err = usage(fmt.Errorf("%s is not a run; to start one, give GAME or --config FILE", o.run))
		}
	}
	if err != nil {
		return c, nil, err
	}
	if o.cpuHours > 0 && o.cpuHours != c.CPUHours {
		c.CPUHours, c.Learner.Cooldown = o.cpuHours, c.Learner.Cooldown.Unplanned()
	}
	named := c.Game
	if err := configs.Set(&c, o.set...); err != nil {
		return c, nil, usage(err)
	}
	o.lowered = o.lowered && !slices.ContainsFunc(o.set, func(s string) bool { return strings.HasPrefix(s, "memory=") })
	if name != "" && c.Game != named {
		return c, nil, usage(fmt.Errorf("--set game=%[2]s does not match the game %[1]s", named, c.Game))
	}
	if cmd.Flags().Changed("seed") {
		c.Seed = o.seed
	}
	if c.Game == "" {
		return c, nil, fmt.Errorf("%s has no game; add a line such as \"game: coerceo\"", o.config)
	}
	game, err = o.newGame(c.Game)
	if err != nil && name == "" && c.Game == named { // the name comes from a file, not from the command line
		file := cmp.Or(o.config, filepath.Join(o.run, rundir.ConfigFile))
		err = fmt.Errorf("%s: game: %w", file, errors.Unwrap(err))
	}
	if err == nil && o.run == "" {
		o.run = recipe.DefaultFolder(game)
	}
	return c, game, err
}

// gameConfiguration returns the configuration for a game string: the configuration of the
// run in o.run or in the default folder if there is one, otherwise the shipped one.
func (o *trainOptions) gameConfiguration(name string) (c recipe.Config, err error) {
	game, err := o.newGame(name)
	if err != nil {
		return c, err
	}
	if c, err = recipe.Read(rundir.At(disk.OS{}, cmp.Or(o.run, recipe.DefaultFolder(game)))); errors.Is(err, fs.ErrNotExist) {
		c, err = recipe.Shipped(name)
		if o.cpuHours > 0 {
			c = c.ForHours(o.cpuHours)
		}
		if most := configs.Bytes(machine.Memory()); c.Memory > most {
			c.Memory, o.lowered = most, true
		}
	}
	c.Game = game.Spec().Name
	return c, err
}
