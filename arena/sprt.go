package arena

import (
	"fmt"
	"math"

	"tiro/internal/faults"
)

// SPRT is a sequential probability ratio test (Wald 1945, "Sequential tests of
// statistical hypotheses") of whether the first player of a match is stronger than the
// second. It tests the hypothesis that the first player's rating is Elo1 above the second's
// against the hypothesis that it is Elo0 above. A match with a test ends as soon as its games
// decide between the two.
type SPRT struct {
	Elo0  float64 `json:"elo0"`  // Elo difference that is too small to matter
	Elo1  float64 `json:"elo1"`  // Elo difference that matters, above elo0
	Alpha float64 `json:"alpha"` // highest probability of accepting a player at elo0
	Beta  float64 `json:"beta"`  // highest probability of rejecting a player at elo1
}

// Verdict is the result of a test.
type Verdict string

// Verdicts of a test.
const (
	Accepted  Verdict = "accepted"  // Elo1 rather than Elo0
	Rejected  Verdict = "rejected"  // Elo0 rather than Elo1
	Undecided Verdict = "undecided" // too few games
)

// Bounds of a test's hypotheses, in Elo.
const (
	maxTestedElo = 1000 // largest absolute value
	leastTested  = 0.1  // smallest difference between Elo1 and Elo0
)

// Validate reports every field that is out of range.
func (s SPRT) Validate() error {
	var f faults.List
	faults.Within(&f, "elo0", s.Elo0, -maxTestedElo, maxTestedElo)
	faults.Within(&f, "elo1", s.Elo1, -maxTestedElo, maxTestedElo)
	f.Check(s.Elo1-s.Elo0 >= leastTested, "elo1", s.Elo1, fmt.Sprintf("%v or more above elo0, which is %v", leastTested, s.Elo0))
	f.Check(s.Alpha > 0 && s.Alpha < 0.5, "alpha", s.Alpha, "a probability above 0 and below 0.5")
	f.Check(s.Beta > 0 && s.Beta < 0.5, "beta", s.Beta, "a probability above 0 and below 0.5")
	return f.Err()
}

// Bounds returns the log-likelihood ratios at which a test rejects and accepts. These are
// Wald's approximate bounds: he proves that the error probabilities are at most Alpha/(1-Beta)
// and Beta/(1-Alpha), and their sum at most Alpha+Beta.
func (s SPRT) Bounds() (reject, accept float64) {
	return math.Log(s.Beta / (1 - s.Alpha)), math.Log((1 - s.Beta) / s.Alpha)
}

// verdict returns the verdict for a log-likelihood ratio.
func (s SPRT) verdict(llr float64) Verdict {
	switch reject, accept := s.Bounds(); {
	case llr >= accept:
		return Accepted
	case llr <= reject:
		return Rejected
	}
	return Undecided
}

// Test is a running SPRT. Its observations are groups of games that share an opening.
//
// The log-likelihood ratio is the one of the generalised test (Van den Bergh, "The
// generalized maximum likelihood ratio for the expectation value of a distribution",
// also used by fishtest). The test assumes nothing about the frequencies of the groups'
// points: under either hypothesis, they are the likeliest frequencies that agree with it.
// For two seats the groups are pairs, and the model is the pentanomial one. For more seats,
// the hypotheses are about the first player's share t of the points of both players: the
// frequencies must make the mean of a - t·(a+b) zero, where a and b are the points of a
// group. Draws, unequal seats and unequal openings therefore need no parameters.
type Test struct {
	SPRT
	share0, share1 float64 // first player's share of both players' points, at Elo0 and Elo1
	seen           []tested
}

// tested counts the groups with the points a and b.
type tested struct{ a, b, count float64 }

// unseen is the initial count of the two extreme groups, in which one player won all games.
// Without it the likelihood of a hypothesis is 0 while all groups lie on one side of it.
const unseen = 1e-3

// NewTest returns a test without observations. group is the number of games per group, and
// seats the number of the second player's seats for each seat of the first player.
func NewTest(s SPRT, group int, seats float64) *Test {
	n := float64(group)
	return &Test{
		SPRT: s, share0: Share(s.Elo0, seats), share1: Share(s.Elo1, seats),
		seen: []tested{{n, 0, unseen}, {0, n, unseen}},
	}
}

// Add adds a group in which the first player won a points and the second b.
func (t *Test) Add(a, b float64) {
	for i := range t.seen {
		if s := &t.seen[i]; s.a == a && s.b == b {
			s.count++
			return
		}
	}
	t.seen = append(t.seen, tested{a, b, 1})
}

// LLR returns the log-likelihood ratio of Elo1 to Elo0.
func (t *Test) LLR() float64 { return t.logLikelihood(t.share1) - t.logLikelihood(t.share0) }

// Verdict returns the verdict from the observations so far.
func (t *Test) Verdict() Verdict { return t.verdict(t.LLR()) }

