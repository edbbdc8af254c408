// Package disk writes and reads everything that must survive a crash: checkpoints, episodes,
// metrics and configurations.
//
// FS is the interface of a file system, and OS is the machine's. Tests use a file system of
// package disktest instead, which fails or crashes at a chosen operation, and check the files
// that remain.
//
// # First use
//
//	err := disk.WriteFile(disk.OS{}, "report.json", func(w io.Writer) error {
//		return json.NewEncoder(w).Encode(report)
//	})
//	…
//	data, err := disk.ReadFile(disk.OS{}, "report.json", 1<<20)
//
// However WriteFile ends, the file holds either its complete old content or its complete new
// content.
//
// # What is durable when
//
//	File.Write, Rename, Remove    at a time of the kernel's choice; a power cut may undo them, in any order
//	File.Sync                     the file's content is durable, its name may not be
//	FS.SyncDir                    the folder's names are durable, and removed names stay removed
//	MkdirAll                      the folders are durable when it returns
//
// An error of Sync or SyncDir is final, because the kernel may drop data that it failed to flush
// and does not report the error twice. The content must be written again, to another file, as
// WriteFile does on each call.
//
// # Duties of the caller
//
// Only one process at a time may write to a path. Lock ensures this for a folder. The system
// releases a lock when its process ends, so that a killed process leaves no lock behind. Call
// Lock.Check before an important write: it fails if the folder is no longer the locked one.
//
// A name that ends in Unfinished belongs to a file or folder whose writer was killed. The next
// process that writes to the same path may remove it.
package disk
