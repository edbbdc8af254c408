package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"tiro/disk"
	"tiro/env/games"
	"tiro/fsck"
	"tiro/internal/effort"
)

// TestAttackDisks trains on full, tiny and read-only file systems, through power cuts, and
// under limits of the shell. Once there is room again, a run must resume and end with the same
// bytes.
func TestAttackDisks(t *testing.T) {
	c := newCampaign(t)
	requireMounts(t)
	pages, files := 0, 0
	for _, data := range snapshot(t, c.begun) {
		pages += 1 + len(data)/os.Getpagesize()
		files++
	}
	var full []string
	for more := range 28 {
		full = append(full, fmt.Sprintf("size=%d", (pages+2*more)*os.Getpagesize()))
	}
	for more := range 19 {
		full = append(full, fmt.Sprintf("nr_inodes=%d", files+1+more))
	}
	for _, bound := range pick(c, 5, full) {
		c.attack("tmpfs of "+bound, func(a *attack) { a.tryFull(bound) })
	}
	c.attack("read-only", (*attack).tryReadOnly)
	cuts := 2
	if c.full {
		cuts = 60
	}
	modes := []string{"data=ordered", "data=writeback", "data=journal", "commit=300", "nobarrier", "noauto_da_alloc"}
	for i := range cuts {
		mode := modes[i%len(modes)]
		c.attack(fmt.Sprintf("power cuts on ext4 with %s, %d", mode, i), func(a *attack) { a.tryPowerCuts(mode) })
	}
}

// TestAttackLimits trains with low limits on file size and open files.
func TestAttackLimits(t *testing.T) {
	c := newCampaign(t)
	var limits []string
	for blocks := range 13 {
		limits = append(limits, fmt.Sprintf("ulimit -f %d", blocks*blocks))
	}
	for files := range 10 { // Go's runtime may fail to start with fewer than eight
		limits = append(limits, fmt.Sprintf("ulimit -n %d", 9+files))
	}
	for _, limit := range pick(c, 4, limits) {
		c.attack(limit, func(a *attack) {
			dir := a.copyOfRun()
			cmd := a.trainer(dir, attackedTo)
			e := a.run(exec.Command("sh", append([]string{"-c", limit + ` && exec "$@"`, "sh"}, cmd.Args...)...))
			if e.code != exitDone && !strings.Contains(e.stderr, "loading shared libraries") && !strings.Contains(e.stderr, "sh: ") {
				a.requireRefused(e)
			}
			a.countEnding(limit[:len("ulimit -f")], e)
			a.requireResumes(dir)
		})
	}
}

// requireMounts skips the test where mounting is not possible.
func requireMounts(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("NOT ATTACKED: full file systems; root is needed")
	}
	dir := t.TempDir()
	out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", dir).CombinedOutput()
	if strings.Contains(string(out), "permission denied") || strings.Contains(string(out), "not permitted") {
		t.Skipf("NOT ATTACKED: full file systems; root may not mount here: %s", out)
	}
	if err != nil {
		effort.NotChecked(t, "full file systems: %v: %s", err, out)
	}
	require.NoError(t, unix.Unmount(dir, 0))
}

// shell runs a system command, which must succeed.
func (a *attack) shell(name string, args ...string) {
	a.t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	require.NoError(a.t, err, "%s %q: %s", name, args, out)
}

// mount mounts a file system until the test ends and returns the mount point.
func (a *attack) mount(args ...string) string {
	a.t.Helper()
	dir := filepath.Join(a.t.TempDir(), "disk")
	require.NoError(a.t, os.Mkdir(dir, 0o755))
	a.shell("mount", append(args, dir)...)
	a.t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) }) // the test may have unmounted it already
	return dir
}

// unmount unmounts the file system at dir. It retries, because a process that another test is
// starting may briefly hold a file there.
func (a *attack) unmount(dir string) {
	a.t.Helper()
	require.Eventually(a.t, func() bool { return unix.Unmount(dir, 0) == nil }, 5*time.Minute, time.Millisecond)
}

// tryFull trains in a tmpfs with little room, and then with enough room.
func (a *attack) tryFull(bound string) {
	disk := a.mount("-t", "tmpfs", "tmpfs")
	dir := filepath.Join(disk, "run")
	require.NoError(a.t, os.CopyFS(dir, os.DirFS(a.begun)))
	a.shell("mount", "-o", "remount,"+bound, disk)
	e := a.train(dir, attackedTo)
	kind, _, _ := strings.Cut(bound, "=")
	a.countEnding("tmpfs, "+kind, e)
	if e.code != exitDone {
		a.requireRefused(e)
		require.Contains(a.t, e.stderr, "no space left", "%v", e)
	}
	a.requireDone(a.run(tiro("verify", dir)))
	a.shell("mount", "-o", "remount,size=64m,nr_inodes=1000", disk)
	a.requireResumes(dir)
}

