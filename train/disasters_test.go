package train_test

import (
	"slices"
	"syscall"

	"tiro/disk/disktest"
)

// disaster is a fault that strikes an operation of a run on the disk.
type disaster struct {
	name       string
	strikes    func(disktest.Op) bool // whether it can strike the operation
	verdict    disktest.Verdict
	persistent bool // whether it lasts from the operation to the end of the process
	powerCut   bool // whether the machine stops as well and unflushed data may be lost
}

// Kinds of operations that disasters strike.
func anything(disktest.Op) bool   { return true }
func writes(op disktest.Op) bool  { return op.Kind == disktest.Write }
func changes(op disktest.Op) bool { return op.Kind.Changes() }
func needsRoom(op disktest.Op) bool { // operations that a full disk refuses
	return slices.Contains([]disktest.Kind{disktest.Create, disktest.Append, disktest.Write, disktest.Mkdir, disktest.Lock, disktest.Sync}, op.Kind)
}

// Verdicts for an operation.
var (
	stopBefore   = disktest.Verdict{Do: disktest.None, Crash: true}
	stopWithin   = disktest.Verdict{Do: disktest.Half, Crash: true}
	diskFull     = disktest.Verdict{Do: disktest.Half, Err: syscall.ENOSPC}
	ioError      = disktest.Verdict{Do: disktest.None, Err: syscall.EIO}
	readOnlyDisk = disktest.Verdict{Do: disktest.None, Err: syscall.EROFS}
)

var (
	killed       = disaster{name: "killed", strikes: anything, verdict: stopBefore}
	killedWithin = disaster{name: "killed when half of a write is done", strikes: writes, verdict: stopWithin}
	powerCut     = disaster{name: "power cut", strikes: anything, verdict: stopBefore, powerCut: true}
)

var disasters = []disaster{
	killed,
	killedWithin,
	powerCut,
	{name: "power cut when half of a write is done", strikes: writes, verdict: stopWithin, powerCut: true},
	{name: "disk full", strikes: needsRoom, verdict: diskFull, persistent: true},
	{name: "disk full for a moment", strikes: needsRoom, verdict: diskFull},
	{name: "input/output error", strikes: anything, verdict: ioError},
	{name: "input/output error, but done", strikes: changes, verdict: disktest.Verdict{Err: syscall.EIO}},
	{name: "input/output error and power cut", strikes: changes, verdict: ioError, powerCut: true},
	{name: "read-only", strikes: changes, verdict: readOnlyDisk, persistent: true}, // as the kernel remounts a failing disk
}

// err is wrapped by the error of a run that d has ended.
func (d *disaster) err() error {
	if d.verdict.Crash {
		return disktest.ErrCrashed
	}
	return d.verdict.Err
}
