package onnx

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"

	"tiro/env"
	"tiro/format"
	"tiro/net"
)

// Encoding says how to encode positions for a model and how to read its answers. It is a
// file beside the model, and what is not long of it is in the model's metadata.
type Encoding struct {
	format.Header
	Game        string    `json:"game"` // canonical game string
	GameVersion int       `json:"game_version"`
	Players     int       `json:"players"`
	Seats       []string  `json:"seats"`                // names by seat
	TrainedBy   string    `json:"trained_by,omitempty"` // for people: the command, or what is known
	Generation  int       `json:"generation"`           // of self-play; -1: not known
	Precision   Precision `json:"precision"`            // of the weights in the file
	Frame       string    `json:"frame,omitempty"`      // how the board lies for the player on turn

	Input   Input   `json:"input"`
	Policy  Policy  `json:"policy"`
	Outcome Outcome `json:"outcome"`

	// Cells has the names of the cells, row by row, "" for what is no place of the
	// board: one list for all seats, or one for each if they differ.
	Cells      [][]string `json:"cells,omitempty"`
	Symmetries []Symmetry `json:"symmetries,omitempty"` // the identity first
}

// Input is the input of a model.
type Input struct {
	Name   string      `json:"name"`
	Type   string      `json:"type"`
	Shape  []any       `json:"shape"`  // "batch" for any number of positions
	Planes []env.Plane `json:"planes"` // empty if the game does not say
}

// Policy is the output that rates actions.
type Policy struct {
	Name   string   `json:"name"`
	Shape  []any    `json:"shape"`
	Layout string   `json:"layout"` // how the number of an action is made
	Use    string   `json:"use"`
	Planes []string `json:"planes"` // what an action of each policy plane is, at its cell

	// Names has the names of all actions, by number, in the game's notation, "" where
	// that depends on the position or where the action is never legal: one list for all
	// seats, or one for each if they differ.
	Names [][]string `json:"names,omitempty"`
}

// Outcome is the output that judges positions.
type Outcome struct {
	Name    string   `json:"name"`
	Shape   []any    `json:"shape"`
	Classes []string `json:"classes"`
	Use     string   `json:"use"`
}

// Symmetry makes an equal position of a position: plane p of its image has at cell c what
// plane Planes[p] of the position has at cell Cells[c], and the same holds for the policy
// and PolicyPlanes.
type Symmetry struct {
	Planes       []int `json:"planes"`
	Cells        []int `json:"cells"`
	PolicyPlanes []int `json:"policy_planes"`
}

const (
	actionLayout = "action = (policy_plane*height + row)*width + column, in the mover's frame"
	policyUse    = "logits; take the softmax over the legal actions"
	outcomeUse   = "logits; the softmax is the probability of each result as the player on turn sees it"
)

// NewEncoding returns the encoding of models with w, a network for game.
func NewEncoding(game env.Game, w *net.Weights, p Precision) Encoding {
	spec := w.Spec
	e := Encoding{
		Header: fileHeader, Game: spec.Name, GameVersion: spec.Version, Players: spec.Players, Generation: -1, Precision: p,
		Input:  Input{Name: "observation", Type: "float32", Shape: []any{batchDim, spec.Planes, spec.Height, spec.Width}, Planes: []env.Plane{}},
		Policy: Policy{Name: "policy", Shape: []any{batchDim, spec.Actions()}, Layout: actionLayout, Use: policyUse, Planes: []string{}},
		Outcome: Outcome{
			Name: "outcome", Shape: []any{batchDim, spec.Outcomes()}, Use: outcomeUse,
			Classes: []string{"the player on turn wins"},
		},
		Symmetries: symmetries(game),
	}
	for range spec.Players - 1 {
		e.Outcome.Classes = append(e.Outcome.Classes, "the next player round the table wins")
	}
	e.Outcome.Classes = append(e.Outcome.Classes, "draw")
	for seat := range env.Player(spec.Players) {
		e.Seats = append(e.Seats, env.SeatName(game, seat))
	}
	if d, ok := game.(env.Describer); ok {
		about := d.Describe()
		e.Frame, e.Input.Planes, e.Policy.Planes = about.Frame, about.Planes, about.Actions
		e.Cells = bySeat(spec, spec.Cells(), d.CellName)
		e.Policy.Names = bySeat(spec, spec.Actions(), func(seat env.Player, i int) string { return d.ActionName(seat, env.Action(i)) })
	}
	return e
}

// Brief returns e without the names of cells and actions.
func (e Encoding) Brief() Encoding {
	e.Cells, e.Policy.Names = nil, nil
	return e
}

// Write writes e as JSON, lists of numbers and names each on a line.
func (e Encoding) Write(to io.Writer) error {
	text, err := json.MarshalIndent(e, "", " ")
	if err != nil {
		return fmt.Errorf("onnx: encoding: %w", err)
	}
	text = plainList.ReplaceAllFunc(text, func(list []byte) []byte {
		return betweenItems.ReplaceAll(list, []byte("$1"))
	})
	if _, err := to.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("onnx: write encoding: %w", err)
	}
	return nil
}

// A list without lists or objects in indented JSON, and where its items are parted.
var (
	plainList    = regexp.MustCompile(`\[\n(?: *(?:"(?:[^"\\]|\\.)*"|[-\w.]+),?\n)* *\]`)
	betweenItems = regexp.MustCompile(`([\[,]?)\n *`)
)

// bySeat returns n names for each seat, or for all if they are the same.
func bySeat(spec env.Spec, n int, name func(seat env.Player, i int) string) [][]string {
	var all [][]string
	for seat := range env.Player(spec.Players) {
		names := make([]string, n)
		for i := range names {
			names[i] = name(seat, i)
		}
		all = append(all, names)
	}
	if !slices.ContainsFunc(all[1:], func(names []string) bool { return !slices.Equal(names, all[0]) }) {
		return all[:1]
	}
	return all
}

// symmetries returns those of a game, none if they are not permutations of planes and of
// cells.
func symmetries(game env.Game) []Symmetry {
	s, ok := game.(env.Symmetric)
	if !ok {
		return nil
	}
	cells := game.Spec().Cells()
	var all []Symmetry
	for _, one := range s.Symmetries() {
		origin := make([]int32, len(one.Action))
		for a, image := range one.Action {
			origin[image] = int32(a)
		}
		planes, places, ok := factor(one.Input, cells)
		policyPlanes, same, okay := factor(origin, cells)
		if !ok || !okay || !slices.Equal(places, same) {
			return nil
		}
		all = append(all, Symmetry{planes, places, policyPlanes})
	}
	return all
}

// factor splits a permutation of planes of so many cells into one of the planes and one of
// the cells, if it is that.
func factor(p []int32, cells int) (planes, places []int, ok bool) {
	for plane := range len(p) / cells {
		planes = append(planes, int(p[plane*cells])/cells)
	}
	for cell := range cells {
		places = append(places, int(p[cell])%cells)
	}
	for i, from := range p {
		if int(from) != planes[i/cells]*cells+places[i%cells] {
			return nil, nil, false
		}
	}
	return planes, places, true
}
