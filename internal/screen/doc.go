// Package screen lets tests see a program as its user does: it runs a command on a
// pseudo-terminal, types keys, and returns the text on the screen.
//
//	term := screen.Start(t, exec.Command("tiro", "play", "mnk"), 80, 24)
//	term.WaitFor("your move")
//	term.Type("b2\r")
//	require.Contains(t, term.WaitFor("plays"), "...")
//	term.Type("\x03") // Ctrl-C
//	require.Equal(t, 130, term.Wait())
//
// It is available on Linux only. Only tests import it, so that no program links a terminal
// emulator.
package screen
