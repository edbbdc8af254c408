package envtest

import (
	"testing"

	"tiro/env"
)

// Run checks every requirement of a game in a subtest named after it. It measures
// allocations, so the calling test must not be parallel.
func Run(t *testing.T, game env.Game) {
	t.Helper()
	for _, c := range checks() {
		t.Run(c.name, func(t *testing.T) {
			if err := c.run(game); err != nil {
				t.Error(err)
			}
		})
	}
}

// A check tests one requirement of a game and returns the first violation.
type check struct {
	name string
	run  func(env.Game) error
}

func checks() []check {
	return []check{
		{"spec", checkSpec},
		{"start", checkStart},
		{"legal", checkLegal},
		{"turn", checkTurn},
		{"length", checkLength},
		{"payoffs", checkPayoffs},
		{"observe", checkObserve},
		{"names", checkNames},
		{"replay", checkReplay},
		{"copies", checkCopies},
		{"hash", checkHash},
		{"positions", checkPositions},
		{"symmetries", checkSymmetries},
		{"endings", checkEndings},
		{"samples", checkSamples},
		{"finishing", checkFinishing},
		{"scores", checkScores},
		{"repetitions", checkRepetitions},
		{"ownership", checkOwnership},
		{"drawing", checkDrawing},
		{"pictures", checkPictures},
		{"seats", checkSeats},
		{"rules", CheckRules},
		{"description", checkDescription},
		{"turns", checkTurns},
		{"prompts", checkPrompts},
		{"records", checkRecords},
		{"counts", checkCounts},
		{"claims", checkClaims},
		{"solver", checkSolver},
		{"concurrent", checkConcurrent},
		{"allocations", checkAllocations},
	}
}
