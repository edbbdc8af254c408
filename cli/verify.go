package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"tiro/disk"
	"tiro/fsck"
	"tiro/recipe"
	"tiro/rundir"
)

func verifyCommand(games catalog, fsys disk.FS) *cobra.Command {
	o := fsck.Options{Find: games.New, Disk: fsys}
	var repair bool
	cmd := &cobra.Command{
		Use:   "verify RUN",
		Short: "Check a run for damage, and repair it",
		Long: `Verify checks every file of a run that is not training: checksums, networks and optimizer
state, the rules in every game, and whether checkpoints, games and metrics match. It
reports how the run would resume, and which lost generations can no longer be replayed
because settings changed. It writes nothing, and the disk may be read-only.

--repair moves damaged parts to the folder damaged inside the run folder, so that tiro
train can resume with the rest. Nothing is deleted.

  ok         intact
  damaged    unusable
  missing    needed, but not there
  unchecked  this machine cannot read it, or another version of tiro wrote it

Nothing is moved while any part is unchecked. The exit code is 0 if nothing is damaged or
lost, or with --repair, if tiro train can resume the run. Otherwise it is 1.`,
		Example: `  tiro verify runs/coerceo
  tiro verify runs/coerceo --repair && tiro train --run runs/coerceo`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if o.Path, err = disk.Path(args[0]); err != nil {
				return err
			}
			meter := newMeter(cmd.ErrOrStderr())
			o.Progress = func(done, total int) {
				if done == 1 {
					meter.begin("verify", "files", 0, total)
				}
				meter.set(done, "")
			}
			verify := fsck.Verify
			if repair {
				verify = fsck.Repair
			}
			report, err := verify(cmd.Context(), o)
			meter.end()
			if len(report.Parts) > 0 {
				printReport(cmd.OutOrStdout(), &report)
			}
			if err == nil && !report.OK() {
				err = toDo(&report, repair)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&repair, "repair", false, "move damaged parts to the folder damaged")
	return cmd
}

// printReport prints a line for each part, and the checkpoint from which the run would resume.
func printReport(w io.Writer, r *fsck.Report) {
	width := 0
	for _, p := range r.Parts {
		width = max(width, len(p.Path))
	}
	for _, p := range r.Parts {
		detail := oneLine(p.Detail)
		if p.MovedTo != "" {
			detail += "; moved to " + p.MovedTo
		}
		fmt.Fprintf(w, "%-9s  %-*s  %s\n", p.Status, width, p.Path, detail)
	}
	switch {
	case !r.Checked():
	case r.Newest < 0:
		fmt.Fprintln(w, "\nThe run has no checkpoint yet. It will start from its configuration.")
	case r.Checkpoint < 0:
		fmt.Fprintln(w, "\nNo checkpoint is intact, so the run cannot resume.")
	case len(r.Changed) > 0:
		fmt.Fprintf(w, "\nThe newest intact checkpoint is %d. tiro train refuses to resume from it: generations\n%s had other settings or belong to the parent of this fork, so repeating\nthem would make another run. Instead, %s.\n",
			r.Checkpoint, rundir.Ranges(r.Changed), r.Instead)
	default:
		fmt.Fprintf(w, "\nThe run will resume from checkpoint %d.\n", r.Checkpoint)
		if r.Checkpoint < r.Newest {
			fmt.Fprintf(w, "It will repeat generations %s.\n", rundir.Span(r.Checkpoint+1, r.Newest))
		}
		if len(r.Lost) > 0 {
			fmt.Fprintf(w, "The games of generations %s are lost. The run will learn without them and\nwithout earlier games, so its results will differ.\n", rundir.Ranges(r.Lost))
		}
	}
}

// toDo returns an error with instructions for a run that is not intact, or nil if tiro train
// can resume the run now.
func toDo(r *fsck.Report, repaired bool) error {
	resume, config := recipe.HereLine("tiro", "train", "--run", r.Path), r.Parts[0].Status == fsck.OK
	if !config {
		resume += " --config FILE, with the configuration that the run began with,"
	}
	fault := fmt.Sprintf("%s is not intact: faults in %d of %d parts", r.Path, r.Bad(), len(r.Parts))
	if r.Bad() == 0 {
		fault = r.Path + " is not intact: checkpoints or games are missing"
	}
	switch {
	case !r.Checked():
		fault += "; change the permissions, copy what the disk still reads, or use the version of tiro that wrote it, and verify again"
	case r.Checkpoint < 0 && r.Newest >= 0:
		fault += "; restore a copy of a checkpoint or use another run folder"
	case len(r.Changed) > 0: // see printReport
	case repaired && config:
		return nil
	case repaired || r.Bad() == 0:
		fault += "; " + resume + " resumes it"
	default:
		fault += "; " + recipe.HereLine("tiro", "verify", r.Path, "--repair") + " moves the damaged parts to " + rundir.DamagedDir + "; then " + resume + " resumes it"
	}
	return errors.New(fault)
}
