package env

// Describer is a Game that says what its observations and actions mean, to those who
// run its networks in other programs.
type Describer interface {
	// Describe returns the meaning of the planes.
	Describe() Description

	// CellName returns the name of the place that a cell of the grid is, when the
	// player on a seat is on turn, or "" if it is none.
	CellName(seat Player, cell int) string

	// ActionName returns what ActionString calls an action of the player on a seat in
	// every position in which it is legal. It is "" if the name depends on the position,
	// and for actions that are never legal.
	ActionName(seat Player, a Action) string
}

// Description says what the planes of a game mean.
type Description struct {
	Frame   string   `json:"frame"`   // how the board lies for the player on turn
	Planes  []Plane  `json:"planes"`  // of the observation
	Actions []string `json:"actions"` // by policy plane: what its action is at a cell
}

// Plane is a plane of the observation.
type Plane struct {
	Name    string `json:"name"`    // lower case, with hyphens, unique
	Meaning string `json:"meaning"` // meaning of the plane's numbers
}
