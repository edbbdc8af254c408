package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"tiro/disk"
	"tiro/networks"
	"tiro/rundir"
	"tiro/train"
)

// Exit codes, part of the interface.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130 // as a shell reports a process that SIGINT ended
)

// usageError is a fault of the command line.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// usage marks err as the fault of the command line.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return &usageError{err}
}

// unless returns a usage error, or nil if all is ok.
func unless(ok bool, message string, values ...any) error {
	if ok {
		return nil
	}
	return usage(fmt.Errorf(message, values...))
}

// report writes err, which cmd returned, in one line with a hint, and returns the
// exit code.
func report(w io.Writer, cmd *cobra.Command, err error) int {
	if err == nil {
		return exitDone
	}
	if errors.Is(err, train.ErrInterrupted) { // whose last words were that all is saved
		return exitInterrupted
	}
	if errors.Is(err, context.Canceled) {
		fmt.Fprintln(w, "tiro: interrupted")
		return exitInterrupted
	}
	fmt.Fprintf(w, "tiro: %s\n", explain(err))
	if bad := (*usageError)(nil); errors.As(err, &bad) || errors.Is(err, networks.ErrNoGame) {
		fmt.Fprintf(w, "run '%s --help'\n", cmd.CommandPath())
		return exitUsage
	}
	return exitFailed
}

// Bounds on what is printed of an error, in bytes: of each of several that are
// joined, and of all of them.
const (
	maxError  = 500
	maxErrors = 5000
)

// packages matches the names of packages with which errors of libraries begin, which say
// nothing to people.
var packages = regexp.MustCompile(`(?m)(^|: )(?:(?:arena|bundled|card|cluster|exam|games|graph|ladder|mcts|models|onnx|play|player|recipe|rundir|selfplay|study|telemetry|train|web): )+`)

// oneLine joins the lines of joined errors without the names of packages, and bounds what
// hostile files and names can make of them.
func oneLine(text string) string {
	text = packages.ReplaceAllString(text, "$1")
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	for i := range lines {
		lines[i] = shorten(printable(strings.TrimSpace(lines[i])), maxError)
	}
	return shorten(strings.Join(lines, "; "), maxErrors)
}

// shorten takes so much out of the middle of a text that limit bytes are left, and
// an ellipsis.
func shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	head, tail := text[:2*limit/3], text[len(text)-limit/3:]
	return strings.ToValidUTF8(head, "") + " … " + strings.ToValidUTF8(tail, "")
}

// printable returns text with everything escaped that a terminal would not print,
// such as an escape sequence or the end of a line in the name of a file.
func printable(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }) < 0 {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if char := text[:size]; unicode.IsPrint(r) && (r != utf8.RuneError || size > 1) {
			b.WriteString(char)
		} else {
			b.WriteString(strings.Trim(strconv.Quote(char), `"`))
		}
		text = text[size:]
	}
	return b.String()
}

// quoted returns the name of a file, in quotation marks if a part of it cannot be
// printed as it is.
func quoted(name string) string {
	if safe := printable(name); safe != name {
		return `"` + safe + `"`
	}
	return name
}

// explain returns an error and what may help, in one line.
func explain(err error) string {
	help := hint(err)
	halt := (*train.Halt)(nil)
	switch {
	case help == "":
		return oneLine(err.Error())
	case errors.As(err, &halt):
		return oneLine(halt.Err.Error()) + "; " + help + ", and " + halt.Hint()
	}
	return oneLine(err.Error()) + "; " + help
}

// hint returns what may help against a fault of the machine. Errors of our own
// packages say themselves what would be right.
func hint(err error) string {
	switch {
	case errors.Is(err, disk.ErrLost): // the message says what to do
		return ""
	case errors.Is(err, rundir.ErrDamaged):
		return "tiro verify RUN --repair moves aside all that is damaged"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "free some space"
	case errors.Is(err, syscall.EIO):
		return "the disk or the way to it fails: copy what it holds elsewhere"
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return "choose a place where you may write, or change its permissions"
	case errors.Is(err, fs.ErrNotExist):
		return "check the path"
	case errors.Is(err, syscall.EISDIR):
		return "name a file, not a folder"
	case errors.Is(err, syscall.ENOTDIR):
		return "a part of the path is a file, not a folder"
	case errors.Is(err, syscall.EFBIG):
		return "a limit on the size of files is reached: raise it (ulimit -f), or use a file system that takes larger files"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return "a limit on open files is reached: raise it (ulimit -n), or close other programs"
	case errors.Is(err, syscall.EXDEV):
		return "copy the folder to another disk and go on there"
	case errors.Is(err, syscall.ELOOP):
		return "a link in the path leads back to itself: remove it"
	case errors.Is(err, syscall.ENAMETOOLONG):
		return "choose a shorter name"
	}
	return ""
}
