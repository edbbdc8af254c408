package train

import (
	"time"

	"tiro/disk"
	"tiro/env"
	"tiro/internal/faults"
	"tiro/net/graph"
	"tiro/net/kernel"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/selfplay"
)

// Options say what to run, where and for how long.
type Options struct {
	Dir     string         // the run folder
	Game    env.Game       // the game; its name takes the place of Config.Game
	Find    env.Lookup     // of its variants, for Config.Selfplay.GameSchedule; nil: there are none
	Config  recipe.Config  // settings of the run
	Workers int            // goroutines that play; the result does not depend on it
	Threads int            // goroutines that learn, likewise; 0: runtime.GOMAXPROCS(0)
	Backend kernel.Backend // computes the network, such as kernel.Best(); the zero Backend is the slow one in Go

	Generations int           // the run ends when it has this many; 0: no limit
	Time        time.Duration // no generation begins after this; 0: no limit; needs Clock

	// CPUTime is how much CPU time the run is to take in all, also before it was
	// resumed: it ends with the generation whose end comes nearest. 0: no limit.
	// It needs CPU. What an earlier process did of a generation that it did not
	// finish is not counted.
	CPUTime time.Duration

	// Cooldown is the share of Generations or of CPUTime at the end of which the
	// learning rate falls to 0, below 1. Which generations these are is planned when
	// the first of them begins, and kept in the run's configuration
	// (recipe.Cooldown). 0: no plan is made.
	Cooldown float64

	Note    string // comment in config.yaml, such as the version of the program
	Version string // version of the program, for the metrics
	// Selfplayer plays the games, for example on other machines; nil: this process
	// plays them, with so many Workers.
	Selfplayer Selfplayer

	Disk   disk.FS              // file system of Dir; nil: the machine's
	Events Events               // receives what happens; may be nil
	Clock  func() time.Time     // nil: no times are measured
	CPU    func() time.Duration // CPU time that the program has taken so far; nil or always 0: unknown
	Usage  func() rundir.Usage  // what the program takes of the machine; may be nil
}

// withDefaults returns the options with all optional fields set.
func (o Options) withDefaults() Options {
	o.Config.Game = o.Game.Spec().Name
	if o.Selfplayer == nil {
		o.Selfplayer = here{}
	}
	if o.Disk == nil {
		o.Disk = disk.OS{}
	}
	if o.Clock == nil {
		o.Clock = func() time.Time { return time.Time{} }
	}
	if o.CPU == nil {
		o.CPU = func() time.Duration { return 0 }
	}
	if o.Usage == nil {
		o.Usage = func() rundir.Usage { return rundir.Usage{} }
	}
	return o
}

// Validate returns the error with which Run would refuse the options before it
// looks at the folder: settings that are out of range or do not suit the game,
// or for which memory or disk are too small.
func (o Options) Validate() error {
	var f faults.List
	f.Check(o.Time == 0 || o.Time > 0 && o.Clock != nil, "time limit", o.Time, "0 or more, and a clock")
	f.Check(o.CPUTime == 0 || o.CPUTime > 0 && o.CPU != nil, "CPU time limit", o.CPUTime, "0 or more, and a count of CPU time")
	f.Check(o.Cooldown >= 0 && o.Cooldown < 1, "cooldown", o.Cooldown, "0 or more, below 1")
	f.Check(o.Cooldown == 0 || o.Generations > 0 || o.CPUTime > 0, "cooldown", o.Cooldown, "0 for a run without an end in generations or CPU time")
	o = o.withDefaults()
	spec := o.Game.Spec()
	f.Check(spec.Actions() <= selfplay.MaxActions, "number of actions of "+spec.Name, spec.Actions(), "at most 65536")
	f.Check(!o.Config.Net.Ownership || spec.OwnershipClasses > 0, "net.ownership", true, "false, since "+spec.Name+" has no ownership targets")
	f.Check(o.Workers >= 1, "workers", o.Workers, "at least 1")
	f.Check(o.Threads >= 0, "threads", o.Threads, "0 or more")
	f.Check(o.Generations >= 0, "generations", o.Generations, "0 for no limit, or more")
	f.Add(o.Config.Validate())
	if f.Err() == nil {
		f.Add(checkDuels(o.Game, &o.Config.Duels))
		for _, step := range o.Config.Selfplay.GameSchedule {
			_, err := o.Config.Selfplay.Game(step.Generation, o.Game, o.Find)
			f.Add(err)
		}
		f.Add(checkMemory(&o))
		f.Add(o.Config.CheckDisk(spec))
	}
	return f.Err()
}

// learning returns the options of the learner.
func (o *Options) learning() graph.Options {
	return graph.Options{Backend: o.Backend, Rows: o.Config.Learner.BatchSize, Threads: o.Threads}
}

// variants returns the Lookup of the game and its variants.
func (o *Options) variants() env.Lookup { return env.Variants(o.Game, o.Find) }

// since returns the seconds since a time, 0 without a clock.
func (o *Options) since(then time.Time) float64 { return o.Clock().Sub(then).Seconds() }
