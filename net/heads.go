package net

import (
	"errors"
	"math"

	"tiro/env"
	"tiro/internal/portable"
)

// errNotFinite is returned if a logit is infinite or not a number.
var errNotFinite = errors.New("the network's output is not finite: its weights are broken")

// leastLogit bounds a legal action's logit from below, relative to the highest one. It keeps the
// prior above 0 and its logarithm finite.
const leastLogit = -40

// Priors writes the softmax of the legal actions' logits to prior [len(legal)]; the result sums
// to 1. It ignores the logits [Actions] of illegal actions. If a legal action's logit is not
// finite, it returns an error and prior is undefined.
func Priors(prior, logits []float32, legal []env.Action) error {
	for i, a := range legal {
		prior[i] = logits[a]
	}
	return Softmax(prior)
}

// Softmax replaces the logits of a position's legal actions by their priors, like Priors.
func Softmax(x []float32) error {
	top, least := float32(math.Inf(-1)), float32(math.Inf(1))
	for _, v := range x {
		top, least = max(top, v), min(least, v)
	}
	if !finite(top) || !finite(least) {
		return errNotFinite
	}
	sum := float32(0)
	for i, v := range x {
		p := float32(portable.Exp(float64(max(v-top, leastLogit))))
		x[i] = p
		sum += p
	}
	for i := range x {
		x[i] /= sum
	}
	return nil
}

// OutcomeView returns the expected payoff for outcome logits [players+1], the viewer first: for
// each seat, its probability of winning minus the mean probability that another seat wins. A draw
// counts 0. OutcomeView returns an error if a logit is not finite.
func OutcomeView(logits []float32, players int) (env.View, error) {
	var probability [env.MaxPlayers + 1]float64
	top, sum := math.Inf(-1), 0.0
	for _, x := range logits {
		if !finite(x) {
			return env.View{}, errNotFinite
		}
		top = max(top, float64(x))
	}
	for i, x := range logits {
		probability[i] = portable.Exp(float64(x) - top)
		sum += probability[i]
	}
	wins := 0.0
	for _, p := range probability[:players] {
		wins += p / sum
	}
	var view env.View
	others := float64(players - 1)
	for i := range players {
		win := probability[i] / sum
		view[i] = float32(win - (wins-win)/others)
	}
	return view, nil
}
