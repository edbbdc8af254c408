package cluster

import (
	"encoding/json"
	"fmt"

	"tiro/env"
	"tiro/format"
	"tiro/selfplay"
)

// maxStarts bounds the object of start positions, in bytes.
const maxStarts = 64 << 20

// startsPrefix begins the names of objects that hold start positions.
const startsPrefix = "starts-"

// encodeStarts returns selfplay.Job.Starts as an object, and a digest that names it,
// empty if there are none.
func encodeStarts(starts [][]env.Action) (data []byte, digest string, err error) {
	if len(starts) == 0 {
		return nil, "", nil
	}
	data, err = json.Marshal(starts)
	return data, digestOf(data), err
}

// decodeStarts reads such an object for a game. Every start must follow the rules.
func decodeStarts(game env.Game, data []byte, digest string) ([][]env.Action, error) {
	if got := digestOf(data); got != digest {
		return nil, fmt.Errorf("start positions: their digest is %s; the announcement has %s", got, digest)
	}
	var starts [][]env.Action
	if err := format.DecodeStrict(data, &starts); err != nil {
		return nil, fmt.Errorf("start positions: %w", err)
	}
	for i, actions := range starts {
		if err := selfplay.CheckStart(game, actions); err != nil {
			return nil, fmt.Errorf("start positions: [%d]: %w", i, err)
		}
	}
	return starts, nil
}
