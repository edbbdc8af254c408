package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"

	"github.com/spf13/cobra"

	"tiro/disk"
	"tiro/env/games"
	"tiro/rundir"
	"tiro/rundir/fsck"
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
		Short: "Check a run for damage, and repair it",
		Long: `Verify checks every file of a run: its checksums, that networks and optimizer
fit the game, that every game follows the rules, and that checkpoints, games and
metrics belong together. Then it says how the run would recover. It writes
nothing; a run under way may be verified too, and so may one on a read-only
disk. A checkpoint, a weights file or an episode file can be named instead of a
run.

With --repair, while nobody trains there, what is damaged is moved to the folder
damaged in the run folder, and tiro train goes on with the rest. Nothing is
removed.

  ok           as it was written
  damaged      not to be used
  missing      needed, and not there
  unsupported  of another version of tiro: use that one
  incomplete   left by a stop; the run completes or removes it
  unknown      not part of a run; left alone

The exit code is 0 if nothing is damaged, missing or unsupported, else 1.`,
		Example: `  tiro verify runs/coerceo
  tiro verify runs/coerceo --repair && tiro train --run runs/coerceo
  tiro verify runs/coerceo/checkpoints/000040
  tiro verify runs/coerceo --json > report.json`,
		Args: args("RUN_OR_FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return runVerify(cmd, args[0], o) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.repair, "repair", false, "move what is damaged to the folder damaged")
	f.BoolVar(&o.json, "json", false, "print the report as JSON")
	f.IntVar(&o.workers, "workers", runtime.NumCPU(), "files at a time")
	return cmd
}

func runVerify(cmd *cobra.Command, path string, o verifyOptions) error {
	if err := inRange("--workers", o.workers, 1, maxThreads); err != nil {
		return err
	}
	verify := fsck.Verify
	if o.repair {
		verify = fsck.Repair
	}
	meter := newMeter(cmd.ErrOrStderr())
	report, err := verify(cmd.Context(), fsck.Options{
		Path: path, Find: games.New, Disk: o.disk, Workers: o.workers, Progress: kilobytes(meter),
	})
	meter.end()
	if err != nil && len(report.Parts) == 0 {
		return err
	}
	out := cmd.OutOrStdout()
	if o.json {
		if err := writeJSON(out, report); err != nil {
			return err
		}
	} else {
		printReport(out, &report)
	}
	if err != nil || report.OK() {
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
func printReport(w io.Writer, r *fsck.Report) {
	width := 0
	for _, f := range r.Parts {
		width = max(width, len(f.Path))
	}
	for _, f := range r.Parts {
		detail := f.Detail
		if f.MovedTo != "" {
			detail += "; moved to " + f.MovedTo
		}
		fmt.Fprintf(w, "%-11s %-*s  %s\n", f.Status, width, f.Path, detail)
	}
	if r.Training {
		fmt.Fprintln(w, "\nA process trains here, or did meanwhile; files that came and went are left out.")
	}
	if r.Plan != nil {
		fmt.Fprint(w, "\n", planText(r.Plan))
	}
}

// planText says in sentences how a run would recover.
func planText(p *fsck.Plan) string {
	switch {
	case p.Newest < 0:
		return "There is no checkpoint yet: the run begins at the beginning.\n"
	case p.Checkpoint < 0:
		return "No checkpoint is intact, so that the run cannot go on. The same configuration and\nseed in another run folder make the same run again.\n"
	}
	text := fmt.Sprintf("The run goes on from checkpoint %d.\n", p.Checkpoint)
	if p.Checkpoint < p.Newest {
		text += fmt.Sprintf("It makes generations %s again, and plays again only games that are not intact.\n", through(p.Checkpoint+1, p.Newest))
	}
	if len(p.Replayed) > 0 {
		text += fmt.Sprintf("The games of generations %s are gone. The checkpoints before them play them again as\nthey were.\n", rundir.Ranges(p.Replayed))
	}
	switch {
	case len(p.Lost) > 0:
		text += fmt.Sprintf("The games of generations %s are lost. The run learns from newer ones only, and its\nresults will differ from those of an undamaged run.\n", rundir.Ranges(p.Lost))
		if p.ExactCheckpoint >= 0 {
			text += fmt.Sprintf("To have the same results, move the checkpoints after %d elsewhere: from there the run\nmakes everything again as it was.\n", p.ExactCheckpoint)
		}
	case p.Checkpoint < p.Newest || len(p.Replayed) > 0:
		text += fmt.Sprintf("It will end like an undamaged run, byte by byte, with the backend %s.\n", p.Backend)
	}
	return text
}

// through writes the numbers from first to last.
func through(first, last int) string {
	if first == last {
		return strconv.Itoa(first)
	}
	return fmt.Sprintf("%d-%d", first, last)
}

// toDo returns the error that says what to do about a report.
func toDo(r *fsck.Report, repaired bool) error {
	count, config := 0, false
	for i := range r.Parts {
		if f := &r.Parts[i]; f.Bad() {
			count++
			config = config || f.Path == rundir.ConfigFile
		}
	}
	fault := fmt.Sprintf("%s: %s damaged or missing", r.Path, plural(count, "file is", "files are"))
	resume := fmt.Sprintf("tiro train --run %s", r.Path)
	if config {
		resume += " --config FILE, with the configuration that the run began with,"
	}
	switch {
	case r.Kind != rundir.PlaceRun:
		return errors.New(fault + "; only a copy can replace it")
	case r.Plan == nil:
		return errors.New(fault + "; stop the training, and verify it again")
	case r.Plan.Checkpoint < 0:
		return errors.New(fault)
	case repaired:
		return fmt.Errorf("%s; what is there was moved to %s; %s goes on", fault, rundir.DamagedDir, resume)
	}
	return fmt.Errorf("%s; tiro verify %s --repair moves what is there to %s; then %s goes on", fault, r.Path, rundir.DamagedDir, resume)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
