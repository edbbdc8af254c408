package bundled

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"tiro/disk"
	"tiro/env"
	"tiro/models"
	"tiro/models/card"
	"tiro/net"
)

// shipped holds the folders of the models.
//
//go:embed */*
var shipped embed.FS

// ErrNone is wrapped by the errors of Find and Nearest if there is no model for the game.
var ErrNone = errors.New("no model")

// Model is a trained model that is part of the program.
type Model struct {
	Card  card.Card
	Files fs.FS // models.WeightsFile, card.File and card.MarkdownFile
}

// List returns all models, ordered by the names of their folders.
func List() ([]Model, error) { return wrap(list(shipped)) }

// Games returns the games that models were trained for, in the order of t. Of each game, the one
// without options comes first.
func Games(t env.Table) ([]string, error) {
	all, err := List()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range t {
		for _, m := range all {
			if m.Card.Game == e.Name || strings.HasPrefix(m.Card.Game, e.Name+":") {
				names = append(names, m.Card.Game)
			}
		}
	}
	return names, nil
}

// Find returns the model for a game with a canonical game string. If there is none, the error
// lists the games that have models.
func Find(game string) (Model, error) { return wrap(find(shipped, game)) }

// wrap adds the package's name to an error.
func wrap[T any](found T, err error) (T, error) {
	if err != nil {
		err = fmt.Errorf("bundled: %w", err)
	}
	return found, err
}

func list(shipped fs.FS) ([]Model, error) {
	entries, err := fs.ReadDir(shipped, ".")
	if err != nil {
		return nil, err
	}
	var all []Model
	for _, e := range entries {
		m, err := open(shipped, e.Name())
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

func find(shipped fs.FS, game string) (Model, error) {
	m, err := open(shipped, models.Folder(game))
	if !errors.Is(err, fs.ErrNotExist) {
		return m, err
	}
	all, err := list(shipped)
	switch {
	case err != nil:
		return m, err
	case len(all) == 0:
		return m, fmt.Errorf("%w for %s or any other game", ErrNone, game)
	}
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].Card.Game
	}
	return m, fmt.Errorf("%w for %s (%s)", ErrNone, game, strings.Join(names, ", "))
}

// open returns the model in a folder of shipped without reading its weights.
func open(shipped fs.FS, folder string) (Model, error) {
	c, err := readCard(shipped, folder)
	if err == nil && models.Folder(c.Game) != folder {
		err = fmt.Errorf("%s: the card belongs to a model for %s", folder, c.Game)
	}
	if err != nil {
		return Model{}, err
	}
	files, err := fs.Sub(shipped, folder)
	return Model{c, files}, err
}

// Open returns the model in a folder written by Save or tiro rate --card, without reading its
// weights.
func Open(folder fs.FS) (Model, error) {
	c, err := readCard(folder, ".")
	return wrap(Model{c, folder}, err)
}

// readCard returns the card in a folder.
func readCard(files fs.FS, folder string) (card.Card, error) {
	data, err := fs.ReadFile(files, path.Join(folder, card.File))
	if err != nil {
		return card.Card{}, err
	}
	c, err := card.Read(data)
	if err != nil {
		err = fmt.Errorf("%s: %w", folder, err)
	}
	return c, err
}

// Weights reads the network of m, for the game of spec. The network's checksum must be the one in
// the card.
func (m Model) Weights(spec env.Spec) (*net.Weights, error) { return wrap(m.weights(spec)) }

func (m Model) weights(spec env.Spec) (*net.Weights, error) {
	data, err := fs.ReadFile(m.Files, models.WeightsFile)
	if err == nil && models.Measure(data) != m.Card.Weights {
		err = errors.New("the weights differ from the checksum in the card")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Card.Game, err)
	}
	return net.ReadWeights(data, spec)
}

// Save writes the files of m, a model for the game of spec, to a folder, like card.Save. It
// replaces no file.
func (m Model) Save(fsys disk.FS, folder string, spec env.Spec) error {
	if _, err := m.Weights(spec); err != nil {
		return err
	}
	content := map[string][]byte{}
	for _, name := range []string{models.WeightsFile, card.MarkdownFile, card.File} {
		data, err := fs.ReadFile(m.Files, name)
		if err != nil {
			return err
		}
		content[name] = data
	}
	return card.Save(fsys, folder, content, func(card.Card) bool { return false })
}
