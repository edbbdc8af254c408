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
	name      string // of the network
	precision onnx.Precision
	out       io.Writer
	errors    io.Writer // for what people should know
}

// model writes an ONNX model, unless path is empty. Where that is a file, the encoding goes
// beside it.
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

// rounded writes the weights as the precision rounds them, unless path is empty.
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

// report says what a file holds.
func (e *exporter) report(path string) {
	what := e.Weights.Spec.Name
	if e.Generation >= 0 {
		what += fmt.Sprintf(", generation %d", e.Generation)
	}
	if e.precision != onnx.Float32 {
		what += ", " + string(e.precision)
	}
	fmt.Fprintf(e.out, "%s: %s, %d parameters\n", path, what, e.Weights.Parameters())
}

// encoding returns what the model means.
func (e *exporter) encoding() (onnx.Encoding, error) {
	game, err := e.Table.New(e.Weights.Spec.Name)
	if err != nil {
		return onnx.Encoding{}, err
	}
	encoding := onnx.NewEncoding(game, e.Weights, e.precision)
	encoding.Generation = e.Generation
	if encoding.TrainedBy, err = networks.TrainedBy(e.Network, e.name, e.newGame); err != nil { // a run's configuration may be lost
		fmt.Fprintf(e.errors, "%s: the model does not tell how it was trained: %v\n", e.name, err)
	}
	return encoding, nil
}