// tryReadOnly reads from and trains on a read-only file system.
func (a *attack) tryReadOnly() {
	disk := a.mount("-t", "tmpfs", "tmpfs")
	dir := filepath.Join(disk, "run")
	require.NoError(a.t, os.CopyFS(dir, os.DirFS(a.begun)))
	a.shell("mount", "-o", "remount,ro", disk)
	a.requireDone(a.run(tiro("verify", dir)))
	a.requireDone(a.run(tiro("export", dir, "--onnx", filepath.Join(a.t.TempDir(), "out.onnx"))))
	a.requireRefused(a.train(dir, attackedTo))
	a.shell("mount", "-o", "remount,rw", disk)
	a.requireResumes(dir)
	a.count("read-only", "refused")
}

// ioctl numbers of ext4: the request to shut down at once, and the flag that leaves the journal
// unflushed.
const (
	ext4Shutdown   = 0x8004587d
	ext4NoLogFlush = 2
)

// tryPowerCuts trains on ext4 and shuts the file system down at random moments, as a power cut
// would. Data that was not synced is lost, and the next mount replays the journal. Every
// generation in the metrics must survive.
func (a *attack) tryPowerCuts(mode string) {
	if _, err := exec.LookPath("mkfs.ext4"); err != nil {
		effort.NotChecked(a.t, "power cuts: mkfs.ext4 is missing")
	}
	image := filepath.Join(a.t.TempDir(), "image")
	require.NoError(a.t, os.WriteFile(image, nil, 0o600))
	require.NoError(a.t, os.Truncate(image, 16<<20))
	a.shell("mkfs.ext4", "-q", image)
	disk := a.mount("-o", "loop,"+mode, image)
	dir := filepath.Join(disk, "run")
	const most = 4 // cuts; the limit lets the run finish on a slow machine, too
	for cuts := 0; ; cuts++ {
		cmd := a.trainer(dir, attackedTo)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		require.NoError(a.t, cmd.Start())
		exited := make(chan error, 1)
		go func() { exited <- cmd.Wait() }()
		var cut <-chan time.Time
		if cuts < most {
			cut = time.After(time.Duration(a.rng.IntN(300)) * time.Millisecond)
		}
		var err error
		select {
		case err = <-exited:
			require.NoError(a.t, err, stderr.String())
			a.requireResumes(dir) // the run is done
			a.count(mode, "runs")
			a.unmount(disk)
			return
		case <-cut:
		}
		stopped := cmd.Process.Signal(syscall.SIGSTOP)
		if !errors.Is(stopped, os.ErrProcessDone) { // the process may have just ended
			require.NoError(a.t, stopped)
		}
		told := a.generationsTold(dir)
		a.cutPower(disk)
		_ = cmd.Process.Kill()
		err = <-exited
		exit := (*exec.ExitError)(nil)
		require.True(a.t, err == nil || stopped == nil && errors.As(err, &exit), "%v", err)
		a.unmount(disk)
		a.shell("mount", "-o", "loop,"+mode, image, disk)
		if told > 0 {
			require.GreaterOrEqual(a.t, a.intact(dir), told)
		}
		a.count(mode, "cuts")
	}
}

// intact requires that the run in dir passes verify, and returns its newest checkpoint.
func (a *attack) intact(dir string) int {
	report, err := fsck.Verify(a.t.Context(), fsck.Options{Path: dir, Find: games.New, Disk: disk.OS{}})
	require.NoError(a.t, err)
	require.True(a.t, report.OK(), "%+v", report.Parts)
	return report.Checkpoint
}

// generationsTold returns the number of generations in dir's metrics.
func (a *attack) generationsTold(dir string) int {
	data, err := os.ReadFile(filepath.Join(dir, "metrics.jsonl"))
	if errors.Is(err, os.ErrNotExist) {
		return 0
	}
	require.NoError(a.t, err)
	return bytes.Count(data, []byte("\n"))
}

// cutPower shuts down the ext4 file system mounted at disk.
func (a *attack) cutPower(disk string) {
	f, err := os.Open(disk)
	require.NoError(a.t, err)
	defer f.Close()
	require.NoError(a.t, unix.IoctlSetPointerInt(int(f.Fd()), ext4Shutdown, ext4NoLogFlush))
}
