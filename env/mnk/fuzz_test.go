package mnk_test

import (
	"testing"

	"tiro/env"
	"tiro/env/envtest"
)

func boards(t testing.TB) []env.Game {
	return []env.Game{newGame(t, "mnk"), newGame(t, "mnk:m=7,n=4,k=4"), newGame(t, "mnk:m=19,n=19,k=5")}
}

func FuzzPositions(f *testing.F) { envtest.FuzzPositions(f, boards(f)...) }

func FuzzMoves(f *testing.F) { envtest.FuzzMoves(f, boards(f)...) }
