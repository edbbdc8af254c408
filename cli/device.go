package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tiro/env"
	"tiro/net"
	"tiro/study/bench"
)

// deviceQuestion is the input of tiro device.
type deviceQuestion struct {
	Game string     `json:"game"`
	Net  net.Config `json:"net"`
}

// deviceCommand is the command that compareDevice runs.
func deviceCommand(games catalog) *cobra.Command {
	return &cobra.Command{
		Use:   "device",
		Short: "Compare a graphics card with the CPU",
		Long: `Device prints how fast a graphics card evaluates a network, if this machine has one. Other
commands run it in a process of its own, because a faulty driver may crash.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var q deviceQuestion
			if err := json.NewDecoder(cmd.InOrStdin()).Decode(&q); err != nil {
				return usage(fmt.Errorf("standard input must have a game and a network: %w", err))
			}
			game, err := games.newGame(q.Game)
			if err == nil {
				err = usage(q.Net.Validate())
			}
			if err != nil {
				return err
			}
			comparison := bench.Device{Game: game, Net: q.Net, Threads: runtime.GOMAXPROCS(0), Cache: kernelCache(), Clock: time.Now}
			text, err := comparison.Compare(cmd.Context())
			if err == nil && text != "" {
				fmt.Fprintln(cmd.OutOrStdout(), text)
			}
			return err
		},
	}
}

// deviceTimeout bounds the comparison, which may build kernels.
const deviceTimeout = time.Minute

// compareDevice returns a sentence on the speed of a graphics card with a network, or "" if this
// machine has none. It loads no driver into this process.
func compareDevice(ctx context.Context, game env.Game, network net.Config) (string, error) {
	if !mayHaveDevice() {
		return "", nil
	}
	program, err := os.Executable()
	if err != nil {
		return "", err
	}
	question, err := json.Marshal(deviceQuestion{game.Spec().Name, network})
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, deviceTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "device")
	cmd.Args[0] = "tiro" // with which the program of the tests is this program
	cmd.Stdin = bytes.NewReader(question)
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		first, _, _ := strings.Cut(string(exit.Stderr), "\n")
		err = fmt.Errorf("%w: %s", err, first)
	}
	return strings.TrimSpace(string(out)), err
}

// mayHaveDevice reports whether this machine may have a graphics card. It costs nothing.
func mayHaveDevice() bool {
	if runtime.GOOS != "linux" {
		return true
	}
	for _, device := range []string{"/dev/nvidia[0-9]*", "/dev/dri/renderD*", "/dev/kfd", "/dev/dxg"} {
		if found, _ := filepath.Glob(device); len(found) > 0 {
			return true
		}
	}
	return false
}
