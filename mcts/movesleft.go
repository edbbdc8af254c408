package mcts

// Constants of the bonus for the plies left, after Leela Chess Zero's moves-left utility. Its
// threshold is higher, 0.8, because draws by repetition or by a limit keep the values of won
// positions lower in Tiro's games.
const (
	surePayoff = 0.3 // payoff, as a part of a win's or a loss's, above which the bonus grows from 0
	bonusPlies = 12  // difference in plies that earns the whole bonus
)

// pliesLeft returns the expected number of plies from n to the end of the game: exact up to the
// players' choices if proven, otherwise the mean over its visits.
func (nd *node) pliesLeft() float64 {
	if nd.proven {
		return float64(nd.length)
	}
	return nd.left / float64(max(nd.visits, 1))
}

// selectionQ returns the q of edges from..to of n, which have children, for selection. At the root
// they include a bonus for the plies left, if the evaluator predicts these. Among about equally good
// moves, it favours shorter wins and longer losses. Proven results have no bonus. The slice is valid until the next call.
func (t *tree) selectionQ(n, from, to int32) []float32 {
	q := t.q[from:to]
	weight := float32(0)
	if n == root && t.bonus > 0 && t.predictsEnd {
		weight = t.bonusWeight()
	}
	if weight == 0 {
		return q
	}
	t.adjusted = append(t.adjusted[:0], q...)
	mean := t.nodes[root].pliesLeft()
	for i, c := range t.child[from:to] {
		if child := &t.nodes[c]; !child.proven && child.visits > 0 {
			more := (1 + child.pliesLeft() - mean) / bonusPlies
			t.adjusted[i] -= float32(weight * float32(max(-1, min(more, 1))))
		}
	}
	return t.adjusted
}

// bonusWeight returns the largest bonus at the root, which grows with the mover's expected payoff
// and is negative if the mover is losing.
func (t *tree) bonusWeight() float32 {
	nd := &t.nodes[root]
	payoff := float32(nd.sum[nd.mover] / float64(max(nd.visits, 1)))
	if payoff < 0 {
		payoff /= -t.loss
	}
	sure := (max(payoff, -payoff) - surePayoff) / (1 - surePayoff)
	switch {
	case sure <= 0:
		return 0
	case payoff < 0:
		return -t.bonus * sure
	}
	return t.bonus * sure
}
