package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"tiro/disk"
	"tiro/models"
	"tiro/net/onnx"
	"tiro/networks"
	"tiro/web"
)

// exportOptions are the flags of tiro export.
type exportOptions struct {
	onnx      string
	weights   string
	precision string
	page      string
	program   string
}

func exportCommand(games catalog) *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "export RUN_OR_FILE --onnx FILE|--weights FILE|--web FOLDER",
		Short: "Write a network as ONNX, or a web page that plays it",
		Long: `Export writes a network in a form that other programs use. The network is that of a run
(its newest checkpoint), a checkpoint, a weights file or a bundled model (bundled:GAME).

--onnx FILE writes an ONNX model for any batch size (opset 13). FILE.json explains how to
encode positions and read the answers: every plane, cell, action and symmetry by name. The
model's metadata repeats most of it. docs/EXPORT.md has programs in Python, JavaScript, Go
and C++ that use such models.

--precision float16 or int8 makes the file two or three times smaller; docs/EXPORT.md has
the cost in strength. --weights FILE writes the rounded weights as a weights file of tiro,
for matches against the original.

--web FOLDER writes a page that plays the network in a browser without a server: static
files that request nothing from elsewhere. "bundled" stands for all bundled models.
docs/BROWSER.md has the details.`,
		Example: `  tiro export runs/coerceo --onnx coerceo.onnx
  tiro export runs/coerceo/checkpoints/000040 --onnx coerceo-40.onnx
  tiro export bundled:coerceo --onnx coerceo.onnx --precision float16
  tiro export bundled:coerceo --weights int8.safetensors --precision int8
  tiro export runs/coerceo --web page
  tiro export bundled --web page`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(); err != nil {
				return err
			}
			if o.page != "" {
				return games.exportWeb(cmd, args[0], &o)
			}
			n, err := networks.Open(args[0], "", games.newGame)
			if err != nil {
				return err
			}
			e := exporter{catalog: games, Network: n, name: args[0], precision: onnx.Precision(o.precision), out: cmd.OutOrStdout(), errors: cmd.ErrOrStderr()}
			if err := e.model(cmd.Context(), o.onnx); err != nil {
				return err
			}
			return e.rounded(cmd.Context(), o.weights)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.onnx, "onnx", "", "`FILE` for the ONNX model; FILE.json describes its inputs and outputs")
	f.StringVar(&o.weights, "weights", "", "`FILE` for the rounded weights, in tiro's own format")
	f.StringVar(&o.precision, "precision", string(onnx.Float32), "`PRECISION` of the weights: float32, float16 or int8")
	f.StringVar(&o.page, "web", "", "`FOLDER` for a page that plays without a server")
	f.StringVar(&o.program, "program", "", "`FILE` of the page's program, for your own games (docs/ADDING_A_GAME.md)")
	cmd.MarkFlagsOneRequired("onnx", "weights", "web")
	cmd.MarkFlagsMutuallyExclusive("web", "onnx")
	cmd.MarkFlagsMutuallyExclusive("web", "weights")
	return cmd
}

// check validates the combination of flags.
func (o *exportOptions) check() error {
	files := o.onnx != "" || o.weights != ""
	return cmp.Or(
		usage(onnx.Precision(o.precision).Validate()),
		unless(o.weights == "" || filepath.Ext(o.weights) == filepath.Ext(models.WeightsFile) || strings.HasPrefix(o.weights, "/dev/"),
			"--weights %s: the name must end in %s", o.weights, filepath.Ext(models.WeightsFile)),
		unless(files || onnx.Precision(o.precision) == onnx.Float32, "--precision cannot be used with --web, whose networks are always float32"),
	)
}

// exportWeb writes a page that plays a network, or all bundled models, in the browser.
func (c catalog) exportWeb(cmd *cobra.Command, name string, o *exportOptions) error {
	path, err := disk.Path(o.page)
	if err != nil {
		return err
	}
	site := web.Site{Licenses: licenses}
	if o.program != "" {
		if site.Program, err = os.ReadFile(o.program); err != nil {
			return err
		}
	}
	if site.Games, err = web.SiteGames(name, c.Table, c.newGame); err != nil {
		return err
	}
	if err := site.Write(disk.OS{}, path); err != nil {
		return err
	}
	out, size := cmd.OutOrStdout(), 0
	for _, g := range site.Games {
		size += len(g.Weights)
		fmt.Fprintf(out, "%s: %s\n", o.page, g.Offer.Title)
	}
	fmt.Fprintf(out, "publish %s on any web server and open index.html (networks: %.1f MB)\n", o.page, float64(size)/1e6)
	return nil
}
