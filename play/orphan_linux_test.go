package play

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// keeper is a program that starts a deaf program, writes its process ID, and waits to be
// killed.
func keeper() {
	_ = os.Setenv(programEnv, "deaf")
	p, err := startProcess(os.Args[:1])
	if err != nil {
		panic(err)
	}
	fmt.Println(p.cmd.Process.Pid)
	time.Sleep(time.Hour)
}

func gone(pid int) func() bool {
	return func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil || strings.Contains(string(stat), ") Z ") // a zombie
	}
}

// TestProgramsEndWithUs: a program that hangs ends when its parent is killed.
func TestProgramsEndWithUs(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), programEnv+"=keeper")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	require.NoError(t, err)
	time.Sleep(100 * time.Millisecond) // longer than an unlocked thread would live
	require.False(t, gone(pid)())
	require.NoError(t, cmd.Process.Signal(syscall.SIGKILL))
	_ = cmd.Wait()
	require.Eventually(t, gone(pid), 5*time.Minute, 10*time.Millisecond)
}

// TestSessionsEndWithPrograms: killing a program also kills its processes in other sessions.
func TestSessionsEndWithPrograms(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip(err)
	}
	p, err := startProcess([]string{"sh", "-c", "setsid sleep 1000 & echo $!; wait"})
	require.NoError(t, err)
	line, err := p.lines.readLine()
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	require.NoError(t, err)
	require.False(t, gone(pid)())
	p.kill()
	require.Eventually(t, gone(pid), 5*time.Minute, 10*time.Millisecond)
}
