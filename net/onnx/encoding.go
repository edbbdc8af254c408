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

// Encoding describes the encoding of positions for a model and of the model's outputs. It is a
// file beside the model; its short parts are in the model's metadata too.
type Encoding struct {
	format.Header
	Game        string   `json:"game"`                 // canonical game string
	GameVersion int      `json:"game_version"`         // version of the game's rules, observation and actions
	Players     int      `json:"players"`              // number of seats
	Seats       []string `json:"seats"`                // names of the seats
	TrainedBy   string   `json:"trained_by,omitempty"` // command that trained the network, or a description
	Generation  int      `json:"generation"`           // generation of self-play; -1 if unknown
	Frame       string   `json:"frame,omitempty"`      // orientation of the board, as text

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

	// Above 0, planes described as fractions of a limit show it late: env.Clocked.
	ClockHorizon int `json:"clock_horizon,omitempty"` // such a plane is max(0, 1 - n/clock_horizon), n plies before the limit
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

// Outcome is the output that judges the position.
type Outcome struct {
	Name    string   `json:"name"`    // name in the model
	Shape   []any    `json:"shape"`   // dimensions
	Classes []string `json:"classes"` // in order: the player on turn wins, each next player round the table wins, draw
	Use     string   `json:"use"`     // how to read the numbers
}

// Symmetry maps a position to an equivalent one: plane p of the image at cell c equals plane
// Planes[p] of the position at cell Cells[c]. The policy is mapped in the same way, with
// PolicyPlanes.
type Symmetry struct {
	Planes       []int `json:"planes"`        // plane p of the image at cell c is plane planes[p] of the position at cells[c]
	Cells        []int `json:"cells"`         // see planes
	PolicyPlanes []int `json:"policy_planes"` // the same for the image's policy
}

const (
	actionLayout = "action = (policy_plane*height + row)*width + column, in the mover's frame"
	policyUse    = "logits; the softmax over the legal actions is the probability of each"
	outcomeUse   = "logits; the softmax is the probability of each result, from the view of the player to move"
)

// NewEncoding returns the encoding of models with w, a network for game.
func NewEncoding(game env.Game, w *net.Weights) Encoding {
	spec := w.Spec
	e := Encoding{
		Header: fileHeader, Game: spec.Name, GameVersion: spec.Version, Players: spec.Players, Generation: -1,
		Input:  Input{Name: "observation", Type: "float32", Shape: []any{batchDim, spec.Planes, spec.Height, spec.Width}, Planes: []env.Plane{}, ClockHorizon: w.Config.ClockHorizon},
		Policy: Policy{Name: "policy", Shape: []any{batchDim, spec.Actions()}, Layout: actionLayout, Use: policyUse, Planes: []string{}},
		Outcome: Outcome{
			Name: "outcome", Shape: []any{batchDim, spec.Outcomes()}, Use: outcomeUse,
			Classes: []string{"the player to move wins"},
		},
		Symmetries: symmetries(game), Seats: env.SeatNames(game),
	}
	for i := range spec.Players - 1 {
		class := "the following player wins"
		if i > 0 {
			class = fmt.Sprintf("player %d after the one to move wins", i+1)
		}
		e.Outcome.Classes = append(e.Outcome.Classes, class)
	}
	e.Outcome.Classes = append(e.Outcome.Classes, "draw")
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

// Write writes e as indented JSON, with each list of numbers or names on one line.
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

// plainList matches a list without nested lists or objects in indented JSON, betweenItems the
// white space between its items.
var (
	plainList    = regexp.MustCompile(`\[\n(?: *(?:"(?:[^"\\]|\\.)*"|[-\w.]+),?\n)* *\]`)
	betweenItems = regexp.MustCompile(`([\[,]?)\n *`)
)

// bySeat returns a list of n names for each seat, or one list if they are all equal.
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

// symmetries returns the symmetries of a game. It returns none if they are not permutations of
// planes and of cells.
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

// factor splits a permutation of all cells of all planes into a permutation of planes and one of
// cells, if possible. cells is the number of cells of a plane.
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
