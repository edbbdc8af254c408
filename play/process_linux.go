package play

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
)

// ownGroup gives the program its own process group. Ctrl-C in the terminal then does not
// reach it, which would count as a forfeit, and killGroup reaches the processes that it
// starts. The system kills the program when the thread that started it ends; see
// process.start.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// killGroup kills a program, its group, and its descendants in other groups.
func killGroup(cmd *exec.Cmd) {
	started := descendants(cmd.Process.Pid)
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	for _, pid := range started {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// descendants returns the IDs of all descendants of a process.
func descendants(pid int) (all []int) {
	children := map[int][]int{}
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		stat, err := os.ReadFile(file)
		end := bytes.LastIndexByte(stat, ')') // end of the program's name
		if err != nil || end < 0 {
			continue
		}
		if fields := bytes.Fields(stat[end+1:]); len(fields) > 1 {
			child, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			parent, _ := strconv.Atoi(string(fields[1])) // field 4 of proc(5)
			children[parent] = append(children[parent], child)
		}
	}
	for all = children[pid]; len(children) > 0; {
		n := len(all)
		for _, p := range all {
			all = append(all, children[p]...)
			delete(children, p)
		}
		if len(all) == n {
			break
		}
	}
	return all
}
