package play

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/player"
)

// lateInterrupt is a reader of lines that simulates Ctrl-C just after the end of the first
// line.
type lateInterrupt struct {
	interrupts chan os.Signal
	prompts    int
}

func (l *lateInterrupt) ReadLine(ctx context.Context, _ string) (string, error) {
	if l.prompts++; l.prompts == 1 {
		l.interrupts <- os.Interrupt // the interrupt has been received when the send returns
		return "board", nil
	}
	return "", ErrInterrupted
}

// An interrupt between two prompts counts for the second prompt.
func TestInterruptBetweenPrompts(t *testing.T) {
	var out strings.Builder
	reader := &lateInterrupt{interrupts: make(chan os.Signal)}
	terminal := Terminal{
		Game: newGame(t, "mnk"), Seats: make([]player.Player, 2),
		Editor: reader, Interrupts: reader.interrupts,
	}
	require.NoError(t, terminal.Run(t.Context(), strings.NewReader(""), &out))
	require.Equal(t, 2, reader.prompts, out.String())
	require.Equal(t, 1, strings.Count(out.String(), "Ctrl-C again"), out.String())
}
