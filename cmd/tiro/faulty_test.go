package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"

	"tiro/disk"
	"tiro/env"
)

// faultyTiro is the name under which the test binary is the command tiro, but
// on a disk with the fault that faultEnv holds.
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
	code := program(d)
	seen, err := json.Marshal(d.seen)
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(os.Stderr, "%s%s\n", seenMark, seen)
	os.Exit(code)
}

// fault is what goes wrong with a disk, and when: at an operation such as
// "sync N.part" that comes after so many like it. The zero fault never comes.
type fault struct {
	Kind  string `json:"kind"`
	At    string `json:"at"`
	After int    `json:"after"`
	Seed  uint64 `json:"seed"`
}

// Kinds of fault.
const (
	faultKill   = "kill"   // the process is killed before the operation
	faultTorn   = "torn"   // it is killed when half of a write is on the disk
	faultPower  = "power"  // it is killed, and of what was not synced any part is lost
	faultFull   = "full"   // half of a write fits, from then on none does
	faultBroken = "broken" // the operation fails
)

// drawFault returns a fault at random. The operations that a run was seen to do,
// with how many there were in so many generations, are all as likely.
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

// errno is what the process is told, 0 if it does not live to hear of it.
func (f fault) errno() syscall.Errno {
	switch f.Kind {
	case faultFull:
		return syscall.ENOSPC
	case faultBroken:
		return syscall.EIO
	}
	return 0
}

// faulty is the machine's disk with a fault.
type faulty struct {
	real  disk.OS
	fault fault

	mu       sync.Mutex
	seen     map[string]int   // operations by what they do to which files
	struck   bool             // the fault has come
	unsynced map[string]int64 // how much of a file is certain to last, of those with more in them
}

var _ disk.FS = (*faulty)(nil)

// at is called before an operation and returns the error that it fails with,
// or does not return.
func (d *faulty) at(op, path string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	what := op + " " + digits.ReplaceAllString(filepath.Base(path), "N")
	d.seen[what]++
	if d.struck && d.fault.Kind == faultFull && op == "write" {
		return &fs.PathError{Op: op, Path: path, Err: d.fault.errno()}
	}
	if d.struck || what != d.fault.At || d.seen[what] <= d.fault.After {
		return nil
	}
	d.struck = true
	fmt.Fprintf(os.Stderr, "%s%s at %s\n", faultMark, d.fault.Kind, what)
	switch d.fault.Kind {
	case faultKill:
		die()
	case faultPower:
		d.cut()
		die()
	case faultBroken:
		return &fs.PathError{Op: op, Path: path, Err: d.fault.errno()}
	}
	return errHalf
}

var digits = regexp.MustCompile(`[0-9]+`)

// errHalf is what at returns of a write of which half gets through.
var errHalf = fmt.Errorf("half a write")

// die ends the process as a kill from outside does.
func die() {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	panic(err) // not reached: the signal comes before Kill returns
}

// cut takes from every file any part of what was not synced.
func (d *faulty) cut() {
	rng := env.NewRand(d.fault.Seed)
	for path, certain := range d.unsynced {
		info, err := os.Stat(path)
		if err == nil && info.Size() > certain {
			err = os.Truncate(path, certain+rng.Int64N(info.Size()-certain+1))
		}
		if err != nil && !os.IsNotExist(err) {
			panic(err)
		}
	}
}

// moved keeps account of files with a new name.
func (d *faulty) moved(from, to string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.unsynced, to)
	for path, certain := range d.unsynced {
		if rest, ok := strings.CutPrefix(path, from); ok && (rest == "" || rest[0] == filepath.Separator) {
			delete(d.unsynced, path)
			d.unsynced[to+rest] = certain
		}
	}
}

// written keeps account of a file that has more than so many bytes.
func (d *faulty) written(path string, certain int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.unsynced[path]; !ok {
		d.unsynced[path] = certain
	}
}

