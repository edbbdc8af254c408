package cli

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"tiro/disk"
	"tiro/format"
	"tiro/fsck"
	"tiro/rundir"
)

func verifyCommand(games catalog, fsys disk.FS) *cobra.Command {
	o := fsck.Options{Find: games.New, Disk: fsys}
	var repair, asJSON bool
	cmd := &cobra.Command{
		Use:   "verify RUN_OR_FILE",
		Short: "Check a run for damage, and repair it",
		Long: `Verify checks every file of a run: its checksums, that networks and optimizer
fit the game, that every game follows the rules, and that checkpoints, games and
metrics belong together. Then it says how the run would be resumed. It writes
nothing, so a run that is being trained or that is on a read-only disk can be
verified too. A checkpoint, a weights file or an episode file can be named instead
of a run.

With --repair, damaged parts are moved to the folder damaged inside the run
folder, and tiro train can resume with the rest. Nothing is deleted. The run must
not be training at the time.

  ok           intact
  damaged      unusable
  missing      needed, but not there
  unreadable   the machine refuses to read it, so it may be intact
  unsupported  written by another version of tiro: use that one
  incomplete   left by an interruption; the run completes or removes it
  unknown      not part of a run; left alone

As long as a part is unreadable, nothing is moved and no plan is made.

The exit code is 0 if nothing is damaged, missing, unreadable or unsupported, and 1
otherwise.`,
		Example: `  tiro verify runs/coerceo
  tiro verify runs/coerceo --repair && tiro train --run runs/coerceo
  tiro verify runs/coerceo/checkpoints/000040
  tiro verify runs/coerceo --json > report.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if o.Path, err = systemPath(args[0]); err != nil {
				return err
			}
			return runVerify(cmd, o, repair, asJSON)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&repair, "repair", false, "move damaged parts to the folder damaged")
	f.BoolVar(&asJSON, "json", false, "print the report as JSON")
	workersVar(cmd, &o.Workers, 1)
	return cmd
}

func runVerify(cmd *cobra.Command, o fsck.Options, repair, asJSON bool) error {
	meter := newMeter(cmd.ErrOrStderr())
	o.Progress = func(done, total int) {
		if done == 1 {
			meter.begin("verify", "files", total)
		}
		meter.set(done, "")
	}
	verify := fsck.Verify
	if repair {
		verify = fsck.Repair
	}
	report, err := verify(cmd.Context(), o)
	meter.end()
	if err != nil && len(report.Parts) == 0 {
		return err
	}
	out := cmd.OutOrStdout()
	if asJSON {
		if err := format.EncodeJSON(out, report); err != nil {
			return err
		}
	} else {
		printReport(out, &report)
	}
	if err != nil || report.OK() {
		return err
	}
	return toDo(&report, repair)
}

// printReport prints a report for people.
func printReport(w io.Writer, r *fsck.Report) {
	width := 0
	for _, f := range r.Parts {
		width = max(width, utf8.RuneCountInString(quoted(f.Path)))
	}
	for _, f := range r.Parts {
		detail := oneLine(f.Detail)
		if f.MovedTo != "" {
			detail += "; moved to " + quoted(f.MovedTo)
		}
		fmt.Fprintf(w, "%-11s %-*s  %s\n", f.Status, width, quoted(f.Path), detail)
	}
	if r.Training {
		fmt.Fprintln(w, "\nA process is or was training here during this check; files that came and went are not listed.")
	}
	if r.Plan != nil {
		fmt.Fprint(w, "\n", planText(r.Plan))
	}
}

// planText says in sentences how a run would be resumed.
func planText(p *fsck.Plan) string {
	switch {
	case p.Newest < 0:
		return "There is no checkpoint yet: the run will start from scratch.\n"
	case p.Checkpoint < 0:
		return "No checkpoint is intact, so the run cannot be resumed. The same configuration and\nseed in a new run folder reproduce it.\n"
	}
	text := fmt.Sprintf("The run will resume from checkpoint %d.\n", p.Checkpoint)
	if p.Checkpoint < p.Newest {
		text += fmt.Sprintf("It will repeat %s, replaying only games that are not intact.\n", generations(rundir.Span(p.Checkpoint+1, p.Newest)))
	}
	if len(p.Replayed) > 0 {
		text += fmt.Sprintf("The games of %s are missing. The run will replay them, from earlier\ncheckpoints. Should they come out differently, since settings, the backend or the\nversion of tiro were changed after them, it will learn without them.\n", generations(rundir.Ranges(p.Replayed)))
	}
	switch {
	case len(p.Lost) > 0:
		text += fmt.Sprintf("The games of %s are lost. The run will learn without them, and its\nresults will differ from those of an undamaged run.\n", generations(rundir.Ranges(p.Lost)))
		if p.ExactCheckpoint >= 0 {
			text += fmt.Sprintf("To get the same results, move the checkpoints after %d elsewhere: the run will then\nrepeat everything since exactly.\n", p.ExactCheckpoint)
		}
	case p.Checkpoint < p.Newest || len(p.Replayed) > 0:
		text += fmt.Sprintf("If nothing was changed, it will end like an undamaged run, byte by byte, with the backend %s.\n", p.Backend)
	}
	return text
}

// generations puts the word before a list of them.
func generations(list string) string {
	if strings.ContainsAny(list, "-,") {
		return "generations " + list
	}
	return "generation " + list
}

// toDo returns the error that says what to do about a report.
func toDo(r *fsck.Report, repaired bool) error {
	lost, unreadable, resume := 0, 0, "tiro train --run "+r.Path
	for _, f := range r.Parts {
		switch {
		case f.Status == fsck.Unreadable:
			unreadable++
		case f.Bad():
			lost++
			if f.Path == rundir.ConfigFile {
				resume += " --config FILE, with the configuration that the run began with,"
			}
		}
	}
	var found []string
	if lost > 0 {
		found = append(found, numberOf(lost, "file is", "files are")+" damaged or missing")
	}
	if unreadable > 0 {
		found = append(found, numberOf(unreadable, "file is", "files are")+" unreadable")
	}
	fault := r.Path + ": " + strings.Join(found, ", ")
	switch {
	case unreadable > 0 && repaired:
		return errors.New(fault + "; nothing was moved; " + readFirst)
	case unreadable > 0:
		return errors.New(fault + "; " + readFirst)
	case r.Kind != rundir.PlaceRun:
		return errors.New(fault + "; only a copy can replace it")
	case r.Plan == nil:
		return errors.New(fault + "; stop the training and verify it again")
	case r.Plan.Checkpoint < 0:
		return errors.New(fault)
	case repaired:
		return fmt.Errorf("%s; the damaged parts were moved to %s; %s resumes it", fault, rundir.DamagedDir, resume)
	}
	return fmt.Errorf("%s; tiro verify %s --repair moves the damaged parts to %s; then %s resumes it", fault, r.Path, rundir.DamagedDir, resume)
}

// readFirst says what helps against unreadable files.
const readFirst = "change the permissions, or copy what the disk still reads, and verify it again"

// numberOf returns a number with the words that agree with it.
func numberOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
