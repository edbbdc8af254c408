// Package disktest tests what is written through package disk: a file system
// fails, tears a write, runs out of space or crashes at the operation that a
// test chooses, and the test sees what is left.
//
// # Faults
//
// Over puts a hook before every operation of another file system, New before
// those of one in memory. The hook returns a Verdict:
//
//	fsys := disktest.New()
//	fsys.Hook = func(op disktest.Op) disktest.Verdict {
//		if op.N == 17 { // the power fails in the middle of a write
//			return disktest.Verdict{Do: disktest.Half, Crash: true}
//		}
//		return disktest.Verdict{}
//	}
//	err := train(fsys) // fails
//	err = train(fsys.Crash(rng))
//
// # What lasts
//
// A Memory keeps no more than POSIX promises. The process sees everything that
// it has done. On the disk
//
//   - a file holds what it held at its last Sync. Of what was written later
//     any part has arrived: a prefix, single blocks of 512 bytes, or a length
//     without its bytes, which then are zeros. What a Sync failed to flush is
//     given up: it can still be read, and later Syncs succeed without it;
//   - a folder has the names that it had at its last SyncDir. Of the names
//     made, renamed and removed later a prefix has arrived. A rename within a
//     folder arrives completely or not at all; a rename between folders is a
//     name made in one and a name removed in the other.
//
// Files and folders are not ordered among each other: a name may last without
// what it names, and a file without its name.
//
// Memory.Kill returns what the next process finds after SIGKILL: everything,
// still not safe from a power cut. Memory.Crash returns what the machine finds
// after a power cut: a random choice of what may have arrived, safe from then
// on. Both release the locks.
package disktest
