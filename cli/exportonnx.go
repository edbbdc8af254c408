package cli

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"tiro/net/onnx"
	"tiro/networks"
)

// exporter writes a network.
type exporter struct {
	catalog
	networks.Network
	name      string // name of the network
	precision onnx.Precision
	out       io.Writer
	errors    io.Writer // for warnings
}

// model writes the ONNX model to path, and its encoding to path.json unless path is a pipe or
// a device. It does nothing if path is "".
func (e *exporter) model(ctx context.Context, path string) error {
	if path == "" {
		return nil
	}
	encoding, err := e.encoding()
	if err != nil {
		return err
	}
	metadata := map[string]string{"producer_build": build()}
	if e.Generation >= 0 {
		metadata["generation"] = strconv.Itoa(e.Generation)
	}
	if encoding.TrainedBy != "" {
		metadata["trained_by"] = encoding.TrainedBy
	}
	t, err := openTarget(ctx, path)
	if err != nil {
		return err
	}
	defer t.close()
	var beside *target
	if t.replacement != nil {
		if beside, err = openTarget(ctx, path+".json"); err != nil {
			return err
		}
		defer beside.close()
	}
	options := onnx.Options{Precision: e.precision, Encoding: &encoding, Metadata: metadata}
	if err := t.save(func(w io.Writer) error { return onnx.Write(w, e.Weights, options) }); err != nil {
		return err
	}
	if err := beside.save(encoding.Write); err != nil {
		return err
	}
	e.report(path)
	return nil
}

// rounded writes the weights, rounded to the precision, to path. It does nothing if path is "".
func (e *exporter) rounded(ctx context.Context, path string) error {
	if path == "" {
		return nil
	}
	w, err := onnx.Round(e.Weights, e.precision)
	if err != nil {
		return err
	}
	t, err := openTarget(ctx, path)
	if err != nil {
		return err
	}
	defer t.close()
	if err := t.save(w.Write); err != nil {
		return err
	}
	e.report(path)
	return nil
}

// report prints a description of the network that was written to path.
func (e *exporter) report(path string) {
	network := e.Weights.Spec.Name
	if e.Generation >= 0 {
		network += fmt.Sprintf(", generation %d", e.Generation)
	}
	if e.precision != onnx.Float32 {
		network += ", " + string(e.precision)
	}
	fmt.Fprintf(e.out, "%s: %s, %d parameters\n", path, network, e.Weights.Parameters())
}

// encoding returns the description of the model's inputs and outputs.
func (e *exporter) encoding() (onnx.Encoding, error) {
	game, err := e.Table.New(e.Weights.Spec.Name)
	if err != nil {
		return onnx.Encoding{}, err
	}
	encoding := onnx.NewEncoding(game, e.Weights, e.precision)
	encoding.Generation = e.Generation
	if encoding.TrainedBy, err = networks.TrainedBy(e.Network, e.name, e.newGame); err != nil { // a run's configuration may be lost
		fmt.Fprintf(e.errors, "%s: the exported model lacks the command that trained it: %v\n", e.name, err)
	}
	return encoding, nil
}
