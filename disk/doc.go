// Package disk is the seam through which everything that must last is written
// and read back: checkpoints, episodes, metrics, configurations.
//
// FS is the interface of a file system. OS is the machine's. Tests put another
// in its place, of package disktest, that fails or crashes at a chosen operation,
// and look at what is left.
//
// # First use
//
//	err := disk.WriteFile(disk.OS{}, "report.json", func(w io.Writer) error {
//		return json.NewEncoder(w).Encode(report)
//	})
//	…
//	data, err := disk.ReadFile(disk.OS{}, "report.json", 1<<20)
//
// Whatever happens while WriteFile runs, the file holds either its old content or
// all of its new content.
//
// # What lasts when
//
//	File.Write, Rename, Remove    when the kernel chooses: a power cut may undo them, in any order
//	File.Sync                     the content lasts, its name not yet
//	FS.SyncDir                    the names in the folder last, and removed names stay removed
//	MkdirAll                      the folders last when it returns
//
// An error of Sync or SyncDir is final: the kernel may have dropped what it
// could not write and does not report it twice. The content must be written again,
// to another file, as WriteFile does on each call.
//
// # Duties of the caller
//
// Only one process at a time writes to a path. Lock ensures that for a folder.
// The system releases a lock at the end of its process, so that a kill leaves
// none behind. Before a write that counts, call Lock.Check, which fails if the
// folder is no longer the one that was locked.
//
// A name that ends in Unfinished is what a process was writing when it was
// killed; the next process that writes there may remove it.
package disk
