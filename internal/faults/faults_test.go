package faults_test

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/internal/faults"
)

func TestList(t *testing.T) {
	var part, whole faults.List
	require.NoError(t, whole.Err())
	part.Check(false, "threshold", 2, "0 to 1")
	part.Check(true, "moves", 3, "1 or more")
	faults.Within(&part, "rate", math.NaN(), 0, 1)
	part.Add(errors.New("no game"))
	whole.Section("resign", part.Err())
	whole.Section("search", nil)
	whole.Add(nil)
	faults.Within(&whole, "workers", 0, 1, 8)
	require.EqualError(t, whole.Err(), "resign.threshold is 2 but must be 0 to 1\nresign.rate is NaN but must be 0 to 1\nresign: no game\nworkers is 0 but must be 1 to 8")
}
