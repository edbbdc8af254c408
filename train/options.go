package train

import (
	"cmp"
	"time"

	"tiro/disk"
	"tiro/env"
	"tiro/internal/faults"
	"tiro/net"
	"tiro/net/graph"
	"tiro/net/kernel"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/selfplay"
)

// Options describe a run, its folder and its limits.
type Options struct {
	Dir     string        // the run folder
	Game    env.Game      // the game, whose name replaces Config.Game
	Find    env.Lookup    // finds variants of the game for Config.Selfplay.GameSchedule; nil if there are none
	Config  recipe.Config // settings of the run
	Workers int           // goroutines for self-play; they do not affect the result
	Threads int           // goroutines for learning; they do not affect the result; 0: runtime.GOMAXPROCS(0)
	Backend net.Backend   // computes the network, such as kernel.Best(); nil: slow pure Go

	// Limits of the run. Config.CPUHours is another, which requires CPU: the run ends with the
	// generation whose end is nearest to it. Work of an earlier process on an unfinished generation
	// does not count.
	Generations int           // the run ends at this generation; 0: no limit
	Time        time.Duration // no generation begins after this time; 0: no limit; requires Clock

	Note    string // comment in config.yaml, such as the program's version
	Version string // version of the program, for the metrics
	// Selfplayer plays the games, for example on other machines. nil: this process plays them
	// with Workers goroutines.
	Selfplayer Selfplayer

	Disk   disk.FS              // file system of Dir; nil: the machine's file system
	Events Events               // receives the events of the run; may be nil
	Clock  func() time.Time     // nil: no times are measured
	CPU    func() time.Duration // CPU time of the program so far; nil or always 0 if unknown
	Usage  func() rundir.Usage  // the program's use of the machine; may be nil
}

// withDefaults returns the options with all optional fields set.
func (o Options) withDefaults() Options {
	o.Config.Game = o.Game.Spec().Name
	o.Disk = cmp.Or[disk.FS](o.Disk, disk.OS{})
	o.Backend = cmp.Or[net.Backend](o.Backend, kernel.Backend{})
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

// Validate returns the error with which Run rejects the options before it reads the folder:
// settings that are out of range, do not suit the game, or exceed the limits on memory or disk.
func (o Options) Validate() error {
	var f faults.List
	f.Check(o.Time == 0 || o.Time > 0 && o.Clock != nil, "time limit", o.Time, "at least 0, and Clock must be set")
	f.Check(o.Config.CPUHours == 0 || o.CPU != nil, "cpu_hours", o.Config.CPUHours, "0, because the CPU time is unknown")
	o = o.withDefaults()
	spec := o.Game.Spec()
	f.Add(selfplay.CheckActions(spec))
	_, clocked := o.Game.New().(env.Clocked)
	f.Check(o.Config.Net.ClockHorizon == 0 || clocked, "net.clock_horizon", o.Config.Net.ClockHorizon, "0, because "+spec.Name+" has no clocks")
	f.Check(!o.Config.Net.Ownership || spec.OwnershipClasses > 0, "net.ownership", true, "false, because "+spec.Name+" has no ownership targets")
	f.Check(o.Workers >= 1, "workers", o.Workers, "at least 1")
	f.Check(o.Threads >= 0, "threads", o.Threads, "at least 0")
	f.Check(o.Generations >= 0, "generations", o.Generations, "at least 0 (0: no limit)")
	f.Add(o.Config.Validate())
	if f.Err() == nil {
		f.Add(checkDuels(o.Game, &o.Config.Duels))
		for _, step := range o.Config.Selfplay.GameSchedule {
			_, err := o.Config.Selfplay.Game(step.Generation, o.Game, o.Find)
			f.Section("selfplay.game_schedule", err)
		}
		f.Add(checkMemory(&o))
		f.Add(o.Config.CheckDisk(spec))
	}
	return f.Err()
}

// learning returns the options of the learner.
func (o *Options) learning() graph.Options {
	return graph.Options{Backend: net.Kernels(o.Backend), Rows: o.Config.Learner.BatchSize, Threads: o.Threads}
}

// variants returns a Lookup of the game and its variants.
func (o *Options) variants() env.Lookup { return env.Variants(o.Game, o.Find) }

// since returns the seconds since then, or 0 without a clock.
func (o *Options) since(then time.Time) float64 { return o.Clock().Sub(then).Seconds() }