// logLikelihood returns the maximum log-likelihood of frequencies for which the first
// player's share is share, minus the log-likelihood of the observed frequencies. With
// h = a - share·(a+b), the maximising frequencies are the observed ones divided by 1 + λh,
// where λ makes the mean of h zero (Owen 2001, Empirical Likelihood, section 2.9).
func (t *Test) logLikelihood(share float64) (sum float64) {
	least, most := 0.0, 0.0
	for _, s := range t.seen {
		h := s.off(share)
		least, most = min(least, h), max(most, h)
	}
	low, high := -1/most, -1/least // the sum below decreases between them
	lambda := 0.0
	for range 200 {
		value, slope := 0.0, 0.0
		for _, s := range t.seen {
			part := s.off(share) / (1 + lambda*s.off(share))
			value += s.count * part
			slope -= s.count * part * part
		}
		if value > 0 {
			low = lambda
		} else {
			high = lambda
		}
		next := lambda - value/slope // Newton's step, or bisection if that leaves the interval
		if !(next > low && next < high) {
			next = (low + high) / 2
		}
		if math.Abs(next-lambda) <= 1e-13*(high-low) || next == lambda {
			break
		}
		lambda = next
	}
	for _, s := range t.seen {
		sum -= s.count * math.Log(1+lambda*s.off(share))
	}
	return sum
}

// off returns the difference between the first player's points and its share.
func (s tested) off(share float64) float64 { return s.a - share*(s.a+s.b) }

// SPRTReport is the current state of a test.
type SPRTReport struct {
	SPRT
	LLR    float64 `json:"llr"`    // log-likelihood ratio of elo1 to elo0
	Reject float64 `json:"reject"` // ratio at which the test rejects
	Accept float64 `json:"accept"` // ratio at which the test accepts
	Groups int     `json:"groups"` // groups that the test has seen
}

// ExpectedGames is the mean length of a test in games.
type ExpectedGames struct {
	Elo0, Elo1 int // if the true difference is Elo0 or Elo1
	Between    int // if it is in the middle, where a test takes longest
}

// ExpectedGames returns the mean length of the match's test by Wald's formulas, which neglect
// the excess over the bounds. It assumes independent games without draws, and equal players
// except for the first. Draws and decisive openings make a test shorter.
func (m *Match) ExpectedGames() ExpectedGames {
	s, seats := *m.SPRT, m.seatsOf()
	ratio := float64(seats[1]) / float64(seats[0])
	share0, share1 := Share(s.Elo0, ratio), Share(s.Elo1, ratio)
	middle := (share0 + share1) / 2
	// For one game, a - share·(a+b) has the variance decisive·middle·(1-middle), and its
	// mean differs by decisive·(share1-share0) between the hypotheses.
	worth := math.Exp((s.Elo0 + s.Elo1) / 2 * math.Ln10 / 400)
	first, others := float64(seats[0])*worth, float64(m.Game.Spec().Players-seats[0])
	decisive := (first + float64(seats[1])) / (first + others) // fraction of games that one of the two wins
	information := decisive * (share1 - share0) * (share1 - share0) / (middle * (1 - middle))
	reject, accept := s.Bounds()
	games := func(llr float64) int { return m.RoundUp(int(math.Ceil(llr / information))) }
	return ExpectedGames{
		Elo0:    games(-2 * (s.Alpha*accept + (1-s.Alpha)*reject)),
		Elo1:    games(2 * ((1-s.Beta)*accept + s.Beta*reject)),
		Between: games(-accept * reject),
	}
}

// orderedTest is the Test of a match. It counts groups in the order of their numbers, not in
// the order in which they end, so that the verdict does not depend on the number of workers.
// It ignores groups that repeat an earlier one.
type orderedTest struct {
	*Test
	size    int // games per group
	groups  int // number of groups that have been counted
	known   knownGroups
	pending map[int][]GameRecord
	verdict Verdict
}

// newOrderedTest returns the test of a match, nil if it has none.
func newOrderedTest(m *Match) *orderedTest {
	if m.SPRT == nil {
		return nil
	}
	seats := m.seatsOf()
	test := NewTest(*m.SPRT, m.Group(), float64(seats[1])/float64(seats[0]))
	return &orderedTest{Test: test, size: m.Group(), known: knownGroups{}, pending: map[int][]GameRecord{}, verdict: Undecided}
}

// add adds a game, and reports whether the test is decided.
func (s *orderedTest) add(r GameRecord) bool {
	if s == nil {
		return false
	}
	s.pending[r.Group] = append(s.pending[r.Group], r)
	for s.verdict == Undecided && len(s.pending[s.groups]) == s.size {
		group := s.pending[s.groups]
		delete(s.pending, s.groups)
		s.groups++
		byNumber(group) // the sum of the points depends on the order
		if !s.known.add(group) {
			continue
		}
		a, _, _ := tally(group, 0, anySeat)
		b, _, _ := tally(group, 1, anySeat)
		s.Add(a, b)
		s.verdict = s.Verdict()
	}
	return s.verdict != Undecided
}

func (s *orderedTest) report() *SPRTReport {
	reject, accept := s.Bounds()
	return &SPRTReport{SPRT: s.SPRT, LLR: s.LLR(), Reject: reject, Accept: accept, Groups: s.groups}
}
