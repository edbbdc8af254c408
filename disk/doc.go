// Package disk is the seam through which everything that must last is written
// and read back: checkpoints, episodes, metrics, configurations.
//
// FS is what a run asks of a file system. OS is the machine's; a test puts
// another in its place that fails or crashes when it is told to, and sees what
// is left.
//
// # First use
//
//	err := disk.WriteFile(disk.OS{}, "report.json", func(w io.Writer) error {
//		return json.NewEncoder(w).Encode(report)
//	})
//	…
//	data, err := disk.ReadFile(disk.OS{}, "report.json", 1<<20)
//
// After WriteFile the file holds either what it held before or all of the new,
// whatever happens in between: the new is written to a file beside it, flushed
// to the disk and renamed, and then the folder is flushed, since a name lasts
// only when its folder does.
//
// # What lasts when
//
//	File.Write, Rename, Remove    when the kernel pleases: a power cut may undo them, in any order
//	File.Sync                     the content lasts, not yet the name
//	FS.SyncDir                    the names in the folder last, also those gone
//	MkdirAll                      the folders last when it returns
//
// An error of Sync or SyncDir is final: the kernel may have dropped what it
// could not write and will not say so twice. What was to be flushed must be
// written anew, to another file; WriteFile does so each time.
//
// # Duties of the caller
//
// One process at a time writes to a path. Lock sees to that for a whole
// folder: the system ends a lock with the process that holds it, so that none
// outlives a kill. Before something is written that counts, Lock.Check tells
// whether the folder is still the one that was locked.
//
// A name that ends in Unfinished is what a process was writing when it was
// killed; the next one to write there may remove it.
package disk
