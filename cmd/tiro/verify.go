package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"tiro/disk"
	"tiro/env/games"
	"tiro/rundir"
	"tiro/rundir/fsck"
)

func verifyCommand(fsys disk.FS) *cobra.Command {
	o := fsck.Options{Find: games.New, Disk: fsys}
	var repair, asJSON bool
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
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Path = args[0]
			return runVerify(cmd, o, repair, asJSON)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&repair, "repair", false, "move what is damaged to the folder damaged")
	f.BoolVar(&asJSON, "json", false, "print the report as JSON")
	f.IntVar(&o.Workers, "workers", runtime.NumCPU(), "files at a time")
	return cmd
}

func runVerify(cmd *cobra.Command, o fsck.Options, repair, asJSON bool) error {
	if err := inRange("--workers", o.Workers, 1, maxThreads); err != nil {
		return err
	}
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
		if err := writeJSON(out, report); err != nil {
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
		text += fmt.Sprintf("It makes generations %s again, and plays again only games that are not intact.\n", rundir.Span(p.Checkpoint+1, p.Newest))
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

// toDo returns the error that says what to do about a report.
func toDo(r *fsck.Report, repaired bool) error {
	count, resume := 0, "tiro train --run "+r.Path
	for _, f := range r.Parts {
		if !f.Bad() {
			continue
		}
		count++
		if f.Path == rundir.ConfigFile {
			resume += " --config FILE, with the configuration that the run began with,"
		}
	}
	fault := fmt.Sprintf("%s: %d files are damaged or missing", r.Path, count)
	if count == 1 {
		fault = r.Path + ": 1 file is damaged or missing"
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
