package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/spf13/cobra"

	"tiro/internal/machine"
	"tiro/models/card"
	"tiro/recipe"
	"tiro/study/ladder"
	"tiro/study/page"
)

// reportOptions are the flags of tiro report.
type reportOptions struct {
	html    string
	ratings string
}

func reportCommand(games catalog) *cobra.Command {
	var o reportOptions
	cmd := &cobra.Command{
		Use:   "report RUN --html FILE",
		Short: "Write a self-contained HTML report of a run",
		Long: `Report writes an HTML page about a run that needs no network connection: ratings (after
tiro rate), losses, a diagnosis, the time spent, lengths and endings of games, openings
over time, sample games to replay with the network's opinion of each move, and the
configuration. The run may be training meanwhile.`,
		Example: `  tiro report runs/coerceo --html coerceo.html
  tiro rate runs/coerceo && tiro report runs/coerceo --html coerceo.html`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runReport(games, cmd, args[0], o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.html, "html", "", "write the page to `FILE`")
	f.StringVar(&o.ratings, "ratings", "", "read the ratings in `FOLDER`, written by tiro rate (default rate-GAME beside the run)")
	return required(cmd, "html")
}

func runReport(games catalog, cmd *cobra.Command, name string, o reportOptions) error {
	run, err := page.Open(name, games.New)
	if err != nil {
		return err
	}
	facts := page.Facts{Machine: machine.Processor(), Tiro: build(), Rate: recipe.ShellLine("tiro", "rate", name)}
	newest := run.Metrics[len(run.Metrics)-1].Generation
	if facts.Commands, _, err = recipe.Lineage(games.New, run.Origins, run.Config, newest); err != nil {
		return err
	}
	if facts.Ratings, err = recalled(run, name, o.ratings); err != nil {
		return err
	}
	target, err := openTarget(cmd.Context(), o.html)
	if err != nil {
		return err
	}
	defer target.close()
	if err := target.save(func(w io.Writer) error { return run.Write(w, facts) }); err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, generation %d\n", o.html, run.Game.Spec().Name, newest)
	return err
}

// recalled returns the ratings of a run from folder, or from the default folder if that is "".
// It returns nil if the default folder has none.
func recalled(run *page.Run, path, folder string) (*ladder.Report, error) {
	named := folder != ""
	if !named {
		folder = ladder.Folder(path, run.Game)
	}
	l, err := ladder.Find(run.Game)
	if err == nil {
		var report ladder.Report
		if report, err = ladder.Recall(l, run.Game, folder, path, ladder.Checkpoints(path, card.Start(run.Origins), run.Metrics)); err == nil {
			return &report, nil
		}
	}
	if !named && errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return nil, fmt.Errorf("%s: no ratings of %s: %w", folder, path, err)
}
