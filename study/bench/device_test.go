package bench

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/env/games"
	"tiro/net"
	"tiro/net/opencl/cl"
	"tiro/net/opencl/cltest"
)

// TestDevice compares the device of tests, as if it were a graphics card, with the CPU.
func TestDevice(t *testing.T) {
	devices, err := cltest.Library(t).Devices()
	require.NoError(t, err)
	devices[0].Kind = cl.GPU
	game, err := games.New("tictactoe")
	require.NoError(t, err)
	text, err := Device{
		Game: game, Net: net.Config{Channels: 16, Blocks: 1, OutcomeChannels: 2}, Threads: 2, Clock: time.Now,
	}.compare(t.Context(), devices)
	require.NoError(t, err)
	require.Contains(t, text, devices[0].Name)
}
