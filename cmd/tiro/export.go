package main

import (
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"tiro/net/onnx"
)

func exportCommand() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "export RUN_OR_FILE --onnx FILE",
		Short: "Write a network as ONNX",
		Long: `Export writes the network of a run (its newest checkpoint), a checkpoint, a
weights file or a bundled model (bundled:GAME) as an ONNX model (opset 17, any
batch size), with the game string, planes, action layout and rules version as
metadata.`,
		Example: `  tiro export runs/coerceo --onnx coerceo.onnx
  tiro export runs/coerceo/checkpoints/000040 --onnx coerceo-40.onnx
  tiro export bundled:coerceo --onnx coerceo.onnx`,
		Args: args("RUN_OR_FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := unless(file != "", "--onnx is missing; want the file to write"); err != nil {
				return err
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
	return cmd
}
