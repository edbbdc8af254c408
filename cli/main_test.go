package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"tiro/env/games"
	"tiro/net/kernel"
	"tiro/net/opencl/cl"
	"tiro/web"
)

// shippedGames lists the games of Tiro.
var shippedGames = catalog{games.All()}

// mainTiro is the command tiro.
func mainTiro() { Main(shippedGames.Table...) }

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"tiro": mainTiro, unprivilegedTiro: mainUnprivileged})
}

// TestScripts runs each script testdata/script/*.txtar in its own folder, with the command tiro
// as users run it.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Condition: func(name string) (bool, error) {
			switch name {
			case "assembly": // this CPU has assembly kernels
				return len(kernel.Names()) > 1, nil
			case "program": // this build has the browser program; in CI it is required
				return web.CheckProgram() == nil || os.Getenv("CI") == "true", nil
			case "device": // this machine has an OpenCL device; in CI it is required
				library, err := cl.Load()
				if err == nil {
					_, err = library.Devices()
				}
				return err == nil || os.Getenv("CI") == "true", nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"rc":     scriptRC,
			"binary": scriptBinary,
		},
	})
}

// scriptRC implements "rc N COMMAND…", which runs the command and requires exit code N.
func scriptRC(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: rc N COMMAND [ARG…]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit := (*exec.ExitError)(nil)
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d instead of %d", got, want)
	}
}

// scriptBinary implements "binary", which writes binary.txt: lines for tiro moves that a script
// cannot contain, namely invalid text, a line of a megabyte, and a position without a final
// newline.
func scriptBinary(ts *testscript.TestScript, _ bool, _ []string) {
	text := "\xfd\xfe\x00\n" + strings.Repeat("x", 1<<20) + "\n" + ".../.../..."
	ts.Check(os.WriteFile(ts.MkAbs("binary.txt"), []byte(text), 0o600))
}
