//go:build unix

package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/rundir"
)

// visits are what others try to do with a run that is being trained: verify it, or
// train it too, by its path, another path or a link.
var visits = []string{"verify", "train by its path", "train by a relative path", "train by a path with dots", "train by a link"}

// disturb does with the process, which trains in dir, what the interruption says,
// unless it ends before. It returns what became of the visit.
func (d *crashDriver) disturb(process *os.Process, dir string, i interruption, ended <-chan struct{}) (visit outcome) {
	if i.visit != "" && waitForLock(dir, ended) {
		if i.pause {
			_ = process.Signal(syscall.SIGSTOP) // here and below: it may have ended
		}
		visit = d.visit(dir, i.visit)
		_ = process.Signal(syscall.SIGCONT)
	}
	var now <-chan time.Time
	if i.signal != 0 {
		now = time.After(i.after)
	}
	select {
	case <-ended:
	case <-now:
		_ = process.Signal(i.signal)
		if i.twice {
			_ = process.Signal(i.signal)
		}
	}
	return visit
}

// waitForLock waits until a process trains in dir. It returns false if the one
// that was to do so ended before.
func waitForLock(dir string, ended <-chan struct{}) bool {
	for {
		if f, err := os.OpenFile(filepath.Join(dir, rundir.LockFile), os.O_RDWR, 0); err == nil {
			err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
			_ = f.Close() // which unlocks it
			if errors.Is(err, syscall.EWOULDBLOCK) {
				return true
			}
		}
		select {
		case <-ended:
			return false
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// visit verifies the run in dir or tries to train it.
func (d *crashDriver) visit(dir, kind string) outcome {
	cmd := exec.Command("tiro", "verify", dir)
	if kind != visits[0] {
		path := map[string]string{
			visits[1]: dir,
			visits[2]: filepath.Base(dir),
			visits[3]: dir + "/episodes/../../" + filepath.Base(dir),
			visits[4]: dir + ".link",
		}[kind]
		_ = os.Symlink(dir, dir+".link") // it may be there
		cmd = exec.Command("tiro", "train", "--config", d.config, "--run", path, "--generations", fmt.Sprint(d.generations))
	}
	cmd.Dir = filepath.Dir(dir)
	out, err := cmd.CombinedOutput()
	return outcome{finished: err == nil, stderr: string(out)}
}

// checkVisit checks what became of a visit to a process that ended with err: only one
// process uses the run.
func (d *crashDriver) checkVisit(i interruption, visit outcome, err error) {
	switch {
	case visit.stderr == "": // it did not come to it
	case visit.finished: // it came too late
		require.NoError(d.t, err, visit.stderr)
	default:
		require.Contains(d.t, visit.stderr, "another process is training here")
		d.hit["visit: "+i.visit]++
	}
}
