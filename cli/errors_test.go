package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/net/kernel"
	"tiro/net/opencl/cl"
	"tiro/rundir"
	"tiro/train"
)

// TestExplain checks messages: the error, the hint, and the command that resumes a run.
func TestExplain(t *testing.T) {
	write := fmt.Errorf("generation 4: %w", &fs.PathError{Op: "write", Path: "runs/mnk/metrics.jsonl", Err: syscall.ENOSPC})
	damaged := fmt.Errorf("%w: runs/mnk/episodes/000003.jsonl.zst: cut short", rundir.ErrDamaged)
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"no hint", errors.New("workers is 0\nhours is -1"), "workers is 0; hours is -1"},
		{"names of packages", errors.New("study: fork: arena: x\nf: exam: line 2: net.y"), "fork: x; f: line 2: net.y"},
		{"not a number", errors.New(`invalid argument "x\"y" for "--games" flag: strconv.ParseInt: parsing "x\"y": invalid syntax`), `invalid argument "x\"y" for "--games" flag: invalid syntax`},
		{"a full disk", write, "generation 4: write runs/mnk/metrics.jsonl: no space left on device; free some space"},
		{"a file too large", &fs.PathError{Op: "write", Path: "x", Err: syscall.EFBIG}, "write x: file too large; raise the limit on file sizes (ulimit -f), or use a file system that supports larger files"},
		{"too many files", &fs.PathError{Op: "open", Path: "x", Err: syscall.EMFILE}, "open x: too many open files; raise the limit on open files (ulimit -n), or close other programs"},
		{"a name too long", &fs.PathError{Op: "open", Path: "x", Err: syscall.ENAMETOOLONG}, "open x: file name too long; choose a shorter name"},
		{"a program that is not executable", &fs.PathError{Op: "fork/exec", Path: "x", Err: syscall.EACCES}, "fork/exec x: permission denied; change its permissions, or choose another path"},
		{"a loop", &fs.PathError{Op: "open", Path: "x", Err: syscall.ELOOP}, "open x: too many levels of symbolic links; remove the symbolic link that points to itself"},
		{"another device", &fs.PathError{Op: "rename", Path: "x", Err: syscall.EXDEV}, "rename x: invalid cross-device link; copy the folder to another disk and continue there"},
		{
			"a full disk under a run", &train.Halt{Err: write, Checkpoint: 3},
			"generation 4: write runs/mnk/metrics.jsonl: no space left on device; free some space, and the same command resumes from checkpoint 3, which is intact",
		},
		{
			"damage", &train.Halt{Err: damaged, Checkpoint: 3},
			"damaged: runs/mnk/episodes/000003.jsonl.zst: cut short; tiro verify RUN --repair moves the damaged parts aside, and the same command resumes from checkpoint 3, which is intact",
		},
		{
			"a lost device", &train.Halt{Err: fmt.Errorf("opencl: device X: %w", &cl.Error{Call: "clFinish", Code: -36}), Checkpoint: 3},
			"opencl: device X: the device has failed (clFinish returned -36); --backend " + kernel.Best().Name() + " computes on the CPU, and the same command resumes from checkpoint 3, which is intact",
		},
		{
			"a bound", &train.Halt{Err: errors.New("disk is 1MiB"), Checkpoint: 3},
			"disk is 1MiB; once that is fixed, the same command resumes from checkpoint 3, which is intact",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, test.want, explain(fmt.Errorf("%w", test.err)))
			var out strings.Builder
			require.Equal(t, exitFailed, report(&out, trainCommand(shippedGames, nil), test.err))
			require.Equal(t, "tiro: "+test.want+"\n", out.String())
		})
	}
}

// TestMessagesOfHostileText checks that the contents or name of a file cannot forge a line,
// send a control sequence to the terminal, or flood it.
func TestMessagesOfHostileText(t *testing.T) {
	message := func(text string) string {
		var out strings.Builder
		require.Equal(t, exitFailed, report(&out, trainCommand(shippedGames, nil), errors.New(text)))
		return out.String()
	}
	require.Equal(t, "tiro: a\\x1b[2Jb; ok c\\xff\\u202e\n", message("a\x1b[2Jb\nok c\xff\u202e"))
	require.Equal(t, "tiro: größer, \"ü\" …\n", message("größer, \"ü\" …"))
	long := message("start " + strings.Repeat("é", 100_000) + " end")
	require.Less(t, len(long), maxError+20)
	require.Regexp(t, `^tiro: start é+ … é+ end\n$`, long)
	require.Less(t, len(message(strings.Repeat("fault\n", 100_000))), maxErrors+20)
}
