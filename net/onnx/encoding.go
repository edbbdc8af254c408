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
	Game        string    `json:"game"`                 // canonical game string
	GameVersion int       `json:"game_version"`         // version of the game's rules, observation and actions
	Players     int       `json:"players"`              // number of seats
	Seats       []string  `json:"seats"`                // names of the seats
	TrainedBy   string    `json:"trained_by,omitempty"` // command that trained the network, or a description
	Generation  int       `json:"generation"`           // generation of self-play; -1 if unknown
	Precision   Precision `json:"precision"`            // of the weights: float32, float16 or int8
	Frame       string    `json:"frame,omitempty"`      // orientation of the board, for people

	Input   Input   `json:"input"`   // the input, observation planes
	Policy  Policy  `json:"policy"`  // the output that rates actions
	Outcome Outcome `json:"outcome"` // the output that judges the position

	Cells      [][]string `json:"cells,omitempty"`      // names of the cells, row by row, "" off the board: one list for all seats, or one per seat
	Symmetries []Symmetry `json:"symmetries,omitempty"` // symmetries of the game, the identity first
}

// Input is the input of a model.
type Input struct {
	Name   string      `json:"name"`   // name in the model
	Type   string      `json:"type"`   // element type
	Shape  []any       `json:"shape"`  // dimensions; "batch" is any number of positions
	Planes []env.Plane `json:"planes"` // the planes in order; empty if the game does not describe itself
}

// Policy is the output that rates actions.
type Policy struct {
	Name   string     `json:"name"`            // name in the model
	Shape  []any      `json:"shape"`           // dimensions
	Layout string     `json:"layout"`          // how an action is numbered
	Use    string     `json:"use"`             // how to read the numbers
	Planes []string   `json:"planes"`          // for each policy plane, the meaning of an action at its cell
	Names  [][]string `json:"names,omitempty"` // names of the actions in the game's notation, "" if never legal or dependent on the position: one list for all seats, or one per seat
}

// Outcome is the output that judges positions.
type Outcome struct {
	Name    string   `json:"name"`    // name in the model
	Shape   []any    `json:"shape"`   // dimensions
	Classes []string `json:"classes"` // in order: the player on turn wins, each next player round the table wins, draw
	Use     string   `json:"use"`     // how to read the numbers
}

// Symmetry makes an equal position of a position: plane p of its image has at cell c what
// plane Planes[p] of the position has at cell Cells[c], and the same holds for the policy
// and PolicyPlanes.
type Symmetry struct {
	Planes       []int `json:"planes"`        // plane p of the image at cell c is plane planes[p] of the position at cells[c]
	Cells        []int `json:"cells"`         // see planes
	PolicyPlanes []int `json:"policy_planes"` // the same for the image's policy
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
