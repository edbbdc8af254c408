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
	"tiro/net/kernel"
	"tiro/net/opencl"
	"tiro/networks"
	"tiro/rundir"
	"tiro/train"
)

// Exit codes, part of the interface.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130 // the status of a shell for a process that SIGINT ended
)

// usageError is an error in the command line.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// usage marks err as an error in the command line.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return &usageError{err}
}

// unless returns nil if ok, and otherwise a usage error with the formatted message.
func unless(ok bool, message string, values ...any) error {
	if ok {
		return nil
	}
	return usage(fmt.Errorf(message, values...))
}

// refusals are patterns of cobra's messages about command lines, and our messages.
var refusals = []struct{ cobra, ours string }{
	{`^.* arg\(s\), .*received (\d+)$`, "wrong number of arguments ($1); usage: USAGE"},
	{`^required flag\(s\) "(.+)" not set$`, "--$1 is required"},
	{`^.*group \[(\S+) (\S+)\] is required$`, "--$1 or --$2 is required"},
	{`^.* can be; \[(\S+) (\S+).*\] were all set$`, "--$1 and --$2 cannot be combined"},
	{`^.*group \[(\S+) (\S+)\] are set they must all be set; .*$`, "--$1 and --$2 require each other"},
	{`(?s)\n\nDid you mean this\?\n\t(.*)\n$`, "; did you mean $1?"},
}

// refused returns the usage error for a command line of cmd that cobra refused with err.
func refused(cmd *cobra.Command, err error) error {
	if err == nil {
		return nil
	}
	for _, r := range refusals {
		if pattern := regexp.MustCompile(r.cobra); pattern.MatchString(err.Error()) {
			err = errors.New(pattern.ReplaceAllString(err.Error(), strings.Replace(r.ours, "USAGE", cmd.UseLine(), 1)))
		}
	}
	return usage(err)
}

// report prints err, which cmd returned, in one line with a hint, and returns the exit code.
func report(w io.Writer, cmd *cobra.Command, err error) int {
	if err == nil {
		return exitDone
	}
	if errors.Is(err, train.ErrInterrupted) { // the console has already reported this
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

// Maximum length of a printed error, in bytes.
const (
	maxError  = 500  // each of several joined errors
	maxErrors = 5000 // all of them
)

// packages matches the package names with which errors begin, and the function that failed to read
// a number. They mean nothing to users.
var packages = regexp.MustCompile(`(?m)(^|: )(?:(?:arena|bundled|card|cluster|exam|games|graph|ladder|mcts|models|onnx|play|player|recipe|rundir|selfplay|study|telemetry|train|web): |strconv\.\w+: parsing "(?:[^"\\]|\\.)*": )+`)

// oneLine joins the lines of an error and removes package names. It escapes and shortens the
// text, which may quote hostile files and names.
func oneLine(text string) string {
	text = packages.ReplaceAllString(text, "$1")
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	for i := range lines {
		lines[i] = shorten(printable(strings.TrimSpace(lines[i])), maxError)
	}
	return shorten(strings.Join(lines, "; "), maxErrors)
}

// shorten replaces the middle of a text of more than limit bytes with an ellipsis.
func shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	head, tail := text[:2*limit/3], text[len(text)-limit/3:]
	return strings.ToValidUTF8(head, "") + " … " + strings.ToValidUTF8(tail, "")
}

// printable escapes everything in text that a terminal would not print, such as an escape
// sequence or a newline in a file name.
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

// explain returns err and its hint in one line.
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

// hint returns advice for an error of the operating system or a damaged file. Errors of our
// own packages contain their advice.
func hint(err error) string {
	switch {
	case errors.Is(err, disk.ErrLost): // the message contains the advice
		return ""
	case opencl.Failed(err):
		return "--backend " + kernel.Best().Name() + " computes on the CPU"
	}
	for _, h := range hints {
		if errors.Is(err, h.err) {
			return h.advice
		}
	}
	return ""
}

var hints = []struct {
	err    error
	advice string
}{
	{rundir.ErrDamaged, "tiro verify RUN --repair moves the damaged parts aside"},
	{syscall.ENOSPC, "free some space"},
	{syscall.EDQUOT, "free some space"},
	{syscall.EIO, "the disk or its connection fails: copy its files elsewhere"},
	{syscall.EROFS, "choose a writable place, or change its permissions"},
	{fs.ErrPermission, "change its permissions, or choose another path"},
	{fs.ErrNotExist, "check the path"},
	{syscall.EISDIR, "name a file, not a folder"},
	{syscall.ENOTDIR, "a part of the path is a file, not a folder"},
	{syscall.EFBIG, "raise the limit on file sizes (ulimit -f), or use a file system that supports larger files"},
	{syscall.EMFILE, "raise the limit on open files (ulimit -n), or close other programs"},
	{syscall.ENFILE, "raise the limit on open files (ulimit -n), or close other programs"},
	{syscall.EXDEV, "copy the folder to another disk and continue there"},
	{syscall.ELOOP, "remove the symbolic link that points to itself"},
	{syscall.ENAMETOOLONG, "choose a shorter name"},
}
