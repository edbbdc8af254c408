package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"tiro/disk"
	"tiro/disk/disktest"
	"tiro/env"
)

// faultyTiro is the name under which the test binary is the command tiro, on
// the machine's disk with the fault that faultEnv holds.
const (
	faultyTiro = "tiro-faulty"
	faultEnv   = "TIRO_FAULT"
)

// Beginnings of lines on standard error: where a fault struck, and how many
// operations there were.
const (
	faultMark = "fault: "
	seenMark  = "operations: "
)

func mainFaulty() {
	d := &faulty{seen: map[string]int{}, unsynced: map[string]int64{}}
	if err := json.Unmarshal([]byte(os.Getenv(faultEnv)), &d.fault); err != nil {
		fmt.Fprintln(os.Stderr, faultEnv, err)
		os.Exit(exitUsage)
	}
	fsys := disktest.Over(disk.OS{}, d.hook)
	fsys.OnCrash = d.crash
	code := program(shippedGames.Table, fsys)
	seen, err := json.Marshal(d.seen)
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(os.Stderr, "%s%s\n", seenMark, seen)
	os.Exit(code)
}

// fault is what goes wrong with a disk, and when: at the first operation such
// as "sync N.part" after After others like it. The zero fault never comes.
type fault struct {
	Kind  string `json:"kind"`
	At    string `json:"at"`
	After int    `json:"after"`
	Seed  uint64 `json:"seed"`
}

// Kinds of fault.
const (
	faultKill   = "kill"   // the process is killed before the operation
	faultTorn   = "torn"   // the process is killed when half of a write is done
	faultPower  = "power"  // the process is killed, and any part of what was not synced is lost
	faultFull   = "full"   // half of a write fits on the disk, from then on nothing does
	faultBroken = "broken" // the operation fails
)

var verdicts = map[string]disktest.Verdict{
	faultKill:   {Do: disktest.None, Crash: true},
	faultTorn:   {Do: disktest.Half, Crash: true},
	faultPower:  {Do: disktest.None, Crash: true},
	faultFull:   {Do: disktest.Half, Err: syscall.ENOSPC},
	faultBroken: {Do: disktest.None, Err: syscall.EIO},
}

// drawFault returns a fault at random. All operations that a run was seen to do
// in that many generations are equally likely.
func drawFault(rng *rand.Rand, seen map[string]int, generations int) fault {
	f := fault{Kind: []string{faultKill, faultTorn, faultPower, faultPower, faultFull, faultBroken}[rng.IntN(6)], Seed: rng.Uint64()}
	var ops []string
	for _, op := range slices.Sorted(maps.Keys(seen)) {
		if f.Kind != faultTorn && f.Kind != faultFull || strings.HasPrefix(op, "write ") {
			ops = append(ops, op)
		}
	}
	f.At = ops[rng.IntN(len(ops))]
	f.After = rng.IntN(1 + 2*seen[f.At]/generations)
	return f
}

// environ returns f for the environment of a process.
func (f fault) environ() string {
	data, err := json.Marshal(f)
	if err != nil {
		panic(err)
	}
	return faultEnv + "=" + string(data)
}

// err is what the process is told, nil if it does not live to hear of it.
func (f fault) err() error { return verdicts[f.Kind].Err }

// faulty decides when the fault strikes, and knows what a power cut may take.
type faulty struct {
	fault    fault
	struck   bool
	seen     map[string]int   // number of operations by kind and file name
	unsynced map[string]int64 // by path, of a file with bytes that were not synced: how many bytes were
}

var digits = regexp.MustCompile(`[0-9]+`)

// hook is a disktest.FS.Hook.
func (d *faulty) hook(op disktest.Op) disktest.Verdict {
	path := op.Path
	if op.Kind == disktest.Rename {
		path = op.To
	}
	name := string(op.Kind) + " " + digits.ReplaceAllString(filepath.Base(path), "N")
	d.seen[name]++
	switch {
	case d.struck && d.fault.Kind == faultFull && op.Kind == disktest.Write:
		return disktest.Verdict{Do: disktest.None, Err: d.fault.err()}
	case !d.struck && name == d.fault.At && d.seen[name] > d.fault.After:
		d.struck = true
		fmt.Fprintf(os.Stderr, "%s%s at %s\n", faultMark, d.fault.Kind, name)
		return verdicts[d.fault.Kind]
	}
	d.account(op)
	return disktest.Verdict{}
}

// account keeps d.unsynced before an operation that will happen.
func (d *faulty) account(op disktest.Op) {
	switch op.Kind {
	case disktest.Write:
		info, err := os.Stat(op.Path)
		if _, known := d.unsynced[op.Path]; err == nil && !known {
			d.unsynced[op.Path] = info.Size()
		}
	case disktest.Sync, disktest.Remove:
		delete(d.unsynced, op.Path)
	case disktest.Rename:
		delete(d.unsynced, op.To)
		for path, synced := range d.unsynced {
			if rest, ok := strings.CutPrefix(path, op.Path); ok && (rest == "" || rest[0] == filepath.Separator) {
				delete(d.unsynced, path)
				d.unsynced[op.To+rest] = synced
			}
		}
	}
}

// crash ends the process as a kill from outside does.
func (d *faulty) crash() {
	if d.fault.Kind == faultPower {
		d.cutPower()
	}
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	panic(err) // not reached: the signal comes before Kill returns
}

// cutPower takes from every file any part of what was not synced.
func (d *faulty) cutPower() {
	rng := env.NewRand(d.fault.Seed)
	for _, path := range slices.Sorted(maps.Keys(d.unsynced)) { // the order of the draws is fixed
		synced := d.unsynced[path]
		info, err := os.Stat(path)
		if err == nil && info.Size() > synced {
			err = os.Truncate(path, synced+rng.Int64N(info.Size()-synced+1))
		}
		if err != nil && !os.IsNotExist(err) {
			panic(err)
		}
	}
}
