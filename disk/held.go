package disk

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// heldSuffix ends the name of the file that identifies the holder of a lock on a file system
// without locks.
const heldSuffix = ".held"

// maxHeld is the largest size of such a file.
const maxHeld = 1 << 12

// hold makes the file at path with this process's identity in it. If the file exists, it returns
// ErrLocked while its process is alive; otherwise it removes the file and returns ErrLost.
func hold(path string) (held string, err error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err == nil {
		_, err = file.WriteString(process(os.Getpid()))
		return path, errors.Join(err, file.Close())
	}
	if !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	holder, err := ReadFile(OS{}, path, maxHeld)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s: %w", path, ErrLost) // released in the meantime
	}
	if err != nil {
		return "", err
	}
	if ended(string(holder)) {
		return "", errors.Join(ErrLost, os.Remove(path))
	}
	return "", fmt.Errorf("%w %q: if that process has ended, remove %s", ErrLocked, bytes.TrimSpace(holder), path)
}

// holds returns ErrLost if the file at path does not identify this process, because another one
// has taken it for ended.
func holds(path string) error {
	holder, err := ReadFile(OS{}, path, maxHeld)
	if err == nil && string(holder) == process(os.Getpid()) || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return fmt.Errorf("%s: %w", path, ErrLost)
}

// process identifies a process of this machine: the machine's name, the process's number and,
// where the system reports it, its start time.
func process(pid int) string {
	host, _ := os.Hostname()
	began := ""
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if end := bytes.LastIndexByte(stat, ')'); err == nil && end >= 0 { // the end of the program's name
		if fields := bytes.Fields(stat[end+1:]); len(fields) > 19 {
			began = string(fields[19]) // starttime, field 22 of proc(5)
		}
	}
	return fmt.Sprintf("%q %d %s\n", host, pid, began)
}

// ended reports whether the process that process has identified as holder has certainly ended.
func ended(holder string) bool {
	var host, began string
	var pid int
	if n, _ := fmt.Sscanf(holder, "%q %d %s", &host, &pid, &began); n < 3 {
		return false
	}
	own, err := os.Hostname()
	return err == nil && host == own && process(pid) != holder
}
