// Package disktest is a file system in memory that loses power, kills its
// process and fails when it is told to, for testing what is written through
// package disk.
//
// # What lasts
//
// An FS promises no more than POSIX does. To the process everything it has done
// is there at once. On the disk
//
//   - a file holds what it held at its last Sync; what was written later has
//     arrived in any part: a prefix, single blocks of 512 bytes, lengths
//     without their bytes, which are zeros then. What a Sync has failed to
//     flush is given up, though it can still be read: a later Sync says
//     nothing of it;
//   - a folder has the names that it had at its last SyncDir; of the names
//     made, renamed and removed later, a prefix has arrived. A rename within a
//     folder arrives whole or not at all; one between folders is a name made
//     here and one removed there.
//
// Nothing orders one file or folder with another: a name may last without what
// it names, and the other way round.
//
// Kill returns what the next process finds after SIGKILL: all of it, still not
// safe from a power cut. Crash returns what the machine finds after a power
// cut: a draw from all that may have arrived, which is safe from then on.
// Either way the locks are free.
//
// # Faults
//
// FS.Hook is asked before every operation what is to become of it:
//
//	fsys := disktest.New()
//	fsys.Hook = func(op disktest.Op) disktest.Verdict {
//		if op.N == 17 { // the power goes in the middle of a write
//			return disktest.Verdict{Do: disktest.Half, Crash: true}
//		}
//		return disktest.Verdict{}
//	}
//	err := train(fsys) // fails
//	err = train(fsys.Crash(rng))
//
// RemoveAll and MkdirAll are as many operations as they have steps, so that
// they can be stopped between any two.
package disktest
