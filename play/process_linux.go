package play

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
)

// ownGroup keeps Ctrl-C in the terminal from reaching the program, whose end would count
// as a forfeit, gathers what it starts itself, and has the system end it with this process.
// It does so when the thread that has started the program ends: see process.start.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// killGroup ends a program, its group, and what it has started in other groups.
func killGroup(cmd *exec.Cmd) {
	started := descendants(cmd.Process.Pid)
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	for _, pid := range started {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// descendants returns the processes that a process has started, and those that these have.
func descendants(pid int) (all []int) {
	children := map[int][]int{}
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		stat, err := os.ReadFile(file)
		end := bytes.LastIndexByte(stat, ')') // of the program's name
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
