//go:build unix

package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// unprivilegedTiro is a name for the test binary. Under this name it is the command tiro
// without root's rights.
const unprivilegedTiro = "tiro-unprivileged"

// unprivileged is the ID of a user who owns no files.
const unprivileged = 65534

func mainUnprivileged() {
	if os.Getuid() == 0 {
		for _, drop := range []func() error{
			func() error { return syscall.Setgroups(nil) },
			func() error { return syscall.Setgid(unprivileged) },
			func() error { return syscall.Setuid(unprivileged) },
		} {
			if err := drop(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(exitUsage)
			}
		}
	}
	mainTiro()
}

// execute runs a program, one of those in TestMain, in dir.
func execute(t *testing.T, dir, program string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	if exit, ok := err.(*exec.ExitError); ok && ctx.Err() == nil {
		err = nil
		code = exit.ExitCode()
	}
	require.NoError(t, err, errOut.String())
	return code, out.String(), errOut.String()
}

// TestVerifyWithoutPermission: games that a user may not read count as neither damaged nor
// missing, and no command changes them.
func TestVerifyWithoutPermission(t *testing.T) {
	dir := t.TempDir()
	config := filepath.Join(dir, "tiny.yaml")
	require.NoError(t, os.WriteFile(config, []byte(tortured), 0o666))
	code, _, stderr := execute(t, dir, "tiro", "train", "--config", "tiny.yaml", "--run", "r", "--generations", "2")
	require.Equal(t, exitDone, code, stderr)
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil {
			err = os.Chmod(path, map[bool]os.FileMode{false: 0o666, true: 0o777}[entry.IsDir()])
		}
		return err
	}))
	games := filepath.Join(dir, "r", "episodes", "000002.jsonl.zst")
	require.NoError(t, os.Chmod(games, 0))

	code, stdout, stderr := execute(t, dir, unprivilegedTiro, "verify", "r")
	require.Equal(t, exitFailed, code)
	require.Regexp(t, `(?m)^unchecked  episodes/000002.jsonl.zst  .*permission denied$`, stdout)
	require.NotContains(t, stdout, "resume")
	require.Contains(t, stderr, "is not intact: faults in 1 of")
	code, stdout, stderr = execute(t, dir, unprivilegedTiro, "verify", "r", "--repair")
	require.Equal(t, exitFailed, code)
	require.NotContains(t, stdout, "moved")
	require.Contains(t, stderr, "is not intact: faults in 1 of")
	require.NoDirExists(t, filepath.Join(dir, "r", "damaged"))
	code, _, stderr = execute(t, dir, unprivilegedTiro, "train", "--run", "r", "--generations", "3")
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "permission denied")
	require.FileExists(t, games)

	require.NoError(t, os.Chmod(filepath.Join(dir, "r"), 0))
	code, _, stderr = execute(t, dir, unprivilegedTiro, "verify", "r")
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "permission denied")

	require.NoError(t, os.Chmod(filepath.Join(dir, "r"), 0o777))
	require.NoError(t, os.Chmod(games, 0o666))
	code, stdout, stderr = execute(t, dir, unprivilegedTiro, "verify", "r")
	require.Equal(t, exitDone, code, "%s%s", stdout, stderr)
}
