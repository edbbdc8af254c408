package net

import (
	"errors"
	"math"

	"tiro/env"
)

// errNotFinite says that a network has answered with something that is no
// number.
var errNotFinite = errors.New("the network's output is not finite; its weights are broken")

// leastLogit bounds from below how far a legal action's logit may lie under the
// highest: its prior stays above 0 and its logarithm finite.
const leastLogit = -40

// Priors writes the softmax of the legal actions' logits to prior, which sums
// to 1. Logits [Actions] of illegal actions are not looked at. If a legal one
// is not finite it returns an error and prior is undefined.
func Priors(prior, logits []float32, legal []env.Action) error {
	top := float32(math.Inf(-1))
	for _, a := range legal {
		top = max(top, logits[a])
	}
	sum := float32(0)
	for i, a := range legal {
		p := float32(math.Exp(float64(max(logits[a]-top, leastLogit))))
		prior[i] = p
		sum += p
	}
	if !finite(top) || !finite(sum) {
		return errNotFinite
	}
	for i := range prior {
		prior[i] /= sum
	}
	return nil
}

// OutcomeView returns the payoff that outcome logits [players+1] promise, the
// viewer first: for each seat the chance that it wins, less an even share of
// the chances that others win. A draw counts 0. If a logit is not finite it
// returns an error.
func OutcomeView(logits []float32, players int) (env.View, error) {
	var chance [env.MaxPlayers + 1]float64
	top := math.Inf(-1)
	for _, x := range logits {
		top = max(top, float64(x))
	}
	sum := 0.0
	for i, x := range logits {
		chance[i] = math.Exp(float64(x) - top)
		sum += chance[i]
	}
	var view env.View
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return view, errNotFinite
	}
	wins := 0.0
	for _, p := range chance[:players] {
		wins += p / sum
	}
	others := float64(players - 1)
	for i := range players {
		win := chance[i] / sum
		view[i] = float32(win - (wins-win)/others)
	}
	return view, nil
}
