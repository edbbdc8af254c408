package main

import (
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"tiro/net/onnx"
)

func exportCommand() *cobra.Command {
	var file, page string
	cmd := &cobra.Command{
		Use:   "export RUN_OR_FILE --onnx FILE | --web DIR",
		Short: "Write a network as ONNX, or a page that plays it",
		Long: `Export writes the network of a run (its newest checkpoint), a checkpoint, a
weights file or a bundled model (bundled:GAME) as an ONNX model (opset 17, any
batch size), with the game string, planes, action layout and rules version as
metadata.

With --web DIR it writes a page that plays the network in a browser without a server:
files for any web server, in any folder, which ask for nothing from elsewhere. The
model "bundled" stands there for all bundled models. docs/WEB.md says more.`,
		Example: `  tiro export runs/coerceo --onnx coerceo.onnx
  tiro export runs/coerceo/checkpoints/000040 --onnx coerceo-40.onnx
  tiro export bundled:coerceo --onnx coerceo.onnx
  tiro export runs/coerceo --web page
  tiro export bundled --web page`,
		Args: args("RUN_OR_FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := unless(file != "" || page != "", "--onnx or --web is missing; want the file or the folder to write"); err != nil {
				return err
			}
			if err := unless(file == "" || page == "", "--onnx and --web are two exports; want one"); err != nil {
				return err
			}
			if page != "" {
				return exportWeb(cmd, args[0], page)
			}
			n, err := openNetwork(args[0], "")
			if err != nil {
				return err
			}
			what := n.weights.Spec.Name
			metadata := map[string]string{"producer_build": build()}
			if n.generation >= 0 {
				what += fmt.Sprintf(", generation %d", n.generation)
				metadata["generation"] = strconv.Itoa(n.generation)
			}
			t, err := openTarget(cmd.Context(), file)
			if err != nil {
				return err
			}
			defer t.close()
			if err := t.save(func(w io.Writer) error { return onnx.Write(w, n.weights, metadata) }); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, %d parameters\n", file, what, n.weights.Parameters())
			return nil
		},
	}
	cmd.Flags().StringVar(&file, "onnx", "", "file to write")
	cmd.Flags().StringVar(&page, "web", "", "folder to write a page into, that plays without a server")
	return cmd
}
