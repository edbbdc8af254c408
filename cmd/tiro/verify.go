package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tiro/disk"
	"tiro/env/games"
	"tiro/train"
)

// verifyOptions are the flags of tiro verify.
type verifyOptions struct {
	repair  bool
	json    bool
	workers int
	disk    disk.FS
}

func verifyCommand(fsys disk.FS) *cobra.Command {
	o := verifyOptions{disk: fsys}
	cmd := &cobra.Command{
		Use:   "verify RUN_OR_FILE",
		Short: "Check a run for damage, and move aside what is damaged",
		Long: `Verify checks every file of a run: its checksums, that networks and optimizer
fit the game, that every game follows the rules, and that checkpoints, games and
metrics belong together. Then it says what can still be used. It writes nothing;
a run under way may be verified too, and so may one on a read-only disk. A
checkpoint, a weights file or an episode file can be named instead of a run.

With --repair, while nobody trains there, what is damaged is moved to the folder
damaged in the run folder, and tiro train goes on with the rest. Nothing is
removed.

  whole     as it was written
  damaged   not to be used
  missing   needed, and not there
  newer     of a newer tiro: use that one
  torn      a stop has cut off the end; the run makes it again
  leftover  what a stop has left unfinished; the run removes it
  unknown   not of a run; left alone

The exit code is 0 if nothing is damaged or missing, else 1.`,
		Example: `  tiro verify runs/coerceo
  tiro verify runs/coerceo --repair && tiro train --run runs/coerceo
  tiro verify runs/coerceo/checkpoints/000040
  tiro verify runs/coerceo --json > report.json`,
		Args: args("RUN_OR_FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runVerify(cmd, args[0], o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.repair, "repair", false, "move what is damaged aside")
	f.BoolVar(&o.json, "json", false, "print the report as JSON")
	f.IntVar(&o.workers, "workers", runtime.NumCPU(), "files at a time")
	return cmd
}

func runVerify(cmd *cobra.Command, path string, o verifyOptions) error {
	if o.workers < 1 || o.workers > maxThreads {
		return usage(fmt.Errorf("--workers %d; want 1 to %d", o.workers, maxThreads))
	}
	verify := train.Verify
	if o.repair {
		verify = train.Repair
	}
	meter := newMeter(cmd.ErrOrStderr())
	report, err := verify(cmd.Context(), train.VerifyOptions{
		Path: path, Find: games.New, Disk: o.disk, Workers: o.workers, Progress: kilobytes(meter),
	})
	meter.end()
	if err != nil && len(report.Files) == 0 {
		return err
	}
	out := cmd.OutOrStdout()
	if o.json {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(report); err != nil {
			return err
		}
	} else {
		printReport(out, &report)
	}
	if err != nil || report.Whole() {
		return err
	}
	return toDo(&report, o.repair)
}

// kilobytes returns a function that shows on m how many bytes were read.
func kilobytes(m *meter) func(done, total int64) {
	begun := false
	return func(done, total int64) {
		if !begun {
			m.begin("verify", "KB", int(total/1000))
			begun = true
		}
		m.set(int(done/1000), "")
	}
}

// printReport prints a report for people.
func printReport(w io.Writer, r *train.VerifyReport) {
	width := 0
	for _, f := range r.Files {
		width = max(width, len(f.Path))
	}
	for _, f := range r.Files {
		detail := f.Detail
		if f.Aside != "" {
			detail += "; moved to " + f.Aside
		}
		fmt.Fprintf(w, "%-9s %-*s  %s\n", f.Status, width, f.Path, detail)
	}
	if r.Training {
		fmt.Fprintln(w, "\nA process trains here, or did meanwhile; what came and went is left out.")
	}
	if r.Outlook != nil {
		fmt.Fprint(w, "\n", strings.Join(prospects(r), "\n"), "\n")
	}
}

// prospects says in sentences how a run would go on.
func prospects(r *train.VerifyReport) (lines []string) {
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	o := r.Outlook
	if o.From < 0 {
		if o.Newest < 0 {
			return []string{"There is no checkpoint yet: the run begins at the beginning."}
		}
		say("No checkpoint is whole: there is nothing to go on from. The same configuration and")
		say("seed, in another run folder, give the same run again.")
		return lines
	}
	if o.From == o.Newest {
		say("The run goes on from checkpoint %d.", o.From)
	} else {
		again := strconv.Itoa(o.Newest)
		if o.From+1 < o.Newest {
			again = fmt.Sprintf("%d-%d", o.From+1, o.Newest)
		}
		say("The run goes on from checkpoint %d. Generations %s are made again; games of theirs that", o.From, again)
		say("are whole are not played again.")
	}
	if len(o.Again) > 0 {
		say("The games of generations %s are gone. They are played again as they were, by the", train.Ranges(o.Again))
		say("checkpoints before them.")
	}
	switch {
	case !o.Exact():
		say("The games of generations %s are lost. The run learns from newer ones only, and goes", train.Ranges(o.Lost))
		say("on otherwise than the unbroken run would have.")
		if o.ExactFrom >= 0 {
			say("To have that run all the same, move the checkpoints after %d elsewhere: from there", o.ExactFrom)
			say("everything is made again as it was.")
		}
	case o.From < o.Newest || len(o.Again) > 0:
		say("It ends as the unbroken run would have, byte by byte, with the backend %s.", o.Backend)
	}
	return lines
}

// toDo returns the error that says what to do about a report.
func toDo(r *train.VerifyReport, repaired bool) error {
	count, config := 0, false
	for i := range r.Files {
		if f := &r.Files[i]; f.Bad() {
			count++
			config = config || f.Path == "config.yaml"
		}
	}
	fault := fmt.Sprintf("%s: %s damaged or missing", r.Path, plural(count, "file is", "files are"))
	goesOn := fmt.Sprintf("tiro train --run %s", r.Path)
	if config {
		goesOn += " --config FILE, with the configuration that the run began with,"
	}
	switch {
	case r.Kind != "run":
		return errors.New(fault + "; what can help is a copy")
	case r.Outlook == nil:
		return errors.New(fault + "; stop the training, and verify it again")
	case r.Outlook.From < 0:
		return errors.New(fault)
	case repaired:
		return fmt.Errorf("%s; what is there was moved aside; %s goes on", fault, goesOn)
	}
	return fmt.Errorf("%s; tiro verify %s --repair moves aside what is there; then %s goes on", fault, r.Path, goesOn)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