func (d *faulty) synced(path string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.unsynced, path)
}

// Open implements disk.FS.
func (d *faulty) Open(path string) (disk.File, error) { return d.open("open", path, d.real.Open) }

// Create implements disk.FS.
func (d *faulty) Create(path string) (disk.File, error) {
	return d.open("create", path, d.real.Create)
}

// Append implements disk.FS.
func (d *faulty) Append(path string) (disk.File, error) {
	return d.open("append", path, d.real.Append)
}

func (d *faulty) open(op, path string, open func(string) (disk.File, error)) (disk.File, error) {
	if err := d.at(op, path); err != nil {
		return nil, err
	}
	file, err := open(path)
	if err != nil {
		return nil, err
	}
	return &faultyFile{file, path, d}, nil
}

// Rename implements disk.FS.
func (d *faulty) Rename(from, to string) error {
	if err := d.at("rename", to); err != nil {
		return err
	}
	err := d.real.Rename(from, to)
	if err == nil {
		d.moved(from, to)
	}
	return err
}

// Remove implements disk.FS.
func (d *faulty) Remove(path string) error {
	if err := d.at("remove", path); err != nil {
		return err
	}
	d.synced(path)
	return d.real.Remove(path)
}

// Mkdir implements disk.FS.
func (d *faulty) Mkdir(path string) error {
	if err := d.at("mkdir", path); err != nil {
		return err
	}
	return d.real.Mkdir(path)
}

// ReadDir implements disk.FS.
func (d *faulty) ReadDir(path string) ([]fs.DirEntry, error) {
	if err := d.at("readdir", path); err != nil {
		return nil, err
	}
	return d.real.ReadDir(path)
}

// Stat implements disk.FS.
func (d *faulty) Stat(path string) (fs.FileInfo, error) {
	if err := d.at("stat", path); err != nil {
		return nil, err
	}
	return d.real.Stat(path)
}

// SyncDir implements disk.FS.
func (d *faulty) SyncDir(path string) error {
	if err := d.at("syncdir", path); err != nil {
		return err
	}
	return d.real.SyncDir(path)
}

// Lock implements disk.FS.
func (d *faulty) Lock(path string) (disk.Lock, error) {
	if err := d.at("lock", path); err != nil {
		return nil, err
	}
	lock, err := d.real.Lock(path)
	if err != nil {
		return nil, err
	}
	return &faultyLock{lock, path, d}, nil
}

type faultyLock struct {
	disk.Lock
	path string
	disk *faulty
}

// Check implements disk.Lock.
func (l *faultyLock) Check() error {
	if err := l.disk.at("check", l.path); err != nil {
		return err
	}
	return l.Lock.Check()
}

type faultyFile struct {
	disk.File
	path string
	disk *faulty
}

// Read implements disk.File.
func (f *faultyFile) Read(p []byte) (int, error) {
	if err := f.disk.at("read", f.path); err != nil {
		return 0, err
	}
	return f.File.Read(p)
}

// Write implements disk.File.
func (f *faultyFile) Write(p []byte) (int, error) {
	info, err := f.File.Stat()
	if err != nil {
		return 0, err
	}
	f.disk.written(f.path, info.Size())
	if err = f.disk.at("write", f.path); err != errHalf {
		if err != nil {
			return 0, err
		}
		return f.File.Write(p)
	}
	n, err := f.File.Write(p[:len(p)/2])
	if f.disk.fault.Kind == faultTorn {
		die()
	}
	if err == nil {
		err = &fs.PathError{Op: "write", Path: f.path, Err: f.disk.fault.errno()}
	}
	return n, err
}

// Sync implements disk.File.
func (f *faultyFile) Sync() error {
	if err := f.disk.at("sync", f.path); err != nil {
		return err
	}
	err := f.File.Sync()
	if err == nil {
		f.disk.synced(f.path)
	}
	return err
}
