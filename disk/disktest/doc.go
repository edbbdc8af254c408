// Package disktest provides file systems to test writing through package disk. An operation that
// the test chooses fails, is torn, runs out of space or crashes the machine, and the test checks
// the files that remain.
//
// # Faults
//
// Over calls a hook before every operation of another file system; New makes a file system in
// memory with such a hook. The hook returns a Verdict:
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
// # What is durable
//
// A Memory promises no more than POSIX. The process sees the result of everything it has done. On
// the disk,
//
//   - a file holds its content at the last Sync. Of later writes any part may have arrived: a
//     prefix, single blocks of 512 bytes, or a length without its bytes, which are then zeros. Data
//     that Sync failed to flush is dropped: it can still be read, and later Syncs succeed without
//     it;
//   - a folder has its names at the last SyncDir. Of the names made, renamed and removed later, a
//     prefix of the changes has arrived. A rename within a folder arrives completely or not at all.
//     A rename between folders makes a name in one folder and removes a name from the other,
//     independently.
//
// Files and folders are independent of each other: a name may be durable without the file's
// content, and the content without the name.
//
// Memory.Kill returns the file system that the next process sees after SIGKILL: it has
// everything, but not yet durably. Memory.Crash returns a file system that the machine may have
// after a power cut: a random choice of the parts that may have arrived, all of them durable.
// Both release the locks.
package disktest
