package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"tiro/configs"
	"tiro/disk"
	"tiro/net/onnx"
	"tiro/networks"
	"tiro/web"
)

// exportOptions are the flags of tiro export.
type exportOptions struct {
	onnx    string
	page    string
	program string
}

func exportCommand(games catalog) *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "export RUN_OR_FILE --onnx FILE|--web FOLDER",
		Short: "Write a network as ONNX, or a web page that plays it",
		Long: `Export writes a network in a form that other programs use. The network is that of a run
(its newest checkpoint), a checkpoint, a weights file or a bundled model (bundled:GAME).

--onnx FILE writes an ONNX model for any batch size (opset 13). FILE.json explains how to
encode positions and read the answers: every plane, cell, action and symmetry by name. The
model's metadata repeats most of it. docs/EXPORT.md has programs in Python, JavaScript
and C++ that use such models.

--web FOLDER writes a page that plays the network in a browser without a server: static
files that request nothing from elsewhere. "bundled" stands for all bundled models.
docs/BROWSER.md has the details.`,
		Example: `  tiro export runs/coerceo --onnx coerceo.onnx
  tiro export runs/coerceo/checkpoints/000040 --onnx coerceo-40.onnx
  tiro export bundled:coerceo --onnx coerceo.onnx
  tiro export runs/coerceo --web page
  tiro export bundled --web page`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := unless(o.program == "" || o.page != "", "--program requires --web"); err != nil {
				return err
			}
			if o.page != "" {
				return games.exportWeb(cmd, args[0], &o)
			}
			n, err := networks.Open(args[0], "", games.newGame)
			if err != nil {
				return err
			}
			return games.exportONNX(cmd, args[0], n, o.onnx)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.onnx, "onnx", "", "write an ONNX model to `FILE`; FILE.json describes its inputs and outputs")
	f.StringVar(&o.page, "web", "", "write a page that plays without a server to `FOLDER`")
	f.StringVar(&o.program, "program", "", "use the page's program in `FILE`, for your own games (docs/ADDING_A_GAME.md)")
	cmd.MarkFlagsOneRequired("onnx", "web")
	cmd.MarkFlagsMutuallyExclusive("web", "onnx")
	return cmd
}

// exportONNX writes the ONNX model to path, and its encoding to path.json unless path is a pipe
// or a device.
func (c catalog) exportONNX(cmd *cobra.Command, name string, n networks.Network, path string) error {
	network := n.Weights.Spec.Name
	game, err := c.New(network)
	if err != nil {
		return err
	}
	encoding := onnx.NewEncoding(game, n.Weights)
	encoding.Generation = n.Generation
	if encoding.TrainedBy, err = networks.TrainedBy(n, name, c.newGame); err != nil { // a run's configuration may be lost
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: the exported model lacks the command that trained it: %v\n", name, err)
	}
	metadata := map[string]string{"producer_build": build()}
	if n.Generation >= 0 {
		metadata["generation"] = strconv.Itoa(n.Generation)
		network += fmt.Sprintf(", generation %d", n.Generation)
	}
	if encoding.TrainedBy != "" {
		metadata["trained_by"] = encoding.TrainedBy
	}
	t, err := openTarget(cmd.Context(), path)
	if err != nil {
		return err
	}
	defer t.close()
	var beside *target
	if t.replacement != nil {
		if beside, err = openTarget(cmd.Context(), path+".json"); err != nil {
			return err
		}
		defer beside.close()
	}
	options := onnx.Options{Encoding: &encoding, Metadata: metadata}
	if err := t.save(func(w io.Writer) error { return onnx.Write(w, n.Weights, options) }); err != nil {
		return err
	}
	if err := beside.save(encoding.Write); err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, %d parameters\n", path, network, n.Weights.Parameters())
	return nil
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
		if err := unless(bytes.HasPrefix(site.Program, []byte("\x00asm")), "%s is not a WebAssembly program (docs/ADDING_A_GAME.md, section 7)", o.program); err != nil {
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
	fmt.Fprintf(out, "publish %s on any web server and open index.html (networks: %s)\n", o.page, configs.Bytes(size).About())
	return nil
}
