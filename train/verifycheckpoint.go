package train

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"tiro/disk"
	"tiro/env"
	"tiro/models"
	"tiro/net/graph"
)

// foundCheckpoint is what Verify keeps of a checkpoint.
type foundCheckpoint struct {
	whole   bool
	state   state
	figures Metrics // none of generation 0
	line    []byte  // the figures as metrics.jsonl has them
	player  string  // fingerprint of the weights
}

// verifyCheckpoints checks the checkpoints of a run.
func (v *verifier) verifyCheckpoints(ctx context.Context, all []entry) error {
	found := make([]*foundCheckpoint, len(all))
	reports := make([]VerifyReport, len(all))
	err := v.parallel(ctx, len(all), func(i int) {
		e := all[i]
		found[i] = &foundCheckpoint{}
		if !v.isDir(e.path) {
			reports[i].add(e.path, Damaged, "want a folder").generation = e.generation
			return
		}
		*found[i] = v.checkCheckpoint(&reports[i], e.path, e.generation)
		v.advance(e.bytes)
	})
	v.found = map[int]*foundCheckpoint{}
	for i, e := range all {
		v.found[e.generation] = found[i]
		v.report.Files = append(v.report.Files, reports[i].Files...)
	}
	return err
}

// verifyCheckpoint looks at a checkpoint that a person named.
func (v *verifier) verifyCheckpoint(ctx context.Context) error {
	generation, ok := numberOf(filepath.Base(v.Path))
	if !ok {
		generation = anyGeneration
	}
	v.total = v.folderSize(".")
	v.checkCheckpoint(&v.report, ".", generation)
	v.advance(v.total)
	return ctx.Err()
}

// anyGeneration is the generation of a folder whose name does not tell.
const anyGeneration = -1

// checkCheckpoint checks the checkpoint in the folder name, which is to be of
// that generation, and reports on it: in one line if it is whole, else in one
// for each file.
func (v *verifier) checkCheckpoint(r *VerifyReport, name string, generation int) (found foundCheckpoint) {
	checked := models.Check(v.Disk, v.path(name), v.find)
	parts := make([]error, len(checked.Parts))
	for i, p := range checked.Parts {
		parts[i] = p.Err
	}
	if len(parts) == len(partNames) {
		v.checkParts(&found, &checked, generation, parts)
	}
	found.whole = errors.Join(parts...) == nil
	for i, err := range parts {
		file := path.Join(name, partNames[i])
		switch {
		case found.whole:
		case err != nil:
			v.fault(r, file, err).generation = generation
		default:
			r.add(file, Whole, "%d bytes", checked.Parts[i].Bytes).generation = generation
		}
	}
	if found.whole {
		f := r.add(name, Whole, "generation %d, %d parameters", checked.Info.Generation, checked.Info.Parameters)
		f.generation = checked.Info.Generation
	}
	v.strangers(r, name)
	return found
}

// partNames are the files of a checkpoint in the order of models.Check.
var partNames = [...]string{"info.json", "weights.safetensors", "optimizer.safetensors", "state.json"}

// trimmed takes the path out of an error that will stand behind it anyway.
func trimmed(err error, path string) error {
	text := err.Error()
	if p := (*fs.PathError)(nil); errors.As(err, &p) && p.Path == path {
		text = strings.Replace(text, p.Error(), p.Err.Error(), 1)
	}
	return &shortened{strings.TrimPrefix(text, path+": "), err}
}

// shortened is an error told in fewer words.
type shortened struct {
	text string
	err  error
}

func (s *shortened) Error() string { return s.text }
func (s *shortened) Unwrap() error { return s.err }

// find makes the game of a checkpoint, which must be the run's.
func (v *verifier) find(name string) (env.Game, error) {
	if v.game == nil {
		return v.Find(name)
	}
	if own := v.game.Spec().Name; name != own {
		return nil, fmt.Errorf("it is of %s; the run is of %s", name, own)
	}
	return v.game, nil
}

// checkParts adds what package models cannot know: whether the parts of a
// checkpoint fit together and to the run.
func (v *verifier) checkParts(found *foundCheckpoint, c *models.Checked, generation int, parts []error) {
	const info, weights, optimizer, stateAt = 0, 1, 2, 3
	add := func(part int, err error) {
		if parts[part] == nil {
			parts[part] = err
		}
	}
	if parts[info] == nil {
		add(info, found.checkFigures(c.Info, generation))
	}
	w := c.Checkpoint.Weights
	if w != nil {
		player, err := fingerprint(w)
		found.player = player
		add(weights, err)
	}
	if w != nil && v.config != nil && w.Config != v.config.Net.Inference() {
		add(weights, fmt.Errorf("the network is %+v; %s has %+v", w.Config, configFile, v.config.Net.Inference()))
	}
	if w != nil && parts[optimizer] == nil {
		add(optimizer, v.checkOptimizer(c))
	}
	if parts[stateAt] == nil {
		s, err := readState(c.Checkpoint)
		if err == nil && parts[info] == nil {
			err = found.compare(s)
		}
		found.state = s
		add(stateAt, err)
	}
}

// compare returns an error unless a state and the figures tell the same.
func (f *foundCheckpoint) compare(s state) error {
	m := &f.figures
	if gone := m.TotalSamples - m.Window; s.Samples != m.TotalSamples || s.EvictedSamples != gone || s.Steps != m.TotalSteps {
		return fmt.Errorf("%d rows, %d of them gone, and %d steps; by the figures in %s they are %d, %d and %d",
			s.Samples, s.EvictedSamples, s.Steps, partNames[0], m.TotalSamples, gone, m.TotalSteps)
	}
	return nil
}

// checkFigures checks the generation and the figures in info.json.
func (f *foundCheckpoint) checkFigures(info models.Info, generation int) error {
	if generation != anyGeneration && info.Generation != generation {
		return fmt.Errorf("it is of checkpoint %d: the folder was renamed; want %06d", info.Generation, info.Generation)
	}
	if info.Generation == 0 && info.Figures == nil {
		return nil
	}
	m, line, err := readFigures(info.Figures)
	if err == nil && m.Generation != info.Generation {
		err = fmt.Errorf("they are of generation %d", m.Generation)
	}
	if err != nil {
		return fmt.Errorf("figures: %w", err)
	}
	f.figures, f.line = m, append(line, '\n')
	return nil
}

// checkOptimizer returns an error unless the run's optimizer, or if that is not
// known, any, can take the checkpoint's state over.
func (v *verifier) checkOptimizer(c *models.Checked) (err error) {
	playing := c.Checkpoint.Weights
	if v.config != nil {
		return v.config.checkState(playing, c.Checkpoint.Optimizer)
	}
	like, state := splitState(c.Checkpoint.Optimizer)
	if len(like) == 0 {
		like = playing.Tensors()
	}
	for _, optimizer := range []string{"adam", "momentum"} {
		if err = graph.CheckOptimizerState(graph.Config{Kind: optimizer}, like, state); err == nil {
			return nil
		}
	}
	return err
}

// strangers reports files in a checkpoint's folder that are no part of it.
func (v *verifier) strangers(r *VerifyReport, name string) {
	entries, err := v.Disk.ReadDir(v.path(name))
	if err != nil {
		return
	}
next:
	for _, e := range entries {
		for _, part := range partNames {
			if e.Name() == part {
				continue next
			}
		}
		s, text := Unknown, "not of a checkpoint; left alone"
		if strings.HasSuffix(e.Name(), disk.Unfinished) {
			s, text = Leftover, "what a stop has left unfinished"
		}
		r.add(path.Join(name, e.Name()), s, "%s", text)
	}
}
