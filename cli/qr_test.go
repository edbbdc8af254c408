//go:build linux

package cli

import (
	"net"
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"rsc.io/qr"

	"tiro/internal/screen"
	"tiro/web"
)

// TestQRCode: a terminal shows all modules of the code with a margin, and an address with a
// token fits on 80 columns and 24 rows.
func TestQRCode(t *testing.T) {
	const address = "http://192.168.178.123:65535/?token=abcdefghijklmnopqrstuvwxyz"
	code, err := qr.Encode(address, qr.L)
	require.NoError(t, err)
	text := strings.NewReplacer("\x1b[97;40m", "", "\x1b[0m", "").Replace(qrCode(address))
	rows := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	require.LessOrEqual(t, len(rows), 24)
	for i, row := range rows {
		require.LessOrEqual(t, utf8.RuneCountInString(row), 80)
		for j, char := range []rune(row) {
			upper, lower := char == ' ' || char == '▄', char == ' ' || char == '▀'
			require.Equal(t, code.Black(j-2, 2*i-2), upper)
			require.Equal(t, code.Black(j-2, 2*i-1), lower)
		}
	}
}

// TestQRCodeOnATerminal: serve shows a code on a terminal if other machines can connect.
func TestQRCodeOnATerminal(t *testing.T) {
	others := len(web.Reachable(&net.TCPAddr{IP: net.IPv4zero})) > 1
	for listen, shows := range map[string]bool{"0.0.0.0:0": others, "127.0.0.1:0": false} {
		cmd := exec.Command("tiro", "serve", "mnk", "--listen", listen, "--games", t.TempDir())
		term := screen.Start(t, cmd, 100, 50)
		text := term.WaitUntil("the address", func(text string) bool {
			return strings.Contains(text, "listening on http://127.0.0.1:") && (!shows || strings.Contains(text, "▀"))
		})
		require.Equal(t, shows, strings.Contains(text, "█"), text)
		require.Zero(t, term.Wraps())
	}
}
