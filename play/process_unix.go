//go:build unix && !linux

package play

import (
	"os/exec"
	"syscall"
)

// ownGroup gives the program its own process group. Ctrl-C in the terminal then does not
// reach it, which would count as a forfeit, and killGroup reaches the processes that it
// starts.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
