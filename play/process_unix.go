//go:build unix && !linux

package play

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps Ctrl-C in the terminal from reaching the program, whose end would count
// as a forfeit, and gathers what it starts itself.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
