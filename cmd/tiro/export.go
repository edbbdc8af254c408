package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"tiro/env/games"
	"tiro/models"
	"tiro/net/onnx"
)

func exportCommand() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "export RUN_OR_FILE --onnx FILE",
		Short: "Write a network as ONNX",
		Long: `Export writes the network of a run (its newest checkpoint), a checkpoint or a
weights file as an ONNX model (opset 17, any batch size), with the game string,
planes, action layout and rules version as metadata.`,
		Example: `  tiro export runs/coerceo --onnx coerceo.onnx
  tiro export runs/coerceo/checkpoints/000040 --onnx coerceo-40.onnx`,
		Args: args("RUN_OR_FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if file == "" {
				return usage(errors.New("--onnx is missing; want the file to write"))
			}
			weights, info, err := models.Open(args[0], games.New)
			if err != nil {
				return err
			}
			what := info.Game
			metadata := map[string]string{"producer_build": build()}
			if info.Generation >= 0 {
				what += fmt.Sprintf(", generation %d", info.Generation)
				metadata["generation"] = strconv.Itoa(info.Generation)
			}
			write := func(w io.Writer) error { return onnx.Write(w, weights, metadata) }
			if err := saveFile(file, write); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, %d parameters\n", file, what, info.Parameters)
			return nil
		},
	}
	cmd.Flags().StringVar(&file, "onnx", "", "file to write")
	return cmd
}
