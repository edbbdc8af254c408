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

// cardQuestion is the input of tiro card.
type cardQuestion struct {
	Game string     `json:"game"`
	Net  net.Config `json:"net"`
}

// cardCommand is the command that compareCard runs.
func cardCommand(games catalog) *cobra.Command {
	return &cobra.Command{
		Use:   "card",
		Short: "Compare a graphics card with the CPU",
		Long: `Card prints how fast a graphics card evaluates a network, if this machine has one. Other
commands run it in a process of its own, because a faulty driver may crash.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var q cardQuestion
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
			card := bench.Card{Game: game, Net: q.Net, Threads: runtime.GOMAXPROCS(0), Cache: kernelCache(), Clock: time.Now}
			text, err := card.Compare(cmd.Context())
			if err == nil && text != "" {
				fmt.Fprintln(cmd.OutOrStdout(), text)
			}
			return err
		},
	}
}

// cardTimeout bounds the comparison, which may build kernels.
const cardTimeout = time.Minute

// compareCard returns a sentence on the speed of a graphics card with a network, or "" if this
// machine has none. It loads no driver into this process.
func compareCard(ctx context.Context, game env.Game, network net.Config) (string, error) {
	if !mayHaveCard() {
		return "", nil
	}
	program, err := os.Executable()
	if err != nil {
		return "", err
	}
	question, err := json.Marshal(cardQuestion{game.Spec().Name, network})
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, cardTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "card")
	cmd.Args[0] = "tiro" // with which the program of the tests is this program
	cmd.Stdin = bytes.NewReader(question)
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		first, _, _ := strings.Cut(string(exit.Stderr), "\n")
		err = fmt.Errorf("%w: %s", err, first)
	}
	return strings.TrimSpace(string(out)), err
}

// mayHaveCard reports whether this machine may have a graphics card. It costs nothing.
func mayHaveCard() bool {
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
