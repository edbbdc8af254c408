package cli

import (
	"os"

	"golang.org/x/sys/windows"
)

// enableSequences makes the consoles of standard output and standard error interpret control
// sequences. By default a console may print them as text.
func enableSequences() {
	for _, f := range []*os.File{os.Stdout, os.Stderr} {
		var mode uint32
		if err := windows.GetConsoleMode(windows.Handle(f.Fd()), &mode); err == nil { // a console
			_ = windows.SetConsoleMode(windows.Handle(f.Fd()), mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING)
		}
	}
}
