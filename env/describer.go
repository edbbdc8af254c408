package env

// Describer is a Game that documents its observations and actions, for programs that run
// its exported networks.
type Describer interface {
	// Describe returns the meaning of the planes.
	Describe() Description

	// CellName returns the name of the place at a cell of the grid when the player on seat
	// is on turn, or "" if the cell is not a place.
	CellName(seat Player, cell int) string

	// ActionName returns the ActionString of an action of the player on seat, if it is the
	// same in every position in which the action is legal. It returns "" if the name
	// depends on the position or if the action is never legal.
	ActionName(seat Player, a Action) string
}

// Description documents the planes of a game.
type Description struct {
	Frame   string   `json:"frame"`   // orientation of the board for the player on turn
	Planes  []Plane  `json:"planes"`  // of the observation
	Actions []string `json:"actions"` // by policy plane: the meaning of its action at a cell
}

// Plane is a plane of the observation.
type Plane struct {
	Name    string `json:"name"`    // lower case, with hyphens, unique
	Meaning string `json:"meaning"` // meaning of the plane's numbers
}
