package cli

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"tiro/disk"
	"tiro/env"
	"tiro/recipe"
	"tiro/rundir"

	"tiro/net/onnx"
)

// exporter writes a network.
type exporter struct {
	catalog
	network
	name      string // of the network
	precision onnx.Precision
	out       io.Writer
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
	if e.generation >= 0 {
		metadata["generation"] = strconv.Itoa(e.generation)
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
	if err := t.save(func(w io.Writer) error { return onnx.Write(w, e.weights, options) }); err != nil {
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
	w, err := onnx.Round(e.weights, e.precision)
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
	what := e.weights.Spec.Name
	if e.generation >= 0 {
		what += fmt.Sprintf(", generation %d", e.generation)
	}
	if e.precision != onnx.Float32 {
		what += ", " + string(e.precision)
	}
	fmt.Fprintf(e.out, "%s: %s, %d parameters\n", path, what, e.weights.Parameters())
}

// encoding returns what the model means.
func (e *exporter) encoding() (onnx.Encoding, error) {
	game, err := e.Table.New(e.weights.Spec.Name)
	if err != nil {
		return onnx.Encoding{}, err
	}
	encoding := onnx.NewEncoding(game, e.weights, e.precision)
	encoding.Generation = e.generation
	if by, err := e.originOf(game, e.network, e.name); err == nil { // a run's configuration may be lost
		encoding.TrainedBy = by
	}
	return encoding, nil
}

// originOf says where a network comes from: the commands that train it, if they are
// known, but no path of this machine.
func (c catalog) originOf(game env.Game, n network, path string) (string, error) {
	if isBundled(path) {
		return n.String(), nil
	}
	place, err := rundir.Resolve(disk.OS{}, path)
	if err != nil || place.Run == "" {
		return "a weights file for " + game.Spec().Name, err
	}
	folder := rundir.At(disk.OS{}, place.Run)
	config, err := recipe.Read(folder)
	if err != nil {
		return "", err
	}
	origins, err := recipe.Origins(folder)
	if err != nil {
		return "", err
	}
	commands, _, err := recipe.Lineage(c.New, origins, config, place.Generation)
	return strings.Join(commands, " && "), err
}
